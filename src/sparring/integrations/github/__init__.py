"""GitHub: the comment on a pull request."""
