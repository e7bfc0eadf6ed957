"""Audits of a text against regulations: register, pairs, judgements, verdict (A4, A6)."""
