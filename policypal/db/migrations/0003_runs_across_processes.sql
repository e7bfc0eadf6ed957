-- Stop reaches a run in whatever process it works (U6); its owner looks here once a second.
ALTER TABLE runs ADD COLUMN stop_requested boolean NOT NULL DEFAULT false;

-- Every tab on a conversation asks for its latest run, again and again.
CREATE INDEX runs_latest ON runs (thread_id, started_at DESC);

-- The run log of a whole conversation is read whenever the conversation is shown.
CREATE INDEX execution_traces_thread ON execution_traces (thread_id, id);
