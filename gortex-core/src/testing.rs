//! Tools of this crate's own tests: broken and sound operations as data, and sample capabilities.
