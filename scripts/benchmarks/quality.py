"""Support labels of a judge against people's, beside the majority label and word overlap."""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from judge import api
from judge.agreement.lexical import auc, best_threshold
from judge.agreement.scale import Bools, Floats
from judge.agreement.words import overlap
from judge.formats.answers import read_answers
from judge.formats.support import read_support
from judge.judgments import from_line
from judge.settings import DEFAULT_MODEL
from judge.types import Judgment
from judge.uncertainty import expected
from scripts.benchmarks._table import report

CLAIMS = Path(__file__).resolve().parents[3] / "shared" / "data" / "attribution" / "dev240.jsonl"
PROMPTS = ("support/trec2025", "support/contrast")
SEED = 2026
HALVES = ("tuned on", "held out", "all")
HEADER = (
    "claims",
    "judge",
    "n",
    "accuracy",
    "macro-F1",
    "AUC",
    "AUC with overlap",
    "failed",
    "s an item",
)


class Claims(NamedTuple):
    """Claims of a file, by id: whether people found them attributable, and the words they share.

    `truth` and `shares` are arrays over `ids`.
    """

    ids: list[str]
    truth: Bools
    shares: Floats

    def only(self, ids: Sequence[str]) -> "Claims":
        """Those of some ids."""
        places = [self.ids.index(id_) for id_ in ids]
        return Claims(list(ids), self.truth[places], self.shares[places])


class Judged(NamedTuple):
    """What a judge said of claims: how far each is supported, 0 to 1, and whether fully.

    `degrees` has NaN where there is no label; `full` is False there.
    """

    degrees: Floats
    full: Bools
    seconds: float | None

    def only(self, places: Sequence[int]) -> "Judged":
        """What was said of the claims in some places."""
        return Judged(self.degrees[list(places)], self.full[list(places)], self.seconds)


def read_claims(path: Path) -> Claims:
    """Read a file of claims, each of which cites one document."""
    labels = {a.topic_id: a.sentences[0].citations[0].label for a in read_support(path)}
    answers = {a.topic_id: a for a in read_answers(path)}
    ids = sorted(answers)
    shares = [overlap(answers[i].sentences[0].text, answers[i].documents[0].text) for i in ids]
    truth = np.array([labels[i] == "full" for i in ids])
    return Claims(ids, truth, np.array([share or 0.0 for share in shares]))


def halves(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids that wording and thresholds were chosen on, and those held out."""
    mixed = sorted(ids)
    random.Random(SEED).shuffle(mixed)  # noqa: S311
    middle = len(mixed) // 2
    return mixed[:middle], mixed[middle:]


class Bench(NamedTuple):
    """The claims of a file that are judged, and how."""

    path: Path
    ids: Sequence[str]
    model: str
    base_url: str | None
    cache: Path

    def judged(self, prompt: str) -> Judged:
        """Judge the claims with a prompt, as a user would."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = self._chosen(folder / "claims.jsonl")
            start = time.perf_counter()
            result = api.support(
                str(file),
                answers=[str(file)],
                out=folder / "run",
                prompt=prompt,
                model=self.model,
                base_url=self.base_url,
                cache=self.cache,
                temperature=0.0,
                logprobs=True,
            )
            took = time.perf_counter() - start
            lines = (folder / "run" / "judgments.jsonl").read_bytes().splitlines()
        by_id = {j.topic_id: j for j in map(from_line, lines)}
        cached = any(tally.cached for tally in result.tallies.values())
        return _judged([by_id[i] for i in self.ids], None if cached else took / len(self.ids))

    def _chosen(self, path: Path) -> Path:
        wanted = set(self.ids)
        answers = zip(read_answers(self.path), _lines(self.path), strict=True)
        path.write_text("".join(line for a, line in answers if a.topic_id in wanted), "utf-8")
        return path


def _lines(path: Path) -> Iterator[str]:
    return (f"{line}\n" for line in path.read_text("utf-8").split("\n") if line.strip())


def _judged(judgments: Sequence[Judgment], seconds: float | None) -> Judged:
    degrees = [_degree(judgment) for judgment in judgments]
    full = [judgment.label == "full" for judgment in judgments]
    return Judged(np.array(degrees), np.array(full), seconds)


def _degree(judgment: Judgment) -> float:
    """The expected label, none 0 to full 1; the label itself where no probabilities came."""
    if judgment.label is None:
        return float("nan")
    return expected(judgment.probabilities or {str(judgment.label): 1.0})


# --- the table ---------------------------------------------------------------------------------


def rows_of(
    claims: Claims, judges: Mapping[str, Judged], cut: float
) -> Iterator[tuple[object, ...]]:
    """A row for each baseline and for each judge.

    Args:
        claims: what was judged.
        judges: what each said, in the order of the claims.
        cut: the share of words from which the baseline says that a claim is supported.
    """
    majority = np.full(len(claims.ids), claims.truth.mean() >= 0.5)
    yield ("majority label", len(claims.ids), *_quality(majority, claims.truth), "", "", "", "")
    found = _quality(claims.shares >= cut, claims.truth)
    yield ("word overlap", len(claims.ids), *found, _auc(claims.shares, claims.truth), "", "", "")
    for name, judged in judges.items():
        yield (name, len(claims.ids), *_row(claims, judged))


def _row(claims: Claims, judged: Judged) -> Iterator[object]:
    known = ~np.isnan(judged.degrees)
    truth, degrees, shares = claims.truth[known], judged.degrees[known], claims.shares[known]
    yield from _quality(judged.full, claims.truth)  # a claim without a label counts as wrong
    yield _auc(degrees, truth)
    yield _auc(_standardised(degrees) + _standardised(shares), truth)
    yield f"{1 - known.mean():.1%}"
    yield "" if judged.seconds is None else f"{judged.seconds:.1f}"


def _standardised(values: Floats) -> Floats:
    spread = values.std()
    return np.zeros_like(values) if spread == 0 else (values - values.mean()) / spread


def _auc(scores: Floats, truth: Bools) -> str:
    found = auc(scores, truth)
    return "" if found is None else f"{found:.3f}"


def _quality(claimed: Bools, truth: Bools) -> tuple[str, str]:
    """Accuracy, and the mean of the F1 of both classes (0 for a class with neither hit)."""
    scores = [_f1(claimed == label, truth == label) for label in (True, False)]
    return f"{np.mean(claimed == truth):.3f}", f"{np.mean(scores):.3f}"


def _f1(claimed: Bools, truth: Bools) -> float:
    hits = int(np.sum(claimed & truth))
    return 2 * hits / max(1, int(claimed.sum()) + int(truth.sum()))


def _rows(claims: Claims, bench: Bench, prompts: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """The rows of every part of the claims that is judged, as far as there are any in it."""
    judges = {prompt: bench.judged(prompt) for prompt in prompts}
    tuned, held_out = halves(claims.ids)
    cut = best_threshold(claims.only(tuned).shares, claims.only(tuned).truth)
    for name, part in zip(HALVES, (tuned, held_out, claims.ids), strict=True):
        ids = [id_ for id_ in part if id_ in set(bench.ids)]
        if len(ids) == len(part):
            places = [bench.ids.index(id_) for id_ in ids]
            chosen = {prompt: judged.only(places) for prompt, judged in judges.items()}
            yield from ((name, *row) for row in rows_of(claims.only(ids), chosen, cut))


def main() -> None:
    """Judge the claims with each prompt and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=Path, default=CLAIMS, help="a file of AttributionBench")
    parser.add_argument("--half", choices=HALVES, default="held out", help="which are judged")
    parser.add_argument("--prompt", action="append", help="a template; may be given again")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--base-url", help="where the model's server listens")
    parser.add_argument("--cache", type=Path, required=True, help="where replies are kept")
    parser.add_argument("--record", action="store_true", help="keep the table")
    given = parser.parse_args()
    claims = read_claims(given.claims)
    ids = dict(zip(HALVES, (*halves(claims.ids), claims.ids), strict=True))[given.half]
    bench = Bench(given.claims, ids, given.model, given.base_url, given.cache)
    prompts = given.prompt or PROMPTS
    note = (
        f"{given.model}, temperature 0, on {given.claims.name}: every claim with its references as "
        f"one document; two halves drawn with seed {SEED}. Accuracy and macro-F1 of full against "
        "the rest; AUC of the expected label, by the probabilities of the labels, and of its sum "
        "with the share of the claim's content words found in the references, each divided by its "
        "deviation. The threshold of word overlap is that of the best kappa on the half that was "
        "tuned on. Seconds are those of this run, empty where replies were stored."
    )
    report("quality", HEADER, _rows(claims, bench, prompts), note)


if __name__ == "__main__":
    main()
