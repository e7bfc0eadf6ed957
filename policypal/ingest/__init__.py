"""Turning an uploaded file into normalised pages and passages (D6, D7). Nothing here knows the database."""
