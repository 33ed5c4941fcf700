"""Prompts as files: find, check and render a Jinja template.

A template is one file, `<name>.j2`, that opens with a Jinja comment holding its head in TOML:
name, version, task, source, variables, output, max_tokens (and max_tokens_per_item where a call
labels several units). Its blocks `system` and `user` become the messages. Everything a template
prints passes through `neutralise`, so no text of a topic, a document or an answer can carry our
delimiters or output markers; an undefined variable is an error.

    heads       what a template says of itself
    bodies      its blocks and the variables they use
    template    a template, rendered into messages
    finding     where templates are, and by which name
"""

from judge.templates.finding import (
    check_templates,
    file_of,
    full_name,
    load_template,
    template_names,
)
from judge.templates.heads import Head, Output
from judge.templates.template import Template

__all__ = [
    "Head",
    "Output",
    "Template",
    "check_templates",
    "file_of",
    "full_name",
    "load_template",
    "template_names",
]
