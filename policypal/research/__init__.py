"""What a research report is made of, beside its tasks: gate, ranking, red team, text, files (section W)."""
