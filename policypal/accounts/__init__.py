"""Sign-in with an identity provider (R6)."""
