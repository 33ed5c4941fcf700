// A topic: what was asked, and which system's answer holds which nugget.

async function viewTopic([id]) {
  const data = await topicOf(id);
  const { topic } = data;
  return [
    h("p.kicker", {}, "Topic"), h("h1", {}, topic.title || topic.topic_id),
    topic.narrative ? h("blockquote.narrative", {}, topic.narrative) : note("The narrative is not at hand."),
    topic.background ? h("p.background", {}, topic.background) : null,
    data.answers.length ? section("Answers", topicScores(data)) : null,
    topic.sub_narratives.length && data.answers.length && data.nuggets.length ? section("Sub-narratives", coverage(data)) : null,
    data.nuggets.length ? section("Nuggets", nuggetMatrix(data)) : null,
    data.passages.length ? section("Passages", passageTable(data)) : null,
  ];
}

function topicScores(data) {
  const rows = data.answers.map(({ run_id: run }) => [
    rowHead(link(toAnswer(run, data.id), run)),
    ...overview.measures.map((measure) => topicScore(overview.cells[measure]?.[run]?.[data.id]))]);
  return table(`Scores on ${data.id}`, ["system", ...overview.measures.map((m) => num(words(m), { sort: true }))], rows);
}

function topicScore(found) {
  const [value, , , , reason] = found ?? [];
  return { show: h("span", { title: reason }, score(value)), key: value ?? -1 };
}

/** Whether an answer covers a group of nuggets: the best label of its vital ones. */
function best(data, answer, wanted) {
  const labels = answer.nuggets.filter((n) => wanted(data.nugget.get(n.nugget_id))).map((n) => n.label);
  if (!labels.length) return null;
  return ["full", "partial"].find((label) => labels.includes(label)) ?? (labels.includes(null) ? "failed" : "none");
}

function coverage(data) {
  const rows = data.topic.sub_narratives.map((part, place) => {
    const vital = (nugget) => nugget?.group === place && nugget.importance === "vital";
    const size = data.nuggets.filter(vital).length;
    const covered = (state) => h("td.center", {}, state ? mark(state) : h("span", { title: "no vital nugget" }, dash));
    return [h("th.prose", { scope: "row" }, `${part.sub_id}. ${part.text} `, importance(part)), h("td.number", {}, String(size)),
      ...data.answers.map((answer) => covered(best(data, answer, vital)))];
  });
  const heads = ["sub-narrative", num("vital nuggets"), ...data.answers.map((a) => ({ text: a.run_id, center: true }))];
  return [table("Which system covers which sub-narrative", heads, rows, wide("table.matrix", data.answers.length)),
    note("The best label among the vital nuggets of the sub-narrative.")];
}

/** Vital or okay, null where that is not said. */
const importance = (of) => (of?.importance ? h(`span.importance.${of.importance}`, {}, of.importance) : null);

function nuggetMatrix(data) {
  const filter = { importance: "", label: "", text: "" };
  const heads = ["nugget", "", ...data.answers.map((a) => ({ text: link(toAnswer(a.run_id, data.id), a.run_id), center: true }))];
  const body = [];
  for (const [title, nuggets] of groupsOf(data)) {
    body.push({ row: h("tr.group", {}, h("th", { colspan: heads.length, scope: "rowgroup" }, title)) });
    for (const nugget of nuggets) body.push({ nugget, row: nuggetRow(data, nugget) });
  }
  const made = table("Which answer holds which nugget", heads, [], wide("table.matrix", data.answers.length));
  made.querySelector("tbody").append(...body.map((entry) => entry.row));
  const apply = () => body.forEach(({ nugget, row }) => { row.hidden = Boolean(nugget) && !matches(data, nugget, filter); });
  const set = (name) => (value) => { filter[name] = value; apply(); };
  return [h("div.controls", {}, choice("importance", [["", "any"], "vital", "okay"], "", set("importance")),
    choice("held by", [["", "any number"], ["all", "every system"], ["some", "some"], ["no", "no system"]], "", set("label")),
    searchBox("nuggets with", (value) => set("text")(value.toLowerCase()))), made];
}

function searchBox(label, change) {
  const input = h("input", { type: "search", on: { input: () => change(input.value) } });
  return h("label.choice", {}, h("span", {}, label), input);
}

function groupsOf(data) {
  const groups = new Map(data.topic.sub_narratives.map((part, place) => [place, [`${part.sub_id}. ${part.text}`, []]]));
  for (const nugget of data.nuggets) {
    if (!groups.has(nugget.group)) groups.set(nugget.group, [nugget.group ?? "Of no sub-narrative", []]);
    groups.get(nugget.group)[1].push(nugget);
  }
  return [...groups.values()].filter(([, nuggets]) => nuggets.length);
}

function nuggetRow(data, nugget) {
  const heldBy = data.answers.map((answer) => answer.nuggets.find((n) => n.nugget_id === nugget.nugget_id));
  const text = nugget.judgments.length
    ? opener(data, nugget.judgments, nugget.text, () => row.firstChild, "button.text") : nugget.text;
  const held = (found) => {
    const state = mark(stateOf(found.label, found.asked ? "failed" : "unjudged"));
    return opener(data, found.judgments, state, () => row.firstChild, "button.cell");
  };
  const row = h("tr", { "data-nugget": nugget.nugget_id },
    h("th.prose", { scope: "row" }, text), h("td", {}, importance(nugget) ?? dash),
    heldBy.map((found) => h("td.center", {}, found ? held(found) : dash)));
  return row;
}

function matches(data, nugget, filter) {
  if (filter.importance && nugget.importance !== filter.importance) return false;
  if (filter.text && !nugget.text.toLowerCase().includes(filter.text)) return false;
  const full = data.answers.filter((a) => a.nuggets.find((n) => n.nugget_id === nugget.nugget_id)?.label === "full").length;
  return { "": true, all: full === data.answers.length, some: full > 0, no: full === 0 }[filter.label];
}

function passageTable(data) {
  const cited = new Map();
  for (const answer of data.answers) {
    for (const { passage } of answer.sentences.flatMap((sentence) => sentence.citations)) {
      if (passage !== null) cited.set(passage, (cited.get(passage) ?? new Set()).add(answer.run_id));
    }
  }
  const rank = (passage) => { const [judgment] = gradeOf(data, passage); return judgment && judgment.status === "ok" ? judgment.label : -1; };
  const rows = [...data.passages].sort((a, b) => rank(b) - rank(a)).map((passage) => [
    rowHead(link(toPassage(data.id, passage.docid), passage.docid)),
    { show: gradeOf(data, passage).map(labelled), key: rank(passage) },
    prose(passage.title ? h("strong", {}, passage.title, " ") : null,
      passage.text ? clipped(data.text(passage.text), 140) : h("span.note", {}, "text not at hand")),
    [...(cited.get(passage.docid) ?? [])].join(", ") || dash]);
  return table("Passages that were graded or cited, best first", ["passage", { text: "grade", sort: true }, "text", "cited by"], rows);
}
