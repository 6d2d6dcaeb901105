"""The REST service: a thin top over batches, as the command line is another."""
