//! Examples live in `examples/`: a compact server over the framework alone, and the engine used as a library.
