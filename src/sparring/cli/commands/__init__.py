"""Modules of commands. Commands that share options share a module; other shared code is one level up."""
