//! How older clients ask what they can call; legacy names only. The compact surface has `capabilities`, which the framework
//! answers itself.

mod family;
mod profile;
mod search;
