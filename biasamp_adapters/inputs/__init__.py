"""What a user hands over, read once: arrays, frames and files in, coded columns out."""
