// An answer, sentence by sentence, with its citations and the nuggets it holds; and a passage.

async function viewAnswer([run, id]) {
  const data = await topicOf(id);
  const answer = data.answer.get(run);
  if (!answer) throw new Error(`${run} has no labelled answer to ${id}`);
  const carried = new Set(answer.nuggets.filter((n) => n.sentences.length && n.label !== "none").map((n) => n.nugget_id));
  const elsewhere = answer.nuggets.filter((n) => !carried.has(n.nugget_id));
  return [
    h("p.kicker", {}, "Answer to ", link(toTopic(id), data.topic.title || id)), h("h1", {}, run),
    h("div.controls", {}, choice("system", data.answers.map((a) => a.run_id), run, (other) => { location.hash = toAnswer(other, id); }),
      choice("topic", overview.topics.map((t) => t.topic_id), id, (other) => { location.hash = toAnswer(run, other); })),
    data.topic.narrative ? h("blockquote.narrative", {}, data.topic.narrative) : null,
    answerScores(run, id), legend(),
    h("div.answer", {}, answer.sentences.map((sentence, place) => sentenceRow(data, answer, sentence, place))),
    answer.sentences.length ? null : note("The answer is empty, or its text is not at hand."),
    elsewhere.length ? section("Other nuggets", nuggetList(data, elsewhere)) : null,
  ];
}

function answerScores(run, id) {
  const known = overview.measures.map((m) => [m, overview.cells[m]?.[run]?.[id]]).filter(([, v]) => v);
  return h("dl.summary.tight", {}, known.map(([m, v]) => h("div", { title: v[4] }, h("dt", {}, words(m)), h("dd", {}, score(v[0])))));
}

function legend() {
  const one = (state, text) => h("span.key", {}, mark(state), ` ${text}`);
  const states = [["full", "full"], ["partial", "partial"], ["none", "none"], ["failed", "failed"], ["unjudged", "not judged"]];
  return h("p.legend", {}, "Support of the citation, or nugget held: ", states.map(([state, text]) => one(state, text)));
}

function sentenceRow(data, answer, sentence, place) {
  const below = h("div.below");
  const judged = sentence.citations.find((c) => c.status === "ok" || c.status === "failed");
  const state = judged ? stateOf(judged.label, judged.status) : sentence.citations.length ? "unjudged" : "uncited";
  const here = answer.nuggets.filter((n) => n.label !== "none" && n.sentences.includes(place));
  const chips = [
    sentence.citations.map((c) => citation(data, c, () => below)),
    sentence.more.map((number) => otherLabel(data, number, () => below)),
    sentence.citations.length ? null : h("span.uncited", {}, "no citation"),
  ];
  return h(`article.sentence.s-${state}`, { "aria-label": `Sentence ${place + 1}` },
    h("div.gutter", {}, String(place + 1)),
    h("div.said-text", {}, h("p", {}, sentence.text), h("div.chips", {}, chips)),
    h("div.held", {}, here.map((n) => heldNugget(data, n, () => below))), below);
}

function citation(data, found, place) {
  const state = stateOf(found.label, found.status);
  const label = [mark(state), found.docid ?? found.mention];
  if (found.docid === null) return h("span.chip", { title: STATES.invalid }, mark("invalid"), `${found.mention}: ${STATES.invalid}`);
  const numbers = found.judgment === null ? [] : [found.judgment];
  return h("span.pair", {}, numbers.length ? opener(data, numbers, label, place) : h("span.chip", {}, label),
    h("a.chip.go", { href: toPassage(data.id, found.passage), title: `passage ${found.docid}` }, "→", hidden(` passage ${found.docid}`)));
}

/** A label of a sentence that is not of one citation by itself. */
function otherLabel(data, number, place) {
  const unit = data.judgments[number];
  return opener(data, [number], [mark(stateOf(unit.label, unit.status)), words(unit.task), unit.docid ? `: ${unit.docid}` : ""], place);
}

function heldNugget(data, held, place) {
  const nugget = nuggetOf(data, held.nugget_id);
  const state = stateOf(held.label, held.asked ? "failed" : "unjudged");
  const text = [mark(state), h("span", {}, nugget?.text ?? held.nugget_id, " ", importance(nugget))];
  return h("div.nugget", {}, opener(data, held.judgments, text, place, "button.text"), grounds(held));
}

/** Whether the nugget is grounded in what the answer cites, and if not, why. */
function grounds(held) {
  if (held.grounded === undefined || held.label === "none") return null;
  if (held.grounded === true) return h("span.grounds", {}, "grounded");
  return h("span.grounds.lacking", {}, `${held.grounded === false ? "not grounded" : "grounding not known"}${held.why ? `: ${held.why}` : ""}`);
}

function nuggetList(data, listed) {
  const rows = listed.map((held) => {
    const nugget = nuggetOf(data, held.nugget_id);
    const state = stateOf(held.label, held.asked ? "failed" : "unjudged");
    const about = h("th.prose", { scope: "row" });
    put(about, [opener(data, held.judgments, nugget?.text ?? held.nugget_id, () => about, "button.text")]);
    return [about, importance(nugget) ?? dash, h("span.said", {}, mark(state), state),
      [held.label !== "none" && held.label !== null ? "no sentence named " : "", grounds(held)]];
  });
  return table("Nuggets that no sentence is named for", ["nugget", "", "label", ""], rows);
}

// --- a passage ---------------------------------------------------------------------------------

async function viewPassage([id, docid]) {
  const data = await topicOf(id);
  const passage = data.passage.get(docid);
  if (!passage) throw new Error(`no passage ${docid} was judged or cited for ${id}`);
  const units = passage.judgments.map((number) => data.judgments[number]);
  const graded = units.filter((unit) => unit.task === "relevance");
  const located = units.filter((unit) => unit.task === "locate");
  const rest = units.filter((unit) => !["relevance", "locate"].includes(unit.task));
  return [
    h("p.kicker", {}, "Passage for ", link(toTopic(id), data.topic.title || id)),
    h("h1", {}, passage.title || docid), passage.title ? h("p", {}, h("code", {}, docid)) : null, passage.url ? h("p.note", {}, passage.url) : null,
    passage.text ? h("div.passage", {}, data.text(passage.text)) : note("The text is not at hand: the run kept none, and no --corpus has it."),
    graded.length ? section("Relevance", graded.map((unit) => inspected(data, unit))) : null,
    section("Cited by", citedBy(data, docid)),
    located.length ? section("Nuggets", located.sort(bestFirst).map((unit) => locatedNugget(data, unit))) : goldNuggets(data, docid),
    rest.length ? section("Other judgments", rest.map((unit) => inspected(data, unit))) : null,
  ];
}

const inspected = (data, unit) => h("div", { "data-unit": unit.unit_id, tabindex: -1 }, inspector(data, unit));

const bestFirst = (a, b) => Object.keys(STATES).indexOf(stateOf(a.label, a.status)) - Object.keys(STATES).indexOf(stateOf(b.label, b.status));

function locatedNugget(data, unit) {
  const row = h("div.nugget");
  const text = [mark(stateOf(unit.label, unit.status)), h("span", {}, nuggetOf(data, unit.nugget_id)?.text ?? unit.unit_id)];
  return put(row, [opener(data, [data.judgments.indexOf(unit)], text, () => row, "button.text")]);
}

function goldNuggets(data, docid) {
  const named = data.nuggets.filter((nugget) => nugget.docids.includes(docid));
  return named.length ? section("Nuggets from it", h("ul", {}, named.map((nugget) => h("li", {}, nugget.text)))) : null;
}

function citedBy(data, docid) {
  const citations = data.answers.flatMap((answer) => answer.sentences.flatMap((sentence, place) =>
    sentence.citations.filter((c) => c.passage === docid).map((c) => ({ answer, sentence, place, c }))));
  const rows = citations.map(({ answer, sentence, place, c }) => {
    const [text, state] = [prose(), stateOf(c.label, c.status)];
    put(text, [opener(data, c.judgment === null ? [] : [c.judgment], sentence.text, () => text, "button.text")]);
    const said = h("span.said", {}, mark(state), state);
    return [rowHead(link(toAnswer(answer.run_id, data.id), answer.run_id)), String(place + 1), said, text];
  });
  return rows.length ? table("Sentences that cite it", ["system", num("sentence"), "support", ""], rows) : note("No answer cites it.");
}
