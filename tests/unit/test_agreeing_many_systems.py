"""Agreement on very many systems: work that grows with their number alone, and the same numbers."""

from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from judge.agreeing.agree import agree
from judge.agreement.groups import GroupAgreement
from judge.agreement.rankings import kendall, rank_agreement
from judge.report.agreement import MOST, groups_table, print_agreement
from judge.types import SUPPORTS, Support
from tests.agreeing import support

MANY = 3000


def test_the_labels_of_thousands_of_systems_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pairs of them, or a pass over all units for each, would take hours or all memory."""
    keys = [(f"run{n}", f"t{n % 2}") for n in range(MANY)]
    human = dict(zip(keys, ([label] for label in islice(cycle(SUPPORTS), MANY)), strict=True))
    judge: dict[tuple[str, str], list[Support]] = {
        key: ["full"] if n % 7 == 0 else human[key] for n, key in enumerate(keys)
    }
    found = agree([support(tmp_path / "human", human)], [support(tmp_path / "judge", judge)])
    same = sum(human[key] == judge[key] for key in keys)
    assert found.summary.n == len(found.by_run) == MANY
    assert found.summary.exact == pytest.approx(same / MANY)
    units = [one for one in found.estimates if one.unit == "unit"]
    assert [one.run_id for one in units] == ["all", *(run for run, _ in keys)]
    assert {one.run_id for one in found.estimates if one.unit == "topic"} == {k for k, _ in keys}
    assert all(one.over_all.n == MANY for one in found.systems)
    print_agreement(found)
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) < 4 * MOST
    assert f"{MANY - MOST:,} more: --json holds all" in " ".join(printed.split())


def test_a_table_of_as_many_rows_as_are_printed_is_whole() -> None:
    row = GroupAgreement(1, 1.0, None, None, 0.0, 0.0)
    for number, more in ((MOST, ""), (MOST + 1, "1 more: --json holds all")):
        table = groups_table({f"run{n}": row for n in range(number)}, "system")
        assert table.row_count == MOST
        assert str(table.caption) == more


def test_scipy_agrees_on_the_ranking_of_twenty_thousand_systems() -> None:
    chance = np.random.default_rng(5)
    human = chance.integers(0, 5000, 20_000).astype(np.float64)
    judge = human + chance.integers(-900, 900, len(human))
    assert kendall(human, judge) == pytest.approx(stats.kendalltau(human, judge).statistic)
    sides = [{str(n): float(x) for n, x in enumerate(side)} for side in (human, judge)]
    found = rank_agreement(*sides)
    assert found.n == len(human)
    assert found.kendall == kendall(human, judge)
    assert found.tau_ap is not None
    assert 0 < found.tau_ap < 1
