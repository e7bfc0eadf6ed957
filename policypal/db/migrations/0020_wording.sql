-- The wording that an analyst has accepted for the policy (A10): it replaces what a conflict quotes, or is added where something is missing.
ALTER TABLE finding_triage ADD COLUMN wording text NOT NULL DEFAULT '';
