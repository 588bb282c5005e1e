//! Traces through the one dispatch.
