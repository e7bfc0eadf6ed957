"""What makes a quotation and a statement trustworthy (C2)."""
