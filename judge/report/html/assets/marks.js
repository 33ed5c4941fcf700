// Labels as marks that need no colour, intervals as bars, and what a label rests on.

const STATES = {
  full: "full", partial: "partial", none: "none",
  failed: "no label: the judgment failed", unjudged: "not judged", invalid: "cites nothing that exists",
};

/** Share of the scale above which the text in a cell is light. */
const DARK = 0.74;

/** ● ◐ ○ × · as drawings, so that they look the same everywhere. */
function icon(state) {
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 1.7 };
  const shapes = {
    full: [svg("circle", { cx: 8, cy: 8, r: 6.4, fill: "currentColor" })],
    partial: [svg("circle", { cx: 8, cy: 8, r: 5.6, ...line }), svg("path", { d: "M8 2.4a5.6 5.6 0 0 1 0 11.2z", fill: "currentColor" })],
    none: [svg("circle", { cx: 8, cy: 8, r: 5.6, ...line })],
    failed: [svg("path", { d: "M3.5 3.5l9 9m0-9l-9 9", ...line, "stroke-width": 2.4 })],
    unjudged: [svg("circle", { cx: 8, cy: 8, r: 2, fill: "currentColor" })],
    invalid: [svg("path", { d: "M8 2v7.6m0 2.2v2.4", ...line, "stroke-width": 2.6 })],
  };
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, shapes[state] ?? shapes.unjudged);
}

function stateOf(label, status) {
  if (label !== null && label !== undefined) return String(label);
  return status === "unjudged" || status === "invalid" ? status : "failed";
}

function mark(state, text = STATES[state]) {
  return h(`span.mark.${state}`, { title: text }, icon(state), hidden(text));
}

/** A label of any task: a mark for what is held or supported, a plate for a grade. */
function labelled(unit) {
  const state = stateOf(unit.label, unit.status);
  if (state in STATES) return h("span.said", {}, mark(state), h("span", { "aria-hidden": "true" }, state));
  if (/^-?\d+$/.test(state)) return grade(state);
  return h("span.word", {}, state);
}

function grade(value) {
  return h("span.grade", { css: { "--v": Math.min(1, Math.max(0, Number(value) / 4)) }, title: `grade ${value}` }, String(value));
}

/** A mean on [0, 1] with its interval; what failed units could change is drawn as a thin line. */
function bar(row) {
  const x = (value) => 4 + 192 * Math.min(1, Math.max(0, value));
  const told = isNumber(row.ci_low) ? `${score(row.value)}, 95% interval ${score(row.ci_low)} to ${score(row.ci_high)}` : score(row.value);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((v) => svg("line", { class: "tick", x1: x(v), x2: x(v), y1: 3, y2: 17 }));
  const span = (low, high, name, y1 = 10) => svg("line", { class: name, x1: x(low), x2: x(high), y1, y2: y1 });
  return svg("svg", { viewBox: "0 0 200 20", class: "bar-chart", role: "img", "aria-label": told },
    svg("title", {}, told), ticks,
    row.n_failed && isNumber(row.low) ? span(row.low, row.high, "bounds") : null,
    isNumber(row.ci_low) ? span(row.ci_low, row.ci_high, "interval") : null,
    isNumber(row.value) ? svg("circle", { class: "point", cx: x(row.value), cy: 10, r: 4 }) : null);
}

/** The scale above the bars. */
function axis() {
  const at = [[4, "0", "start"], [100, ".5", "middle"], [196, "1", "end"]];
  const texts = at.map(([x, text, anchor]) => svg("text", { x, y: 11, "text-anchor": anchor }, text));
  return svg("svg", { viewBox: "0 0 200 14", class: "bar-chart axis", "aria-hidden": "true" }, texts);
}

/** Shares of labels as one divided bar, the labels named in it. */
function shares(counts, order) {
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  const names = order.filter((name) => counts[name]);
  return h("div.shares", { role: "img", "aria-label": names.map((n) => `${n} ${percent(counts[n], total)}`).join(", ") },
    names.map((name, place) => h(`span.share.${name in STATES ? name : "other"}`, {
      css: { "flex-grow": counts[name], "--v": names.length > 1 ? place / (names.length - 1) : 1 }, title: `${name}: ${count(counts[name])}`,
    }, counts[name] / total > 0.07 ? `${name} ${percent(counts[name], total)}` : "")));
}

function labelOrder(labels) {
  const fixed = ["none", "partial", "full", "failed"];
  return [...labels].sort((a, b) => (fixed.indexOf(a) - fixed.indexOf(b)) || a.localeCompare(b, "en", { numeric: true }));
}

// --- what a label rests on ---------------------------------------------------------------------

/** All there is to know of one judgment. */
function inspector(data, unit) {
  const [model, template, sha256] = data.makers[unit.maker];
  const facts = [
    ["label", labelled(unit)],
    unit.failure && ["failure", words(unit.failure)],
    unit.reason && ["reason", unit.reason],
    ...Object.entries(unit.detail ?? {}).filter(([name]) => name !== "others").map(([name, value]) => [words(name), detail(data, name, value)]),
    unit.flags?.length && ["flags", h("ul.plain", {}, unit.flags.map((flag) => h("li.flag", {}, words(flag))))],
    unit.source === "human" && ["by", "a person"],
    model && ["judge", model],
    template && ["template", [template, " ", h("code", {}, (sha256 ?? "").slice(0, 12))]],
  ].filter(Boolean);
  return h("div.inspector", { role: "group", "aria-label": `judgment ${unit.unit_id}` },
    h("div.inspector-head", {}, h("code", {}, unit.unit_id), link(toUnit(unit.unit_id), "link")),
    h("dl.facts", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    unit.probabilities ? probabilities(unit.probabilities) : null,
    evidence(data, unit, template));
}

function detail(data, name, value) {
  if (name === "sentences" && Array.isArray(value)) return value.map((place) => place + 1).join(", ") || dash;
  if (name === "parts" && value && typeof value === "object") return partsOf(data, value);
  if (value && typeof value === "object") return h("code", {}, JSON.stringify(value));
  return String(value);
}

/** What a passage says on each sub-narrative. */
function partsOf(data, parts) {
  const texts = new Map(data.topic.sub_narratives.map((part) => [part.sub_id, part.text]));
  return h("ul.plain", {}, Object.entries(parts).map(([id, found]) =>
    h("li", {}, mark({ detailed: "full", mentioned: "partial", absent: "none" }[found] ?? "unjudged", found), ` ${found}: `, texts.get(id) ?? id)));
}

function probabilities(shares) {
  const meter = (share) => h("span.meter", { css: { "--v": share } });
  const rows = labelOrder(Object.keys(shares)).map((label) => [label, score(shares[label]), meter(shares[label])]);
  return table("Probabilities of the labels", ["label", num("p"), ""], rows, "table.narrow");
}

function evidence(data, unit, template) {
  const call = unit.call === null ? null : data.calls[unit.call];
  const text = overview.templates.find((t) => t.name === template)?.text;
  const attempts = (unit.attempts ?? []).map((number) => data.attempts[number]);
  return h("div.evidence", {},
    call ? promptFold(data, "Prompt", call)
      : text ? fold("Prompt template", () => h("pre", {}, text)) : null,
    call ? fold("Raw reply", () => h("pre", {}, data.text(call.reply))) : null,
    (unit.others ?? []).map((number, i) => [
      promptFold(data, `Prompt ${i + 2}`, data.calls[number]),
      fold(`Raw reply ${i + 2}`, () => h("pre", {}, data.text(data.calls[number].reply)))]),
    call ? null : note("prompt and raw reply are not in the store", overview.has_store ? "" : " (no store was found; --cache names one)"),
    attempts.map((a, i) => fold(`Unusable attempt ${i + 1}: ${words(a.failure)}`,
      () => [h("p", {}, a.message), a.raw === null ? null : h("pre", {}, data.text(a.raw))])));
}

function promptFold(data, title, call) {
  return fold(title, () => call.messages.map(([role, lines]) => [h("h3", {}, role), h("pre", {}, data.text(lines))]));
}

/** A button that opens the inspectors of some judgments after `place`. */
function opener(data, numbers, content, place, spec = "button.chip") {
  const units = numbers.map((number) => data.judgments[number]);
  const button = h(spec, { type: "button", "aria-expanded": "false", disabled: !units.length }, content);
  let opened = null;
  button.addEventListener("click", () => {
    if (opened) opened.remove();
    opened = opened ? null : h("div.opened", {}, units.map((unit) => inspector(data, unit)));
    button.setAttribute("aria-expanded", String(Boolean(opened)));
    if (opened) place().append(opened);
  });
  if (units.length) button.dataset.unit = units.map((unit) => unit.unit_id).join("\n");
  return button;
}
