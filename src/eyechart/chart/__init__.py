"""The procedural eye chart: scenes drawn from a seed, with exact truth."""
