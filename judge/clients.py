"""Settings made into a client: which model, at what price, under which limits."""

from collections.abc import Callable

from judge.errors import ModelError, UsageError
from judge.llm import (
    Budget,
    JudgeClient,
    JudgeSettings,
    Limit,
    Price,
    RequestsPerMinute,
    ServerPace,
    TokensPerMinute,
    list_price,
    model_of_tag,
    per_million,
)
from judge.llm.providers import Identity, identity_of, open_provider
from judge.reporting import Notice
from judge.settings import Settings
from judge_cache import Store


def open_client(
    settings: Settings,
    store: Store | None,
    *,
    spent: tuple[float, int],
    notice: Notice,
    make: Callable[..., JudgeClient] = JudgeClient,
) -> JudgeClient:
    """Return the client that `settings` ask for.

    Args:
        settings: with a model that can answer, see `resolved`.
        store: where replies are kept; None keeps none.
        spent: US dollars that the run has cost up to now, and calls of unknown cost.
        notice: takes lines for people.
        make: the client's class.

    Raises:
        ModelError: the model is not known, or has no key.
        UsageError: a budget is asked for, and the price is not known.
    """
    identity = identity_of(settings.model, settings.base_url)
    price = price_of(settings, identity)
    limits = _limits(settings, identity, price, spent, notice)
    provider = None
    if not settings.offline:
        provider = open_provider(settings.model, settings.base_url, parallel=settings.concurrency)
    how = JudgeSettings(
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        attempts=settings.attempts,
        fresh=settings.fresh,
        logprobs=settings.logprobs,
        offline=settings.offline,
    )
    return make(
        provider,
        identity,
        store=store,
        settings=how,
        limits=limits,
        price=price,
        tell=notice,
    )


def price_of(settings: Settings, identity: Identity) -> Price | None:
    """The price that the user names, else the list price; None where neither is there."""
    return per_million(*settings.price) if settings.price else list_price(identity)


def _limits(
    settings: Settings,
    identity: Identity,
    price: Price | None,
    spent: tuple[float, int],
    notice: Notice,
) -> tuple[Limit, ...]:
    """What each request must pass; the budget last, so that nothing waits on money set aside."""
    limits: list[Limit] = []
    if settings.rpm is not None:
        limits.append(RequestsPerMinute(settings.rpm))
    if settings.tpm is not None:
        limits.append(TokensPerMinute(settings.tpm))
    if identity.kind != "local":
        limits.append(ServerPace())
    if settings.max_cost is not None and not settings.offline:
        limits.append(_budget(settings.max_cost, identity, price, spent, notice))
    if price is None and not settings.offline:
        notice(
            f"the price of {identity.name} is not known, so its cost is not; --price IN,OUT gives "
            "it, in US dollars for a million tokens"
        )
    return tuple(limits)


def _budget(
    dollars: float, identity: Identity, price: Price | None, spent: tuple[float, int], tell: Notice
) -> Budget:
    if price is None:
        raise UsageError(
            f"--max-cost needs the price of {identity.name}, which is not known: give it with "
            "--price IN,OUT, in US dollars for a million tokens of prompt and of reply"
        )
    before, unknown = spent
    if unknown:
        tell(f"--max-cost: what {unknown} earlier calls of this run cost is not known, nor counted")
    return Budget(dollars, before)


def resolved(settings: Settings, store: Store) -> Settings:
    """Settings with `replay/<model>` as that model offline, and `replay` as the store's only one.

    The address is that of the stored replies, unless one is given.

    Raises:
        ModelError: the store holds replies of several models, or of none.
    """
    kind, _, model = settings.model.partition("/")
    if kind != "replay":
        return settings
    model = model or _only_model(store)
    update = {"model": model, "offline": True}
    if settings.base_url is None:
        update["base_url"] = _address_of(model, store)
    return settings.model_copy(update=update)


def _only_model(store: Store) -> str:
    stored = sorted({model_of_tag(tag) for tag in store.tags()})
    if len(stored) != 1:
        held = ", ".join(stored) or "none"
        raise ModelError(f"say which model to replay, as replay/<model>; stored are: {held}")
    return stored[0]


def _address_of(model: str, store: Store) -> str | None:
    """Where the stored replies of a model came from; of several addresses the first found."""
    for key in store.keys():  # noqa: SIM118  a store is no dict
        request = (store.get(key) or {}).get("request", {})
        if request and model_of_tag(f"{request['provider']} {request['model']} -") == model:
            return str(request["base_url"]) if request["base_url"] else None
    return None
