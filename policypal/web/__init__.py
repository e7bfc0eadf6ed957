"""The web as a source: search providers, their quota, and pages read under the rules of W4."""
