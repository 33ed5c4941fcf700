"""Every other provider, through litellm, which takes seconds to import: only when it is used."""

import os
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from judge.errors import ModelError
from judge.llm.faults import CallError, body_error, call_error
from judge.llm.providers.base import Completion, Identity
from judge.llm.providers.wire import completion_of
from judge.llm.redaction import environment_secrets, url_secrets
from judge.llm.request import Request

_WITH_LOGIN = {"chatgpt", "github_copilot"}


class LitellmProvider:
    """Sends requests with `litellm.acompletion`.

    litellm keeps one set of clients for the process, which the last open provider closes.

    Args:
        identity: which model.
        base_url: the address in full, None where litellm knows it.
    """

    _open = 0

    def __init__(self, identity: Identity, base_url: str | None) -> None:
        self._litellm = _load()
        _check(self._litellm, identity.model)
        _refuse_query(identity.model, base_url)
        if base_url is None:
            _require_key(self._litellm, identity.model)
        self._identity, self._base_url = identity, base_url
        self._secrets = (*environment_secrets(), *url_secrets(base_url))
        self._used = False

    @property
    def identity(self) -> Identity:
        """Which model answers."""
        return self._identity

    async def ready(self) -> None:
        """Count as one of those who use litellm's clients."""
        if not self._used:
            self._used = True
            LitellmProvider._open += 1

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` once.

        Raises:
            CallError: there is no completion.
        """
        await self.ready()
        try:
            answer = await self._litellm.acompletion(
                model=request.model,
                messages=request.wire_messages(),
                base_url=self._base_url,
                timeout=timeout,
                num_retries=0,
                max_retries=0,
                drop_params=False,
                **request.params,
            )
            body = answer.model_dump(warnings=False)
        except Exception as error:  # noqa: BLE001 - litellm lets errors of providers' SDKs through
            raise self._call_error(error, timeout) from None
        return completion_of(
            body,
            model=request.model,
            headers=getattr(answer, "_response_headers", None),
            cost=self._cost(answer, request.model),
            secrets=self._secrets,
        )

    async def aclose(self) -> None:
        """Close litellm's connections, unless another provider still uses them."""
        if not self._used:
            return
        self._used = False
        LitellmProvider._open -= 1
        if LitellmProvider._open == 0:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    def _call_error(self, error: Exception, timeout: float) -> CallError:
        inside = _error_object(error)
        if inside is not None:
            return body_error(inside, secrets=self._secrets)
        return call_error(error, timeout=timeout, secrets=self._secrets)

    def _cost(self, answer: Any, model: str) -> float | None:
        try:
            return float(self._litellm.completion_cost(completion_response=answer, model=model))
        except Exception:  # noqa: BLE001 - litellm raises a bare Exception for an unknown price
            return None


def _load() -> Any:
    """Import litellm so that it reads no price list from the network and reports to nobody."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    litellm.num_retries = 0
    return litellm


def _error_object(error: Exception) -> dict[str, Any] | None:
    """The error object that stood in an answer of status 200, None for any other error.

    litellm raises a bare Exception for it, with the object's code as its status (422 where it
    has none), and then an error of its own which looks as if the server had sent that status.
    """
    cause = error.__context__
    if type(cause) is not Exception or not hasattr(cause, "status_code"):
        return None
    code = None if cause.status_code == 422 else cause.status_code
    return {"message": getattr(cause, "message", str(cause)), "code": code}


def _refuse_query(model: str, base_url: str | None) -> None:
    """Refuse an address with a query, behind which litellm would write the path."""
    if urlsplit(base_url or "").query and not model.startswith("azure"):
        raise ModelError(
            f"{model}: litellm takes no query in --base-url; leave it out, or use openai/<name>, "
            "which sends it with every request"
        )


def _require_key(litellm: Any, model: str) -> None:
    """Refuse a model whose API key is not in the environment.

    Only where keys are all it takes: other credentials (of a cloud, of a login) have places of
    their own, and asking litellm about the providers that log in would log in.
    """
    if model.partition("/")[0] in _WITH_LOGIN:
        return
    missing = litellm.validate_environment(model)["missing_keys"]
    if missing and all(name.endswith("_API_KEY") for name in missing):
        raise ModelError(f"no key for {model}: set {' or '.join(missing)}")


def _check(litellm: Any, model: str) -> None:
    """Refuse a name whose provider litellm does not know, naming the nearest it does.

    The list is looked at, not `litellm.get_llm_provider`, which logs in to some providers.
    """
    known = {str(getattr(provider, "value", provider)) for provider in litellm.provider_list}
    provider, _, name = model.partition("/")
    if provider in known:
        return
    near = [f"{match}/{name}" for match in get_close_matches(provider, sorted({*known, "local"}))]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise ModelError(
        f"model {model!r}: there is no provider {provider!r}.{hint} Accepted are "
        "openai/<name>, local/<name> and litellm names such as anthropic/<name>."
    )
