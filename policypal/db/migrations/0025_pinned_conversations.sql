-- A conversation that its person keeps on top of the list (U2).
ALTER TABLE conversations ADD COLUMN is_pinned boolean NOT NULL DEFAULT false;
