"""minima-llm with a cache of its own, asked the same prompts as rag-judge."""

import asyncio
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

KEY = "sk-of-the-benchmark"


def ask_minima(cache: Path, url: str, asked: list[dict[str, Any]], concurrency: int) -> None:
    """Have every request answered by minima-llm, out of its cache where that holds it.

    Args:
        cache: the folder of its cache.
        url: the server of the OpenAI protocol.
        asked: what is sent, as JSON data: messages, temperature and max_tokens.
        concurrency: requests in flight.

    Raises:
        ImportError: minima-llm is not installed.
        RuntimeError: a request was not answered.
    """
    from minima_llm import (
        BatchConfig,
        MinimaLlmConfig,
        MinimaLlmRequest,
        MinimaLlmResponse,
        OpenAIMinimaLlm,
    )

    config = MinimaLlmConfig(
        base_url=url,
        model="judge",
        api_key=KEY,
        cache_dir=str(cache),
        rpm=0,
        max_outstanding=concurrency,
        batch=BatchConfig(num_workers=concurrency, heartbeat_s=1e9),
    )
    requests = [
        MinimaLlmRequest(
            request_id=str(n),
            messages=body["messages"],
            temperature=body["temperature"],
            max_tokens=body["max_tokens"],
        )
        for n, body in enumerate(asked)
    ]

    async def run() -> None:
        backend = OpenAIMinimaLlm(config)
        said = await backend.run_batched(requests)
        await backend.aclose()
        if not all(isinstance(reply, MinimaLlmResponse) for reply in said):
            raise RuntimeError("minima-llm lost a reply")

    with redirect_stdout(None):
        asyncio.run(run())
