"""Detectors of mistakes: they watch a run and send events."""
