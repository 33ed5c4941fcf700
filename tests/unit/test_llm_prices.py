"""What tokens cost: by the list, by the user's word, or not known."""

import subprocess
import sys

import pytest

from judge.config import make_settings
from judge.errors import InputError
from judge.llm import list_price, per_million
from judge.llm.prices import FREE
from judge.llm.providers import identity_of
from judge.llm.tokens import prompt_tokens
from judge.types import Message, Usage


def test_a_model_at_its_own_address_has_its_list_price() -> None:
    price = list_price(identity_of("openai/gpt-4.1"))
    assert price is not None
    assert 0 < price.cached < price.prompt < price.reply < 1e-3
    assert list_price(identity_of("anthropic/claude-sonnet-4-5")) is not None


def test_a_model_of_the_list_at_another_address_has_no_known_price() -> None:
    assert list_price(identity_of("openai/gpt-4.1", "http://127.0.0.1:9/v1")) is None
    assert list_price(identity_of("hosted_vllm/gpt-4.1", "http://127.0.0.1:9/v1")) is None
    assert list_price(identity_of("openai/gpt-4.1", "https://openai.com.example/v1")) is None


def test_a_model_that_the_list_lacks_has_no_known_price() -> None:
    assert list_price(identity_of("openai/no-such-model-17")) is None


def test_the_embedded_model_is_free() -> None:
    assert list_price(identity_of("local/qwen2.5-coder-0.5b")) == FREE


def test_prompt_tokens_from_a_cache_have_their_own_price() -> None:
    price = per_million(2.0, 8.0)._replace(cached=0.5e-6)
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=500_000, cached_tokens=400_000)
    assert price.cost(usage) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.5 * 8.0)


def test_tokens_that_are_not_told_have_no_known_cost() -> None:
    price = per_million(2.0, 8.0)
    assert price.cost(Usage(prompt_tokens=10)) is None
    assert price.cost(Usage(completion_tokens=10)) is None
    assert price.cost(Usage(prompt_tokens=0, completion_tokens=0)) == 0.0


def test_more_cached_tokens_than_there_were_count_as_all() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=0, cached_tokens=99)
    assert per_million(1.0, 0.0).cost(usage) == pytest.approx(10e-6)


def test_a_price_is_given_as_two_numbers() -> None:
    assert make_settings({"price": "0.4,1.6"}).price == (0.4, 1.6)
    assert make_settings({"price": [0.4, 1.6]}).price == (0.4, 1.6)


@pytest.mark.parametrize("text", ["1", "1,2,3", "a,b", "-1,2", "inf,1", "nan,1", ""])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="two prices in US dollars for a million tokens"):
        make_settings({"price": text})


def test_tokens_are_estimated_near_to_what_they_are() -> None:
    text = "The judge reads a passage and says how far it answers the question. " * 20
    assert 14 * 20 <= prompt_tokens([Message(role="user", content=text)]) <= 18 * 20


def test_special_tokens_in_a_text_are_text() -> None:
    assert prompt_tokens([Message(role="user", content="<|endoftext|>")]) > 10


def test_a_long_run_without_a_blank_is_counted_in_no_time() -> None:
    assert prompt_tokens([Message(role="user", content="a" * 500_000)]) > 10_000


def test_prices_and_tokens_import_no_client() -> None:
    program = (
        "import sys; from judge.llm import list_price, identity_of; "
        "from judge.llm.tokens import prompt_tokens; "
        "from judge.types import Message; "
        "list_price(identity_of('openai/gpt-4.1')); "
        "prompt_tokens([Message(role='user', content='a')]); "
        "sys.exit(bool({'litellm', 'openai'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
