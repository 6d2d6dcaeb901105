from command_line import profile, sparring

__all__ = ["profile", "sparring"]
