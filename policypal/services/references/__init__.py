"""Reading references to documents out of a message: names, types, versions, sets, ordinals and pronouns (G4)."""
