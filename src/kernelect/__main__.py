"""``python -m kernelect``: the command line."""

from kernelect.cli import main

if __name__ == "__main__":
    main()
