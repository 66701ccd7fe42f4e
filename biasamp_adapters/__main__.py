"""The start of the command `biasamp`, which says so if a package is missing."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command, and exit with the code that tells how it ended."""
    try:
        from biasamp_adapters.cli import main

        sys.exit(main())
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        remedy = f"python -m pip install {package}"
        print(f"biasamp: the package {package} is missing: {remedy}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    run()
