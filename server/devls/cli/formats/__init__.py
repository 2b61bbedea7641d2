"""How findings are printed. One file per format, each with `render`; none imports another."""
