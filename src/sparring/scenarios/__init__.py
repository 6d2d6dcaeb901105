"""Kinds of scenario file, and the building blocks of which a kind is made: files in, cases out."""
