"""Importing the call layer, or asking offline, imports no client."""

import subprocess
import sys

import pytest

MODELS = ("openai/x", "local/qwen2.5-coder-0.5b", "gemini/x")
CLIENTS = (
    "openai",
    "litellm",
    "xllamacpp",
    "huggingface_hub",
    "httpx",
    "httpx2",
    "aiohttp",
    "numpy",
)


@pytest.mark.parametrize(
    "code",
    [
        "import judge.llm",
        "import judge.llm as l; [l.identity_of(m) for m in MODELS]",
        "from judge.llm import *; JudgeClient(None, identity_of('openai/x'), settings=OFFLINE)",
    ],
)
def test_no_client_is_imported(code: str) -> None:
    code = code.replace("OFFLINE", "JudgeSettings(offline=True)").replace("MODELS", repr(MODELS))
    check = f"{code}; import sys; print(*[name for name in {CLIENTS} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == ""


def test_the_openai_provider_does_not_import_litellm() -> None:
    code = (
        "from judge.llm import open_provider; open_provider('openai/x', 'http://127.0.0.1:9/v1');"
        "import sys; print('litellm' in sys.modules, 'openai' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False True"
