// Every unit, to be filtered and searched.

const SHOWN = 200;
const FILTERS = ["q", "task", "topic", "system", "label", "status", "failure", "flag"];

async function viewUnits(_, query) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));
  const list = h("div", { "aria-live": "polite" });
  draw(list, await gather(filters), SHOWN);
  return [h("h1", {}, "Units"), h("div.controls", {}, filterControls(filters)), list];
}

function filterControls(filters) {
  const { tasks } = overview.health;
  const all = (pick) => [...new Set(tasks.flatMap((task) => Object.keys(pick(task))))];
  const set = (name, value) => {
    const chosen = Object.entries({ ...filters, [name]: value }).filter(([, v]) => v);
    location.hash = toUnits(Object.fromEntries(chosen));
  };
  const text = h("input", { type: "search", value: filters.q, on: { change: () => set("q", text.value) } });
  const options = {
    task: tasks.map((task) => task.task), topic: overview.topics.map((topic) => topic.topic_id), system: overview.runs,
    label: labelOrder(all((task) => task.labels)), status: ["ok", "failed"],
    failure: all((task) => task.failures), flag: all((task) => task.flags),
  };
  return [h("label.choice", {}, h("span", {}, "text"), text), Object.entries(options).map(([name, values]) =>
    choice(name, [["", "any"], ...values], filters[name], (value) => set(name, value)))];
}

/** The units that the filters let through, topic by topic. */
async function gather(filters) {
  const found = [];
  for (const { topic_id: id } of overview.topics) {
    if (filters.topic && filters.topic !== id) continue;
    const data = await topicOf(id);
    for (const unit of data.judgments) if (passes(data, unit, filters)) found.push([data, unit]);
  }
  return found;
}

function passes(data, unit, filters) {
  const own = { task: unit.task, system: unit.run_id, label: String(unit.label), status: unit.status, failure: unit.failure };
  if (Object.entries(own).some(([name, value]) => filters[name] && filters[name] !== value)) return false;
  if (filters.flag && !(unit.flags ?? []).includes(filters.flag)) return false;
  const text = [unit.unit_id, aboutUnit(data, unit), unit.reason ?? ""].join("\n").toLowerCase();
  return text.includes(filters.q.toLowerCase());
}

function draw(list, found, size) {
  const more = h("button.more", { type: "button", on: { click: () => draw(list, found, size + 1000) } }, `Show more of ${count(found.length)}`);
  list.replaceChildren(note(plural(found.length, "unit")));
  if (!found.length) return;
  const rows = found.slice(0, size).map(([data, unit]) => unitRow(data, unit));
  put(list, [table("Units", ["task", "topic", "system", "label", "about", ""], rows), found.length > size ? more : null]);
}

function unitRow(data, unit) {
  const about = prose();
  const number = data.judgments.indexOf(unit);
  put(about, [opener(data, [number], clipped(aboutUnit(data, unit), 200), () => about, "button.text")]);
  const noticed = [unit.failure ? words(unit.failure) : "", (unit.flags ?? []).map((flag) => h("span.flag", {}, words(flag)))];
  return [rowHead(link(toUnit(unit.unit_id), unit.task)), link(toTopic(data.id), data.id), unit.run_id ?? dash, labelled(unit), about, noticed];
}
