"""The embedded model with other settings of its engine, and with its engine's own timings."""

import asyncio
import secrets
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from judge.llm import Request
from judge.llm.providers import Completion
from judge.llm.providers.local import LocalProvider, ModelServer
from judge.llm.providers.openai import OpenAIProvider

if TYPE_CHECKING:
    import httpx2

    from judge.llm.providers.transport import Client


class Variant(NamedTuple):
    """How the model is asked: `params` go with each request, `engine` to the engine's start."""

    slots: int = 1
    params: Mapping[str, Any] = {}
    engine: Mapping[str, Any] = {}


SHIPPED = Variant()


class TimedModel(LocalProvider):
    """The embedded model as the product asks it, but for the variant.

    Attributes:
        timings: those of each completion, as the engine gives them (`prompt_n` tokens evaluated
            in `prompt_ms`, `predicted_n` generated in `predicted_ms`).
        download, load: seconds that fetching and loading took.
    """

    def __init__(self, name: str, variant: Variant = SHIPPED) -> None:
        super().__init__(name, slots=variant.slots, progress=None)
        self._variant = variant
        self.timings: list[dict[str, float]] = []
        self.download = self.load = 0.0

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` with the parameters of the variant."""
        varied = request.with_params({**request.params, **self._variant.params})
        return await super().complete(varied, timeout)

    async def _start(self, server: ModelServer) -> OpenAIProvider:
        key = secrets.token_urlsafe(32)
        url = await asyncio.to_thread(self._launch, server, key)
        return _Timed(self, f"{url}/v1", key)

    def _launch(self, server: ModelServer, key: str) -> str:
        server.start = partial(self._loading, server.start)  # type: ignore[method-assign]
        return super()._launch(server, key)

    def _loading(self, start: Any, name: str, settings: dict[str, Any]) -> str:
        begun = time.perf_counter()
        url = str(start(name, {**settings, "engine": dict(self._variant.engine)}))
        self.load = time.perf_counter() - begun
        return url

    def _pull(self, server: ModelServer) -> Path:
        begun = time.perf_counter()
        path = super()._pull(server)
        self.download = time.perf_counter() - begun
        return path


class _Timed(OpenAIProvider):
    """The way to the process, where each answer's timings are kept before they are dropped."""

    def __init__(self, model: TimedModel, base_url: str, api_key: str) -> None:
        super().__init__(model.identity, base_url=base_url, api_key=api_key, trust_env=False)
        self._timings = model.timings

    def _http_client(self) -> "Client":
        client = super()._http_client()
        client.event_hooks = {"response": [self._keep]}
        return client

    async def _keep(self, response: "httpx2.Response") -> None:
        if response.is_success:
            self._timings.append(response.json()["timings"])
