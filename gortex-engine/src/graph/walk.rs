//! Walk.
