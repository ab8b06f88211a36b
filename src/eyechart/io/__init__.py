"""Disk: the journal, atomic files, pictures."""
