"""Engines that run tasks: an OpenAI-compatible endpoint, or the keyless rules (R4)."""
