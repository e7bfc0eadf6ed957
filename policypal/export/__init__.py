"""Files a person leaves with (A8)."""
