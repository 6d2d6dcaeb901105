"""Text in a table that people open in a spreadsheet."""


def cell(text: str) -> str:
    """A spreadsheet takes what begins like this for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
