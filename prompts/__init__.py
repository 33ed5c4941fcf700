"""The words: one Jinja template a prompt, found by its name under this folder."""
