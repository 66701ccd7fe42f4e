"""The command `biasamp`, as `python -m biasamp_adapters`."""

import sys

from biasamp_adapters.cli import main

if __name__ == "__main__":
    sys.exit(main())
