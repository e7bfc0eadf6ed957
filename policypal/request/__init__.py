"""What a message asks for: its documents, action, focus and material (G0, G2, G4)."""
