"""The command line: `devls --check`. One file per output format."""
