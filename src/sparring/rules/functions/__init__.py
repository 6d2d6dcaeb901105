"""Functions of the rule language, by subject. The registry finds them and those of plug-ins."""
