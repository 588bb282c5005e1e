//! Relations over the field cases, through the one dispatch.
