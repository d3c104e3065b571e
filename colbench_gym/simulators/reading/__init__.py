"""Reads a reference's syntax tree into facts."""
