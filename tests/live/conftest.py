"""The weights of the smaller embedded model, or a reason why there are none."""

import pytest

from judge.errors import ModelError
from judge.llm.weights import pull

NAME = "local/qwen2.5-coder-0.5b"


@pytest.fixture(scope="session")
def small_model() -> str:
    """The model's name, once its weights are there."""
    try:
        pull(NAME, lambda *_: None)
    except ModelError as error:
        pytest.skip(f"no weights: {error}")
    return NAME
