"""One module for each command, or for commands that share their options. Shared parts live one level up."""
