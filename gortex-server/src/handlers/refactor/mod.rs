//! The `refactor` domain: changes of several files that keep references right.

mod rename;
