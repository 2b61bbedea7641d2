"""How the catalog of `devls.library` is made: torch's own declarations, torch run, and an overlay by hand."""
