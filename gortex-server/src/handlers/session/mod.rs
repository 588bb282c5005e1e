//! The `session` domain: state that lives with the connection and ends with it.

mod agents;
mod channels;
mod cursor;
mod planning;
mod workflow;
