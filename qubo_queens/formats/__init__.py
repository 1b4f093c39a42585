"""Boards and models to and from text and files."""
