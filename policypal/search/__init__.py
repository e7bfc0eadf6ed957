"""Hybrid search over the passages of a library."""
