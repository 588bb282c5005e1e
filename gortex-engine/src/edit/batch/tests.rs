//! Transactions seen from outside.
