"""Summaries of documents (A1)."""
