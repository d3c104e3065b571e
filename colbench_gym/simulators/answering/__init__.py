"""Finds and words the answer to a question about a reference."""
