"""What holds for all tests."""

import signal

from hypothesis import settings

settings.register_profile("sparring", deadline=None)  # a busy machine is slow, and that is no failure
settings.load_profile("sparring")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what a script starts beside itself, and all that it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
