"""Two versions of a document side by side: which clause became which, and what changed in it (A3, D8)."""
