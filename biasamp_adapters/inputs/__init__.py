"""Reading of inputs: arrays, frames and files become coded columns."""
