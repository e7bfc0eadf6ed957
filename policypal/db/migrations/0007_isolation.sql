-- A document's files are its owner's and its own: no row can name a file of somebody else (X1, R5).
ALTER TABLE documents ADD CONSTRAINT documents_own_files CHECK (
    starts_with(storage_key, user_id::text || '/' || id::text || '/')
    AND (unlocked_key IS NULL OR starts_with(unlocked_key, user_id::text || '/' || id::text || '/'))
);

-- Which installation a file store belongs to. Files without a document are only ever removed from a store that names this
-- one: a fresh database beside an old folder, or two installations on one bucket, must not take each other's files for rubbish.
CREATE TABLE installation (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one)
);
INSERT INTO installation DEFAULT VALUES;
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
