"""One judging call: key -> store -> rate limit -> provider -> checked reply.

    client      the door: `JudgeClient.ask(call, read)` gives a `Reply` or a `Failure`
    exchange    the asking one call needs: look up, ask, check, ask again in other words
    turns       what is asked first, and after a reply that could not be used
    request     a request as it is sent, and the key its reply is kept under
    replies     usable replies in the store, and how a repaired one is found again
    sending     a request through the limits to the provider, tried again while faults pass
    dialect     what of the protocol a model refuses: learned, kept, and left out
    limits      concurrency and the budget; rates: per minute, and as the server asks
    claims      what a request may take, and what it took: tokens, prices, pace
    retry       the only place that tries again
    checks      finish reason, emptiness, refusal, thinking blocks; then the task reads
    faults      the exceptions and error bodies of every client as one `CallError`
    redaction   secrets and invalid Unicode kept out of all of it
    providers   openai, local, litellm: one request in, one completion out

Importing this package imports no client. It knows no store: it is handed one (`Store`), and it
keeps nothing global, so that it works in any running event loop, and in several one after the
other.
"""

from judge.llm.client import JudgeClient
from judge.llm.dialect import Dialect
from judge.llm.exchange import Read
from judge.llm.faults import CallError, CallStoppedError
from judge.llm.limits import Budget, Combined, Concurrency, Limit
from judge.llm.prices import Price, list_price, per_million
from judge.llm.providers import Completion, Identity, Provider, identity_of, open_provider
from judge.llm.rates import RequestsPerMinute, ServerPace, TokensPerMinute
from judge.llm.replies import model_of_tag
from judge.llm.request import Request, key, key_of, request_payload
from judge.llm.settings import JudgeSettings
from judge.llm.store import Store

__all__ = [
    "Budget",
    "CallError",
    "CallStoppedError",
    "Combined",
    "Completion",
    "Concurrency",
    "Dialect",
    "Identity",
    "JudgeClient",
    "JudgeSettings",
    "Limit",
    "Price",
    "Provider",
    "Read",
    "Request",
    "RequestsPerMinute",
    "ServerPace",
    "Store",
    "TokensPerMinute",
    "identity_of",
    "key",
    "key_of",
    "list_price",
    "model_of_tag",
    "open_provider",
    "per_million",
    "request_payload",
]
