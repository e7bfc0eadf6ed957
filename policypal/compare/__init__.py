"""Comparisons of documents and of editions (A3)."""
