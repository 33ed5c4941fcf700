"""rag-judge: LLM-as-judge assessment of retrieval-augmented generation.

The verbs of the command line are functions here: `judge.assess`, `judge.relevance`,
`judge.create_nuggets`, `judge.assign_nuggets`, `judge.support`, `judge.score`, `judge.validate`,
`judge.show_prompt`; each one that calls a model has an async twin, such as `judge.assess_async`.
They are loaded on first use. Readers and writers of files are in `judge.formats`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.api import (
        agree,
        assess,
        assess_async,
        assign_nuggets,
        assign_nuggets_async,
        check_prompts,
        compare,
        correlate,
        create_nuggets,
        create_nuggets_async,
        diff,
        list_prompts,
        locate_nuggets,
        locate_nuggets_async,
        plan_labels,
        rejudge,
        rejudge_async,
        relevance,
        relevance_async,
        retrieval,
        score,
        show_prompt,
        support,
        support_async,
        validate,
    )

__all__ = [
    "agree",
    "assess",
    "assess_async",
    "assign_nuggets",
    "assign_nuggets_async",
    "check_prompts",
    "compare",
    "correlate",
    "create_nuggets",
    "create_nuggets_async",
    "diff",
    "list_prompts",
    "locate_nuggets",
    "locate_nuggets_async",
    "plan_labels",
    "rejudge",
    "rejudge_async",
    "relevance",
    "relevance_async",
    "retrieval",
    "score",
    "show_prompt",
    "support",
    "support_async",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'judge' has no attribute {name!r}")
    from judge import api

    return getattr(api, name)
