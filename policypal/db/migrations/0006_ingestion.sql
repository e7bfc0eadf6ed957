-- Text recognition is a state of its own (D4, D7).
ALTER TABLE documents DROP CONSTRAINT documents_status_check;
ALTER TABLE documents ADD CONSTRAINT documents_status_check
    CHECK (status IN ('queued', 'extracting', 'recognising', 'chunking', 'embedding', 'ready', 'failed'));

-- When a document was queued and when it was ready or failed: what is left of a batch is estimated from these.
ALTER TABLE documents ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE documents ADD COLUMN finished_at timestamptz;
UPDATE documents SET queued_at = created_at;
UPDATE documents SET finished_at = updated_at WHERE status IN ('ready', 'failed');
CREATE INDEX documents_unfinished ON documents (user_id) WHERE status NOT IN ('ready', 'failed');

-- The pages whose text was recognised on their picture.
ALTER TABLE documents ADD COLUMN ocr_pages integer[] NOT NULL DEFAULT '{}';

-- The embedding models whose vectors all passages of the document have; it changes in the transaction that stores or
-- deletes the vectors, so that a search learns from a few hundred rows which index is complete (R3).
ALTER TABLE documents ADD COLUMN embedding_models text[] NOT NULL DEFAULT '{}';
UPDATE documents d SET embedding_models = ARRAY(
    SELECT DISTINCT e.model FROM embeddings e WHERE e.document_id = d.id AND e.user_id = d.user_id ORDER BY e.model);
