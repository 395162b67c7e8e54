"""The command line."""


def main() -> int:
    """Entry point of the ``madsim`` command."""
    return 0
