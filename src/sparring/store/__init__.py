"""Where batches and conversations are kept: the only truth about what has been run."""
