"""Checking files before they are judged or handed in: every problem, not the first one."""

from judge.validation.problems import FileReport, Problem, Severity
from judge.validation.validate import validate

__all__ = ["FileReport", "Problem", "Severity", "validate"]
