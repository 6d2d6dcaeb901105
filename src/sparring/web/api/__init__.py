"""REST routes: parse, call one function, answer in the documented shapes."""
