"""PolicyPal: the workbench of an internal compliance team."""

__version__ = "0.1.0"
