"""Tests of what goes wrong, and the server that makes it go wrong."""
