"""The judging tasks, one module each: which units, which prompt, how a reply becomes verdicts."""

from judge.tasks.base import Task

__all__ = ["Task"]
