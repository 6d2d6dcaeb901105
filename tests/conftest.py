"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("sparring", deadline=None)  # a busy machine is slow, and that is no failure
settings.load_profile("sparring")
