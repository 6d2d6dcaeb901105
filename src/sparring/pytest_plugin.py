"""The pytest plug-in: the fixture `sparring`, which is the public API with a store of its own for each test."""
