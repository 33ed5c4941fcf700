"""The key of a request: the sha256 of its JSON as the standard library writes it."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.llm.request import key_of

TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
DATA = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, DATA, max_size=6))
def test_a_key_is_of_the_json_that_python_writes(payload: dict[str, Any]) -> None:
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert key_of(payload) == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@pytest.mark.parametrize("number", [1e16, 1e-5, 1e22, -0.0, 0.1, 5e-324, 1.5e300, 2**64, 10**30])
def test_numbers_are_as_python_writes_them(number: float) -> None:
    text = f'{{"params":{{"temperature":{number!r}}}}}'
    key = hashlib.sha256(text.encode()).hexdigest()
    assert key_of({"params": {"temperature": number}}) == key


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_has_no_key(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        key_of({"params": {"temperature": number}})
