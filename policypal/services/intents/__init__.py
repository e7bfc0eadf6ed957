"""What a message asks for, read without a model: cues, labelled utterances, follow-ups, need for the web (G2, G3)."""
