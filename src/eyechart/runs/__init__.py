"""Runs: what was asked of whom, the record of it, and what it is worth."""
