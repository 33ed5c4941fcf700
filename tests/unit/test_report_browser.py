"""The report in a real browser: every view, with hostile text in every field."""

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest

from judge.report.html.serve import ReportServer
from judge.types import Unit
from tests.browser import Browser, browser, required
from tests.reports import DOCIDS, EVIL, FAILED, RUNS, TOPICS_IDS, Folder, hostile

TOPIC, RUN = TOPICS_IDS[0], RUNS[0]


def address(*parts: str) -> str:
    return "#/" + "/".join(quote(part, safe="") for part in parts)


VIEWS = {
    "overview": "#/",
    "topic": address("topic", TOPIC),
    "the other topic": address("topic", TOPICS_IDS[1]),
    "answer": address("answer", RUN, TOPIC),
    "an answer with a failure": address("answer", RUNS[1], TOPICS_IDS[1]),
    "an answer that holds nothing": address("answer", RUNS[2], TOPIC),
    "passage": address("passage", TOPIC, DOCIDS[0]),
    "another passage": address("passage", TOPIC, DOCIDS[1]),
    "units": "#/units",
    "agreement": "#/agreement",
    "health": "#/health",
}
OPEN_ALL = """
    for (const button of document.querySelectorAll('main button[data-unit], .more')) button.click();
    for (const fold of document.querySelectorAll('main details')) fold.open = true;
"""
OVERFLOW = "return document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = hostile(tmp_path_factory.mktemp("hostile"))
    made.report()
    return made


@pytest.fixture(scope="module")
def page(folder: Folder) -> Iterator[Browser]:
    required()
    with browser() as opened:
        opened.open((folder.path / "report.html").as_uri())
        yield opened


def quiet(page: Browser) -> None:
    """Nothing planted has run, nothing was refused, and nothing went wrong."""
    assert page.run("return [window.planted ?? null, window.alerted ?? null]") == [None, None]
    assert page.complaints() == []


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_with_all_that_folds_out_and_runs_nothing(
    page: Browser, view: str
) -> None:
    page.go(VIEWS[view])
    page.run(OPEN_ALL)
    page.run("return new Promise((done) => setTimeout(done, 50))")
    assert page.all("main h1")
    assert not page.all("main [role=alert]")
    assert not page.all("main img, main script, main iframe, main [onerror], main [onload]")
    quiet(page)


def test_hostile_text_is_shown_as_it_is(page: Browser) -> None:
    page.go(VIEWS["answer"])
    page.run(OPEN_ALL)
    shown = page.text()
    for field in ("narrative", "first", "second", "nugget 1", "reason", "sys", "ask", "replied"):
        assert f"{field} {EVIL}" in shown, field
    page.go(VIEWS["passage"])
    assert f"passage 0 {EVIL}\nits second line" in page.text()
    assert not page.all("main a[href^=javascript]")
    page.go(VIEWS["topic"])
    for field in ("title", "narrative", "background", "part one", "nugget 3"):
        assert f"{field} {EVIL}" in page.text(), field


def test_the_policy_stops_what_the_page_would_not_do_itself(page: Browser) -> None:
    page.go("#/")
    script = "const s = document.createElement('script'); s.text = 'window.planted = 9';"
    for attempt in (
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>');",
        f"{script} document.body.append(s);",
        "document.body.setAttribute('onclick', 'window.planted = 9'); document.body.click();",
    ):
        page.run(f"try {{ {attempt} }} catch (error) {{}}")
    reached = page.run(
        "return fetch('http://127.0.0.1:9/').then(() => 'out', () => 'in')",
    )
    assert reached == "in"
    assert page.run("return window.planted ?? null") is None
    assert page.complaints() != []


def test_filters_let_through_what_they_say(page: Browser) -> None:
    page.go("#/units")

    def units() -> int:
        return len(page.all("main tbody tr"))

    assert units() == 18 + 6 + 2 + 2 + 2 + 2 + 4
    page.choose("status", "failed")
    assert units() == 1
    assert f"raw {EVIL}" not in page.text()
    page.one("main tbody button").click()
    assert "Unusable attempt 1: parse" in page.text()
    page.choose("status", "")
    page.choose("task", "assign")
    page.choose("system", RUNS[1])
    page.choose("topic", TOPIC)
    assert units() == 3
    page.choose("label", "full")
    assert units() == 0
    page.choose("label", "partial")
    assert units() == 3
    page.go("#/units?q=NUGGET+2")
    assert units() == 6
    page.go(f"#/units?flag={quote(f'injection_suspected:{EVIL}')}")
    assert units() == 4
    quiet(page)


def test_the_search_box_finds_units(page: Browser) -> None:
    page.go("#/")
    page.one("#query").send_keys("second line\n")
    page.wait(lambda: "Units" in page.text("h1"))
    page.one("#query").clear()
    page.one("#query").send_keys("nugget 3\n")
    page.wait(lambda: len(page.all("main tbody tr")) == 6)


def test_nuggets_of_a_topic_are_filtered(page: Browser) -> None:
    page.go(VIEWS["topic"])

    def shown() -> int:
        return len([row for row in page.all("tr[data-nugget]") if row.is_displayed()])

    assert shown() == 3
    page.choose("importance", "okay")
    assert shown() == 1
    page.choose("importance", "")
    page.choose("held by", "no")
    assert shown() == 0
    page.choose("held by", "some")
    assert shown() == 3


def test_disagreements_are_filtered(page: Browser) -> None:
    page.go("#/agreement")
    assert "2 units of 2" in page.text()
    page.choose("human → judge", "full → none")
    assert "1 unit of 2" in page.text()
    page.choose("system", RUNS[0])
    assert "0 units of 2" in page.text()


UNITS = (
    Unit(task="assign", topic_id=TOPIC, run_id=RUN, nugget_id="n1"),
    Unit(task="assign", topic_id=TOPIC, run_id=RUNS[2], nugget_id="n3"),
    Unit(task="support", topic_id=TOPIC, run_id=RUNS[1], sentence=0, docid=DOCIDS[0]),
    Unit(task="relevance", topic_id=TOPIC, docid=DOCIDS[1]),
    Unit(task="locate", topic_id=TOPICS_IDS[1], nugget_id="n1", docid=DOCIDS[0]),
    Unit(task="importance", topic_id=TOPIC, nugget_id="n1"),
    Unit(task="weigh", topic_id=TOPIC, run_id=RUN, sentence=0),
    Unit(task="create", topic_id=TOPIC, window=f"0-{EVIL}"),
    FAILED,
)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.task)
@pytest.mark.parametrize("form", ["#unit:{plain}", "#unit:{encoded}", "#{encoded}"])
def test_a_link_goes_to_its_unit(page: Browser, unit: Unit, form: str) -> None:
    page.go("#/health")
    encoded = quote(unit.unit_id, safe="")
    page.go(form.format(plain=unit.unit_id, encoded=encoded))
    assert len(page.all(".target")) == 1
    told = page.run(
        "return [...document.querySelectorAll('.inspector code')].map((c) => c.textContent)"
    )
    assert unit.unit_id in told
    assert page.one(".target").is_displayed()
    quiet(page)


def test_an_address_of_nothing_says_so(page: Browser) -> None:
    for hash_ in ("#unit:assign|nowhere|x|y", "#/nothing", "#/topic/none", "#/answer/x/y", "#%zz"):
        page.go(hash_)
        assert page.all("main [role=alert]"), hash_
    page.go("#/")
    assert not page.all("main [role=alert]")


def test_links_lead_from_view_to_view(page: Browser) -> None:
    page.go("#/")
    page.one("table.heat td a").click()
    page.wait(lambda: page.all(".answer"))
    page.one(".sentence a.go").click()
    page.wait(lambda: page.all(".passage"))
    assert f"passage 0 {EVIL}" in page.text(".passage")
    page.one(".kicker a").click()
    page.wait(lambda: page.all("tr[data-nugget]"))
    page.driver.back()
    page.wait(lambda: page.all(".passage"))


def test_a_citation_opens_on_what_its_label_rests_on(page: Browser) -> None:
    page.go(VIEWS["answer"])
    chip = page.one("button.chip")
    assert chip.get_attribute("aria-expanded") == "false"
    chip.send_keys("\n")
    assert chip.get_attribute("aria-expanded") == "true"
    assert [h.text for h in page.all(".evidence summary")] == ["Prompt", "Raw reply"]
    chip.send_keys(" ")
    assert not page.all(".inspector")


def test_a_nugget_says_why_it_is_not_grounded(page: Browser) -> None:
    page.go(VIEWS["answer"])
    assert "not grounded: cited document does not hold it" in page.text(".held")


def test_the_passage_says_what_it_has_on_each_sub_narrative(page: Browser) -> None:
    page.go(VIEWS["passage"])
    parts = page.text(".inspector")
    assert f"detailed: part one {EVIL}" in parts
    assert "absent: part two" in parts
    assert "extra" in parts


def test_health_counts_failures_flags_and_samples(page: Browser) -> None:
    page.go("#/health")
    sections = {h.text: h for h in page.all("main h2")}
    assert {"Labels", "Failed units", "Unusable attempts", "Flags", "Samples"} <= set(sections)
    text = re.sub(r"\s+", " ", page.text())
    assert "samples differ" in text
    assert "relevance44100%" in text.replace(" ", "")


def test_the_overview_tells_scores_groups_bounds_and_correlations(page: Browser) -> None:
    page.go("#/")
    text = page.text()
    assert "strict vital recall" in text
    assert re.search(r"Holm over 3 pairs", text)
    assert "if all failed judgments were the worst, or the best" in text
    assert "Pearson r" in text
    assert [row.text for row in page.all("table.board tbody th")] == list(RUNS)
    assert page.all("table.board svg.bar-chart[role=img]")


def test_a_column_sorts(page: Browser) -> None:
    page.go("#/")
    buttons = page.all("table.board button.sort")

    def keys() -> list[float]:
        cells = page.all("table.board tbody tr > :nth-child(3)")
        return [float(cell.get_attribute("data-key") or "") for cell in cells]

    buttons[0].click()
    assert keys() == sorted(keys(), reverse=True)
    buttons[0].click()
    assert keys() == sorted(keys()) != sorted(keys(), reverse=True)
    assert page.all("table.board th[aria-sort=ascending]")


def test_people_without_a_mouse_or_without_sight_find_their_way(
    page: Browser, folder: Folder
) -> None:
    page.open((folder.path / "report.html").as_uri())
    page.one("body").send_keys("\t")
    assert page.run("return document.activeElement.className") == "skip"
    page.run("document.activeElement.click()")
    assert page.run("return document.activeElement.id") == "main"
    for view in VIEWS.values():
        page.go(view)
        assert page.run("return document.activeElement.id") == "main"
        assert page.run(
            "return [...document.querySelectorAll('table')].every((t) => t.caption"
            " && t.querySelector('thead th[scope=col]'))"
        )
        nameless = page.run(
            "return [...document.querySelectorAll('button, a, select, input')].filter((e) =>"
            " !e.textContent.trim() && !e.closest('label')?.textContent.trim()"
            " && !e.labels?.length).length"
        )
        assert nameless == 0, view
        assert page.run("return document.querySelectorAll('[tabindex]').length") > 0
    assert page.run("return document.documentElement.lang") == "en"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_are_legible(page: Browser, theme: str) -> None:
    page.emulate(prefers_color_scheme=theme)
    for view in ("#/", VIEWS["answer"], "#/health"):
        page.go(view)
        assert page.run(CONTRAST) == []
    page.one("#theme").click()
    page.go("#/")
    assert page.run(CONTRAST) == []
    page.one("#theme").click()
    page.emulate(prefers_color_scheme="light")


CONTRAST = """
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour) => {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (node) => {
      for (let e = node; e; e = e.parentElement) {
        const colour = rgb(getComputedStyle(e).backgroundColor);
        if (colour[3] === 255) return colour;
      }
      return [255, 255, 255];
    };
    const faint = [];
    for (const node of document.querySelectorAll('main *')) {
      const own = [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
      if (!own || !node.getClientRects().length || node.closest('.sr, svg')) continue;
      const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4) faint.push(`${node.className}: ${node.textContent.slice(0, 30)} ${ratio}`);
    }
    return faint;
"""


def test_a_phone_shows_every_view_without_scrolling_sideways(page: Browser) -> None:
    page.resize(390, 844)
    try:
        for name, view in VIEWS.items():
            page.go(view)
            page.run(OPEN_ALL)
            assert page.run(OVERFLOW) <= 0, name
    finally:
        page.resize(1280, 900)


def test_it_prints(page: Browser) -> None:
    page.go(VIEWS["answer"])
    page.run(OPEN_ALL)
    page.emulate(prefers_color_scheme="dark")
    page.command("Emulation.setEmulatedMedia", media="print")
    assert not page.one(".bar").is_displayed()
    paper = page.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert page.command("Page.printToPDF", printBackground=True)["data"]
    page.command("Emulation.setEmulatedMedia", media="")
    assert paper == "rgb(253, 252, 249)"


def test_a_large_report_is_served_whole_and_runs_nothing(tmp_path: Path) -> None:
    required()
    written = hostile(tmp_path / "x").report(largest=1)
    assert written.folder
    server = ReportServer(written)
    thread = Thread(target=server.run)
    thread.start()
    try:
        with browser() as page:
            page.open(server.url)
            for view in VIEWS.values():
                page.go(view)
                assert not page.all("main [role=alert]")
            assert f"passage 0 {EVIL}" not in page.text()
            page.go(VIEWS["passage"])
            assert f"passage 0 {EVIL}" in page.text()
            quiet(page)
    finally:
        server.stop()
        thread.join()
