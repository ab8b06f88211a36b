"""Generators of inputs as large as the official ones, in the official layouts, from a seed."""
