// The overview: who did how well and what can be told apart, topic by topic, and what made it.

function viewOverview() {
  return [
    h("h1", {}, overview.run),
    facts(),
    overview.measures.length ? [leaderboard(), h("div.columns", {}, heatMap(), overview.retrieval ? scatter(overview.retrieval) : null)]
      : note("No answers were labelled in this run, so there are no scores."),
    topicsSection(),
    made(),
  ];
}

function facts() {
  const { manifest, health, account } = overview;
  const units = health.tasks.reduce((sum, t) => sum + t.ok + t.failed, 0);
  const failed = health.tasks.reduce((sum, t) => sum + t.failed, 0);
  const sum = (name) => account.reduce((total, row) => total + row[name], 0);
  const listed = [
    ["judge", manifest?.model ?? dash],
    ["begun", manifest ? h("time", { datetime: manifest.created }, `${manifest.created.slice(0, 16).replace("T", " ")} UTC`) : dash],
    ["topics", count(overview.topics.length)],
    ["systems", count(overview.runs.length)],
    ["units judged", [count(units - failed), failed ? [", ", link(toUnits({ status: "failed" }), `${count(failed)} failed`)] : null]],
    ["requests", `${count(sum("sent"))} sent, ${count(sum("stored"))} from the store`],
    ["cost", dollars({ cost: sum("cost"), unpriced: sum("unpriced") })],
    ["templates", overview.templates.map((t) => t.name).join(", ") || dash],
  ];
  return h("dl.summary", {}, listed.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// --- leaderboard -------------------------------------------------------------------------------

const BOUNDS = "the bounds if all failed judgments were the worst, or the best";

function leaderboard() {
  const [primary, ...others] = overview.measures;
  const letters = overview.significance?.letters ?? {};
  const lettered = Object.keys(letters).length > 0;
  const heads = ["system", { text: [words(primary), axis()], title: "the mean over topics, with its 95% interval" },
    num("mean", { sort: true }), ...(lettered ? [{ text: "group", title: "systems that share a letter do not differ" }] : []),
    ...others.map((measure) => num(words(measure), { sort: true }))];
  const mean = (measure, run) => overview.means[measure]?.[run];
  const rows = overview.runs.map((run) => {
    const first = mean(primary, run);
    return [rowHead(run), first ? bar(first) : dash, cell(first, true),
      ...(lettered ? [h("td.letters", {}, letters[run] ?? dash)] : []), ...others.map((measure) => cell(mean(measure, run)))];
  });
  return section("Leaderboard", table("Means over topics, best first", heads, rows, "table.board"), remarks());
}

function cell(row, primary = false) {
  if (!row) return { show: dash, key: "-1" };
  const spread = isNumber(row.se) ? small(" ±", score(row.se, 2)) : null;
  const bounds = row.n_failed
    ? h("small.bounds-text", { title: BOUNDS }, `[${score(row.low, 2)}, ${score(row.high, 2)}]`) : null;
  const value = h(primary ? "strong" : "span", { title: row.reason }, score(row.value));
  return { show: [value, spread, bounds], key: isNumber(row.value) ? row.value : -1 };
}

/** What must be known to read the means. */
function remarks() {
  const told = new Map();
  const tell = (text, run) => text && told.set(text, [...(told.get(text) ?? []), run]);
  for (const [measure, rows] of Object.entries(overview.means)) {
    for (const [run, row] of Object.entries(rows)) {
      if (row.n_missing) tell(`no answer to ${row.n_missing} of ${row.n_topics} topics, counted 0`, run);
      if (row.n_undefined) tell(`${words(measure)} is undefined on ${plural(row.n_undefined, "topic")}, left out of its mean`, run);
      if (row.reason) tell(`${words(measure)}: ${row.reason}`, run);
    }
  }
  const failed = Object.values(overview.means).some((rows) => Object.values(rows).some((row) => row.n_failed));
  return h("div.notes", {},
    note("Mean over topics ± standard error; bars are 95% bootstrap intervals over topics. ", groupsTold(),
      failed ? ` Thin lines and [low, high] are ${BOUNDS}.` : ""),
    [...told].map(([text, runs]) => note(`${runs.length === overview.runs.length ? "all systems" : [...new Set(runs)].join(", ")}: ${text}`)));
}

function groupsTold() {
  const found = overview.significance;
  if (!found) return null;
  if (!Object.keys(found.letters).length) return `No significance groups: ${found.reason}.`;
  const test = `paired randomisation test, Holm over ${plural(found.n_pairs, "pair")}, α ${found.alpha}`;
  return `Systems with a letter in common do not differ in ${words(found.measure)} (${test}).`;
}

// --- heat map ----------------------------------------------------------------------------------

function heatMap() {
  const place = h("div");
  const draw = (measure) => place.replaceChildren(heatTable(measure));
  draw(overview.measures[0]);
  const named = overview.measures.map((measure) => [measure, words(measure)]);
  return section("By topic", h("div.controls", {}, choice("measure", named, overview.measures[0], draw)), place);
}

function heatTable(measure) {
  const cells = overview.cells[measure] ?? {};
  const runs = overview.runs.filter((run) => cells[run]);
  const rows = overview.topics.map((topic) => [
    rowHead(link(toTopic(topic.topic_id), topic.topic_id), " ", h("span.about", {}, clipped(topic.title || topic.narrative, 46))),
    ...runs.map((run) => heatCell(run, topic.topic_id, cells[run][topic.topic_id])),
  ]);
  const mean = (run) => [overview.means[measure]?.[run]?.value, null, null, 0, null];
  rows.push([rowHead("mean"), ...runs.map((run) => heatCell(run, null, mean(run)))]);
  return table(`${words(measure)} by topic and system`, ["topic", ...runs], rows, wide("table.heat", runs.length));
}

function heatCell(run, topic, found) {
  if (!found) return h("td.heat-cell.empty", { title: "no value" }, dash);
  const [value, low, high, failed, reason] = found;
  const bounds = failed ? `${failed} failed, [${score(low)}, ${score(high)}]` : "";
  const title = [`${run}${topic ? ` on ${topic}` : ", mean"}: ${score(value)}`, bounds, reason].filter(Boolean).join("; ");
  const shown = [score(value, 2), failed ? h("sup", {}, "×") : null];
  const css = isNumber(value) ? { "--v": Math.min(1, Math.max(0, value)) } : {};
  return h(isNumber(value) ? (value > DARK ? "td.heat-cell.strong" : "td.heat-cell") : "td.heat-cell.empty", { css, title },
    topic ? h("a", { href: toAnswer(run, topic), "aria-label": title }, shown) : shown);
}

// --- retrieval against RAG ---------------------------------------------------------------------

function scatter(found) {
  const place = h("div.figure");
  let [x, y] = [found.measures[0], found.rag.find((m) => /coverage/.test(m)) ?? found.rag[0]];
  const draw = () => place.replaceChildren(plot(found.points[x][y], x, y, found.correlations[x][y]));
  draw();
  return section("Retrieval against answers",
    h("div.controls", {}, choice("retrieval", found.measures, x, (v) => { x = v; draw(); }),
      choice("answers", found.rag.map((m) => [m, words(m)]), y, (v) => { y = v; draw(); })),
    place, found.unmatched.length ? note(`Without a retrieval run of their name: ${found.unmatched.join(", ")}.`) : null);
}

function plot(points, xName, yName, found) {
  const [X, Y] = [(v) => 60 + 500 * v, (v) => 330 - 300 * v];
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((v) => [
    svg("line", { class: "tick", x1: X(v), x2: X(v), y1: Y(0), y2: Y(1) }), svg("line", { class: "tick", x1: X(0), x2: X(1), y1: Y(v), y2: Y(v) }),
    svg("text", { x: X(v), y: 348, "text-anchor": "middle" }, score(v, 2)), svg("text", { x: 52, y: Y(v) + 4, "text-anchor": "end" }, score(v, 2))]);
  const name = (run, x, y) => svg("text", {
    x: X(x) + (x > 0.8 ? -9 : 9), y: Y(y) + (y > 0.93 ? 14 : -7), "text-anchor": x > 0.8 ? "end" : "start",
  }, run);
  const dots = points.map(([run, x, y]) => svg("g", {}, svg("title", {}, `${run}: ${score(x)}, ${score(y)}`),
    svg("circle", { class: "point", cx: X(x), cy: Y(y), r: 4.5 }), points.length <= 40 ? name(run, x, y) : null));
  const told = correlationTold(found);
  const about = { viewBox: "0 0 600 390", class: "plot", role: "img", "aria-label": `${xName} against ${yName}: ${told}` };
  return h("div", {}, svg("svg", about, grid, dots,
    svg("text", { class: "axis", x: X(0.5), y: 378, "text-anchor": "middle" }, xName),
    svg("text", { class: "axis", transform: "translate(14 180) rotate(-90)", "text-anchor": "middle" }, words(yName))),
  note(told));
}

function correlationTold({ n, pearson: r, spearman, kendall }) {
  if (!isNumber(r.value)) return `no correlation: ${r.reason}; n = ${n}`;
  const interval = isNumber(r.ci_low) ? ` (95% interval ${score(r.ci_low, 2)} to ${score(r.ci_high, 2)})` : "";
  const others = `Kendall τ ${score(kendall.value)}, Spearman ρ ${score(spearman.value)}`;
  return `Pearson r ${score(r.value)}${interval}, ${others}, n = ${n} systems`;
}

// --- topics, and what made the run -------------------------------------------------------------

function topicsSection() {
  const rows = overview.topics.map((t) => [
    rowHead(link(toTopic(t.topic_id), t.topic_id)), h("td.prose", {}, clipped(t.title || t.narrative, 150)),
    count(t.sub_narratives), t.nuggets ? `${count(t.nuggets)} (${t.vital})` : dash, count(t.answers), count(t.units),
    t.failed ? link(toUnits({ topic: t.topic_id, status: "failed" }), count(t.failed)) : "0"]);
  const heads = ["topic", "narrative", num("parts", { title: "sub-narratives" }), num("nuggets (vital)"),
    num("answers"), num("units"), num("failed")];
  return section("Topics", table("Topics of the run", heads, rows));
}

function made() {
  const { manifest, account } = overview;
  if (!manifest && !account.length) return null;
  const counted = ["sent", "stored", "unusable", "prompt_tokens", "completion_tokens"];
  const costs = account.map((row) => [row.task, ...counted.map((name) => count(row[name])), dollars(row)]);
  const heads = ["task", num("sent"), num("from store"), num("unusable"), num("prompt tokens"), num("reply tokens"), num("cost")];
  const text = (t) => (t.text === null ? note("Its text is not at hand: it has changed since, or lies elsewhere.") : h("pre", {}, t.text));
  return section("What made it",
    costs.length ? table("Requests, tokens and cost", heads, costs) : null,
    overview.templates.map((t) => fold([`${t.task}: ${t.name} `, h("code", {}, t.sha256.slice(0, 12))], () => text(t))),
    manifest ? fold("Manifest", () => h("pre", {}, JSON.stringify(manifest, null, 2))) : null);
}
