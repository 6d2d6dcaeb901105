"""So many of something, in words."""


def counted(number: int, thing: str) -> str:
    """So many of a thing: 1 file, 2 files."""
    return f"{number:,} {thing}{'s' * (number != 1)}"
