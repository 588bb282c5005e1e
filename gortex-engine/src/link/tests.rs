//! Link tests.
