"""Agreement as tables for people: what must be known first, and then the numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from rich import box
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from judge.agreeing.agree import Agreement
from judge.agreeing.estimating import MeanEstimate
from judge.agreeing.labelling import LabellingPlan
from judge.agreement.annotators import Pair
from judge.agreement.calibration import Evaluation
from judge.agreement.groups import GroupAgreement
from judge.agreement.labels import Summary
from judge.agreement.lexical import Lexical
from judge.agreement.planning import Plan
from judge.agreement.prediction_powered import Estimate
from judge.agreement.systems import SystemAgreement
from judge.report.terminal import stdout

T = TypeVar("T")

MOST = 200
"""Rows of a table that are printed."""

_STATISTICS = {
    "exact": "exact agreement",
    "kappa": "Cohen's kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "mae": "mean absolute error",
    "bias": "bias (judge - human)",
}


def print_agreement(agreement: Agreement, *, per_topic: bool = False) -> None:
    """Print an agreement, what speaks against the judge first."""
    console = stdout()
    for line in headlines(agreement):
        _say(console, line)
    for table in tables(agreement, per_topic=per_topic):
        console.print(table)
    if agreement.calibration is not None and agreement.calibration.evaluation is not None:
        console.print(calibration_table(agreement.calibration.evaluation))
    for line in agreement.warnings:
        _say(console, f"warning: {line}")
    for line in agreement.written:
        _say(console, f"wrote {line}")


def print_plan(found: LabellingPlan) -> None:
    """Print how many labels are needed, and which file was written."""
    console = stdout()
    for line in plan_lines(found):
        _say(console, line)


def plan_lines(found: LabellingPlan) -> list[str]:
    """Return what a plan says, a line each."""
    lines = [] if found.plan is None else _needed(found.plan)
    if found.sheet is not None:
        lines.append(f"wrote {found.sheet}: {len(found.chosen)} units to label")
    elif found.chosen:
        lines.append("--sheet F writes the units to label")
    return lines


def _needed(plan: Plan) -> list[str]:
    have = f"{plan.n_now} of {plan.n_units} units have human labels"
    now = "too few for an interval: the judge is given no credit yet"
    if plan.width_now is not None:
        now = f"the mean by PPI++ has a 95% interval {plan.width_now:.3f} wide"
        now += f" (correlation of judge and people {plan.correlation:.2f})"
    need = f"{plan.n_more} more labels for a width of {plan.width:g}"
    if not plan.reachable:
        need = f"a width of {plan.width:g} is out of reach: with all units labelled it would be "
        need += f"about {plan.width_all:.3f}; it takes further topics, not further labels alone "
        need += "(--labels N chooses units all the same)"
    return [f"{have}; {now}", need]


def headlines(agreement: Agreement) -> list[str]:
    """Return the lines before the tables: word overlap, what was compared, why values lack."""
    compared = f"{agreement.kind}: {agreement.human} (human) and {agreement.judge} (judge)"
    units = f"{agreement.summary.n} units with labels of both"
    if agreement.matching is None:
        compared = f"{agreement.kind}: {agreement.human} (rows) and {agreement.judge} (columns)"
        units = f"{agreement.summary.n} pairs of labels of one unit"
    lines = [f"{compared}, {units}"]
    lines += filter(None, [agreement.summary.reason, agreement.intervals.reason])
    if agreement.systems_reason and agreement.matching is not None:
        lines.append(f"systems are not ranked: {agreement.systems_reason}")
    lines += ranking_remarks(agreement.systems)
    if agreement.lexical is not None:
        told = lexical_line(agreement.lexical)
        lines.insert(0 if agreement.lexical.finding != "above" else len(lines), told)
    return lines


def lexical_line(found: Lexical) -> str:
    """Say in one line whether the judge is above word overlap."""
    if found.finding is None:
        hint = "; documents are found with --corpus" if not found.n else ""
        return f"the baseline of word overlap could not be computed: {found.reason}{hint}"
    numbers = f"kappa {_short(found.judge_kappa)} against {_short(found.overlap_kappa)}"
    where = f"on {found.n} units, thresholds cross-validated by topic"
    spread = f", difference {_range(found.difference)}" if found.difference else ""
    words = {
        "above": "the judge is above word overlap",
        "not clearly above": "THE JUDGE IS NOT CLEARLY ABOVE WORD OVERLAP",
        "not above": "THE JUDGE IS NOT ABOVE WORD OVERLAP",
    }
    return f"{words[found.finding]}: {numbers} ({where}{spread})"


def tables(agreement: Agreement, *, per_topic: bool = False) -> Iterator[RenderableType]:
    """Yield the tables that have anything to show."""
    if agreement.summary.n:
        yield from _label_tables(agreement)
    if len(agreement.pairs) > 1:
        yield pairs_table(agreement.pairs)
    if per_topic and agreement.topics:
        yield groups_table(agreement.topics, "topic")
    if agreement.by_run:
        yield groups_table(agreement.by_run, "system")
    if agreement.systems:
        yield rankings_table(agreement.systems)
        yield scores_table(agreement.systems)
    if corrected := [one for one in agreement.estimates if one.estimates.n_rest]:
        yield estimates_table(corrected)


def _label_tables(agreement: Agreement) -> Iterator[RenderableType]:
    yield statistics_table(agreement)
    yield confusion_table(agreement.summary)
    if agreement.summary.binary:
        yield binary_table(agreement.summary)
    if agreement.lexical is not None and agreement.lexical.cuts:
        yield lexical_table(agreement.lexical)


def statistics_table(agreement: Agreement) -> Table:
    """The main statistics with their intervals, and alpha of several annotators."""
    table = _grid("", "value", "95% interval", caption="intervals: bootstrap over topics")
    for name, words in _STATISTICS.items():
        interval = agreement.intervals.by_name.get(name)
        value = getattr(agreement.summary, name)
        _add(table, words, _short(value), _range(interval) if interval else "–")
    reliability = agreement.reliability
    if len(reliability.raters) > 2:
        who = f"alpha of {len(reliability.raters)} raters"
        _add(table, f"{who}, nominal", _short(reliability.alpha_nominal), "")
        _add(table, f"{who}, ordinal", _short(reliability.alpha_ordinal), "")
    return table


def confusion_table(summary: Summary) -> Table:
    """Human labels in rows, the judge's in columns, and how well each label is found."""
    names = [str(label) for label in summary.labels]
    table = _grid("human \\ judge", *names, "precision", "recall", "F1")
    for name, row in zip(names, summary.confusion, strict=True):
        found = summary.per_label[name]
        shares = map(_short, (found.precision, found.recall, found.f1))
        _add(table, name, *map(str, row), *shares)
    return table


def binary_table(summary: Summary) -> Table:
    """The scale cut in two at each label."""
    table = _grid("cut", "kappa", "precision", "recall")
    for name, found in summary.binary.items():
        _add(table, name, *map(_short, (found.kappa, found.precision, found.recall)))
    return table


def lexical_table(found: Lexical) -> Table:
    """The judge and word overlap at each cut."""
    columns = ("judge kappa", "overlap kappa", "judge AUC", "overlap AUC")
    table = _grid("cut", *columns, caption="overlap: share of the claim's content words")
    for cut in found.cuts:
        values = (cut.judge_kappa, cut.overlap_kappa, cut.judge_auc, cut.overlap_auc)
        _add(table, cut.name, *map(_short, values))
    return table


def pairs_table(pairs: Sequence[Pair]) -> Table:
    """Every pair of raters."""
    table = _grid("first", "second", "units", "exact", "kappa", "quadratic", "bias", left=2)
    for pair in _first(pairs, table):
        x = pair.summary
        values = map(_short, (x.exact, x.kappa, x.kappa_quadratic, x.bias))
        _add(table, pair.first, pair.second, str(x.n), *values)
    return table


def groups_table(groups: Mapping[str, GroupAgreement], what: str) -> Table:
    """Agreement by topic or by system."""
    table = _grid(what, "units", "exact", "kappa", "quadratic", "MAE", "bias")
    for name, x in _first(list(groups.items()), table):
        values = map(_short, (x.exact, x.kappa, x.kappa_quadratic, x.mae, x.bias))
        _add(table, name, str(x.n), *values)
    return table


def rankings_table(systems: Sequence[SystemAgreement]) -> Table:
    """How both sides rank systems by each measure."""
    columns = ("topics", "tau-b", "tau_AP", "Spearman", "Pearson", "by topic")
    caption = "rankings of systems; by topic: mean tau-b over topics"
    table = _grid("systems by", *columns, caption=caption)
    for system in systems:
        found, by_topic = system.over_all, system.by_topic.mean_kendall
        values = (found.kendall, found.tau_ap, found.spearman, found.pearson, by_topic)
        _add(table, system.measure, str(system.n_topics), *map(_short, values))
    return table


def scores_table(systems: Sequence[SystemAgreement]) -> Table:
    """How far both sides' scores of systems differ, and what is concluded from them."""
    caption = "decisions: pairs with the same significant winner, or none, on both sides"
    table = _grid("systems by", "RMSE", "decisions", "largest rank swap", caption=caption)
    for system in systems:
        swap, moved = system.over_all.largest_swap, "none"
        if swap is not None and swap.human_rank != swap.judge_rank:
            moved = f"{swap.run_id} from {swap.human_rank:g} to {swap.judge_rank:g}"
        decided = None if system.decisions is None else system.decisions.agreement
        _add(table, system.measure, _short(system.over_all.rmse), _short(decided), moved)
    return table


def ranking_remarks(systems: Sequence[SystemAgreement]) -> list[str]:
    """Say why values lack, each reason once for all its measures."""
    told: dict[str, list[str]] = {}
    for system in systems:
        for reason in (system.over_all.reason, system.decisions_reason):
            if reason is not None:
                told.setdefault(reason, []).append(system.measure)
    return [f"{', '.join(measures)}: {reason}" for reason, measures in told.items()]


def estimates_table(found: Sequence[MeanEstimate]) -> Table:
    """Means by people alone, by the judge alone, and by both."""
    table = _grid(
        "mean of",
        "system",
        "labelled",
        "human only",
        "judge only",
        "corrected (PPI++)",
        caption="95% intervals, right if the labelled units are a random sample of all; "
        "that of the judge alone does not know of its bias",
        left=2,
    )
    for one in _first(found, table):
        x = one.estimates
        labelled = f"{x.n_human} of {x.n_human + x.n_rest} {one.unit}s"
        values = map(_estimate, (x.human, x.judge, x.ppi_tuned))
        _add(table, one.measure, one.run_id, labelled, *values)
    return table


def calibration_table(found: Evaluation) -> Table:
    """The judge's own labels and the calibrated ones, on topics left out."""
    caption = f"{found.n} units of {found.n_topics} topics, each calibrated by other topics"
    table = _grid("labels", "exact", "kappa", "quadratic", "MAE", "bias", caption=caption)
    for name, x in (("as judged", found.raw), ("calibrated", found.calibrated)):
        _add(table, name, *map(_short, (x.exact, x.kappa, x.kappa_quadratic, x.mae, x.bias)))
    return table


def _first(rows: Sequence[T], table: Table) -> Sequence[T]:
    """The rows that are shown of many; the caption says how many there are besides."""
    if len(rows) > MOST:
        more = f"{len(rows) - MOST:,} more: --json holds all"
        table.caption = Text("; ".join(filter(None, (str(table.caption), more))))
    return rows[:MOST]


def _estimate(found: Estimate | None) -> str:
    return "–" if found is None else f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _grid(*columns: str, caption: str = "", left: int = 1) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        caption=Text(caption),
        caption_justify="left",
        pad_edge=False,
    )
    for place, name in enumerate(columns):
        justify: JustifyMethod = "left" if place < left else "right"
        table.add_column(Text(name), justify=justify, overflow="fold")
    return table


def _add(table: Table, *cells: str) -> None:
    """Add a row as it stands: an id may hold what rich takes for markup."""
    table.add_row(*map(Text, cells))


def _say(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _range(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}]"
