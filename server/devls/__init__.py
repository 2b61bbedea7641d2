"""devls: find device and autograd pitfalls in PyTorch code, by executing it abstractly."""

__version__ = "0.1.0"
