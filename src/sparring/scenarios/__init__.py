"""Kinds of scenario files, and the building blocks of a kind: files in, cases out."""
