// How far people and the judge agree: labels, the order of systems, and where they differ.

const STATISTICS = [
  ["exact", "exact"], ["kappa", "Cohen κ"], ["kappa_linear", "κ linear"], ["kappa_quadratic", "κ quadratic"],
  ["alpha_nominal", "α nominal"], ["alpha_ordinal", "α ordinal"], ["mae", "mean error"], ["bias", "bias"],
];

function viewAgreement() {
  const { agreements, disagreements } = overview;
  const command = "rag-judge agree --human F --judge RUN --json > RUN/agreement.json";
  return [h("h1", {}, "Agreement"),
    agreements.length || disagreements.length ? null : note("No human labels were given. ", h("code", {}, command), " makes what stands here."),
    agreements.map(agreement), disagreements.length ? section("Disagreements", disagreementList(disagreements)) : null];
}

function agreement(found) {
  const toKnown = (id) => (overview.topics.some((t) => t.topic_id === id) ? link(toTopic(id), id) : id);
  return h("section", {},
    h("h2", {}, found.kind ?? "labels", small(` ${found.human} and ${found.judge}, ${plural(found.n, "unit")}`)),
    (found.warnings ?? []).map((text) => note(text)), found.reason ? note(found.reason) : null,
    h("div.columns", {}, confusion(found), statistics(found)),
    found.lexical ? note(lexicalTold(found.lexical)) : null,
    h("div.columns", {}, groups("By topic", found.topics, toKnown), groups("By system", found.systems, (id) => id)),
    found.rankings?.length ? rankings(found.rankings) : null,
    found.rankings_reason ? note(`No ranking of systems: ${found.rankings_reason}.`) : null);
}

function confusion(found) {
  const rows = found.confusion.map((counts, i) => {
    const total = counts.reduce((a, b) => a + b, 0);
    const cells = counts.map((n, j) => {
      const share = total ? n / total : 0;
      const title = `${n} units: human ${found.labels[i]}, judge ${found.labels[j]}`;
      return h(share > DARK ? "td.heat-cell.strong" : "td.heat-cell", { css: { "--v": share }, title }, count(n));
    });
    return [rowHead(String(found.labels[i])), ...cells, h("td.number", {}, count(total))];
  });
  const heads = ["human \\ judge", ...found.labels.map((label) => ({ text: String(label), center: true })), num("all")];
  return table("Human labels in rows, the judge's in columns", heads, rows, "table.heat.narrow");
}

function statistics(found) {
  const interval = ([low, high]) => `${score(low, 2)} to ${score(high, 2)}`;
  const rows = STATISTICS.map(([name, text]) => [text, score(found[name]), found.intervals?.[name] ? interval(found.intervals[name]) : ""]);
  return table("Statistics", ["", num("value"), "95% interval"], rows, "table.narrow");
}

function lexicalTold({ finding, reason, judge_kappa: judge, overlap_kappa: overlap }) {
  if (!finding) return `No comparison with word overlap: ${reason}.`;
  return `The judge is ${finding} word overlap: mean κ ${score(judge)} against ${score(overlap)}.`;
}

function groups(title, listed, shown) {
  const rows = Object.entries(listed ?? {}).map(([id, g]) =>
    [rowHead(shown(id)), count(g.n), score(g.exact), score(g.kappa), score(g.kappa_quadratic), score(g.bias)]);
  const heads = ["", num("units"), num("exact"), num("Cohen κ"), num("κ quadratic"), num("bias")];
  return rows.length ? table(title, heads, rows, "table.narrow") : null;
}

// --- the order of systems ----------------------------------------------------------------------

/** How people and the judge order the systems, by each measure; and one of them drawn. */
function rankings(listed) {
  const place = h("div");
  const show = (name) => place.replaceChildren(slopes(listed.find((found) => found.measure === name)));
  show(listed[0].measure);
  const rows = listed.map(({ measure, n_topics: topics, over_all: all }) => [words(measure), count(topics),
    score(all?.kendall), score(all?.tau_ap), score(all?.spearman), score(all?.rmse), all?.reason ?? ""]);
  const heads = ["measure", num("topics"), num("Kendall τ"), num("τ_AP"), num("Spearman ρ"), num("RMSE"), ""];
  const named = listed.map(({ measure }) => [measure, words(measure)]);
  return [table("Order of systems by people and by the judge", heads, rows, "table.narrow"),
    h("div.controls", {}, choice("measure", named, listed[0].measure, show)), place];
}

function slopes({ measure, human, judge }) {
  const order = (means) => Object.keys(means).sort((a, b) => means[b] - means[a]);
  const [left, right] = [order(human), order(judge)];
  const y = (place) => 34 + 22 * place;
  const text = (x, place, anchor, told) => svg("text", { x, y: y(place) + 4, "text-anchor": anchor }, told);
  const lines = left.filter((run) => run in judge).map((run) => {
    const [i, j] = [left.indexOf(run), right.indexOf(run)];
    return svg("line", { class: i === j ? "slope" : "slope moved", x1: 215, x2: 365, y1: y(i), y2: y(j) },
      svg("title", {}, `${run}: rank ${i + 1} by people, ${j + 1} by the judge`));
  });
  const told = `Order of systems by ${words(measure)}: people ${left.join(", ")}; judge ${right.join(", ")}`;
  const size = y(Math.max(left.length, right.length));
  return svg("svg", { viewBox: `0 0 580 ${size}`, class: "plot", role: "img", "aria-label": told },
    svg("text", { class: "axis", x: 205, y: 14, "text-anchor": "end" }, "people"), svg("text", { class: "axis", x: 375, y: 14 }, "judge"), lines,
    left.map((run, i) => text(205, i, "end", `${run}  ${score(human[run])}`)), right.map((run, i) => text(375, i, "start", `${score(judge[run])}  ${run}`)));
}

// --- where they differ -------------------------------------------------------------------------

function disagreementList(rows) {
  const place = h("div");
  const filters = {};
  const facets = { topic: (row) => row.topic_id, system: (row) => row.run_id, "human → judge": (row) => `${row.human ?? dash} → ${row.judge ?? dash}` };
  const heads = ["unit", "topic", "system", "human → judge", "about", "the judge's reason"];
  const cells = (row) => [rowHead(link(toUnit(row.unit_id), row.unit_id.split("|")[0])), row.topic_id ?? dash, row.run_id ?? dash,
    facets["human → judge"](row), prose(clipped(row.claim ?? row.docid ?? "", 200)), prose(clipped(row.reason ?? "", 200))];
  const show = () => {
    const kept = rows.filter((row) => Object.entries(filters).every(([name, value]) => !value || facets[name](row) === value));
    place.replaceChildren(note(`${plural(kept.length, "unit")} of ${count(rows.length)}`),
      table("Units on which people and the judge differ", heads, kept.slice(0, 1000).map(cells)));
  };
  show();
  const controls = Object.entries(facets).map(([name, pick]) =>
    choice(name, [["", "any"], ...new Set(rows.map(pick).filter(Boolean))], "", (value) => { filters[name] = value; show(); }));
  return [h("div.controls", {}, controls), place];
}
