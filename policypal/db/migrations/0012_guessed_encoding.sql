-- D14: a guess is shown as a guess. Python's name of the encoding that a text was read with which does not tell its own.
ALTER TABLE documents ADD COLUMN guessed_encoding text NOT NULL DEFAULT '';
