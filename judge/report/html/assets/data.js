// The data: compressed inside of the page, or beside it where a server has it. Read when asked for.

const cache = new Map();
let overview = null;

function unpacked(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function read(name) {
  const inside = document.getElementById(`data-${name}`);
  let packed;
  if (inside) packed = unpacked(inside.textContent);
  else {
    const answer = await fetch(`data/${name}`);
    if (!answer.ok) throw new Error(`the part ${name} of the report cannot be had (${answer.status})`);
    packed = await answer.arrayBuffer();
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** A topic with all that hangs on it. */
async function topicOf(id) {
  const place = overview.topics.findIndex((topic) => topic.topic_id === id);
  if (place < 0) throw new Error(`there is no topic ${id} in this report`);
  if (!cache.has(place)) cache.set(place, prepared(await read(`topic-${place}`)));
  return cache.get(place);
}

function prepared(data) {
  const by = (rows, name) => new Map(rows.map((row) => [row[name], row]));
  data.id = data.topic.topic_id;
  data.answers.sort((a, b) => overview.runs.indexOf(a.run_id) - overview.runs.indexOf(b.run_id));
  data.nugget = by(data.nuggets, "nugget_id");
  data.answer = by(data.answers, "run_id");
  data.passage = by(data.passages, "docid");
  data.unit = by(data.judgments, "unit_id");
  data.text = (numbers) => numbers.map((number) => data.lines[number]).join("\n");
  return data;
}

/** The grade of a passage as [judgment] or []. */
function gradeOf(data, passage) {
  return passage.judgments.map((number) => data.judgments[number]).filter((j) => j.task === "relevance").slice(0, 1);
}

/** The nugget that a unit is about; parts of a question ("id&1") are of the question. */
function nuggetOf(data, id) {
  return data.nugget.get(id) ?? data.nugget.get(String(id).replace(/&\d+$/, ""));
}

/** What a unit is about, in words. */
function aboutUnit(data, unit) {
  const nugget = unit.nugget_id !== undefined ? nuggetOf(data, unit.nugget_id)?.text : null;
  const answer = unit.run_id !== undefined ? data.answer.get(unit.run_id) : null;
  const sentence = unit.sentence !== undefined ? answer?.sentences[unit.sentence]?.text : null;
  const title = unit.docid !== undefined ? data.passage.get(unit.docid)?.title : null;
  return nugget ?? sentence ?? (title || unit.docid || unit.unit_id);
}

// --- addresses ---------------------------------------------------------------------------------

const address = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;
const toTopic = (id) => address("topic", id);
const toAnswer = (run, id) => address("answer", run, id);
const toPassage = (id, docid) => address("passage", id, docid);
const toUnit = (unitId) => `#unit:${encodeURIComponent(unitId)}`;
const toUnits = (filters) => `#/units?${new URLSearchParams(filters)}`;
