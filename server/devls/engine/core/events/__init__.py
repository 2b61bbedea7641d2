"""Neutral facts about a run, by family. Rules listen to them."""
