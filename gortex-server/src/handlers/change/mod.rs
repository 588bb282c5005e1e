//! The `change` domain: what changed, whom it touches, which tests tell, and whether a new signature fits.

mod detect;
mod impact;
mod ranges;
mod shape;
mod tests;
mod verify;
