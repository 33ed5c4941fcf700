"""A judge that answers every prompt of the tool in its form, from the request alone."""

from typing import Any

from tests.faults.server import prompt_of


def oblige(request: dict[str, Any], hit: int = 0) -> str:
    """Return a well-formed reply: the schema's smallest instance, or a score or label line."""
    del hit
    form = request.get("response_format")
    if form is not None:
        import json

        return json.dumps(smallest(form["json_schema"]["schema"]))
    if "##final score" in prompt_of(request):
        return "answered: 1\n##final score: 2"
    return "label: full"


def smallest(schema: dict[str, Any]) -> Any:
    """Return an instance of a JSON schema: first choices, every property, one item."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: smallest(part) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        return [smallest(schema["items"])]
    return {"string": "New: a fact", "integer": 1, "boolean": True}[schema["type"]]
