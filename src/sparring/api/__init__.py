"""The functions and values that `import sparring` offers; programs import them from there."""
