"""Answers to questions, made of provisions (A2)."""
