"""Run code on abstract values and say what happens. Knows no rule."""
