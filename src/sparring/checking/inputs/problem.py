"""Files that are not what was looked for."""


class NotARecording(Exception):
    """A file, or a line of one, that holds no conversation; the message says why."""
