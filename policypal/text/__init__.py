"""What a text says: its provisions, their sentences, whom they bind and to what (D11)."""
