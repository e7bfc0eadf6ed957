"""How long tests wait for what has to come."""

LONGEST_WAIT_SECONDS = 180.0
"""For whatever usually takes a moment: only a test that fails waits so long, and a crowded machine may need much of it."""
