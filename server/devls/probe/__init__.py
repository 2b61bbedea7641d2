"""Optional facts from a real torch, always in another process."""
