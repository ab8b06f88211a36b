"""Other people's files, read into plain rows; nothing here knows a benchmark."""
