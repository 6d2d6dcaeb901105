"""The functions and values that `import sparring` offers. Programs import them from `sparring`, not from here."""
