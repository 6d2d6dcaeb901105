"""The command line: a table of commands, each in a module that is imported when it is called."""
