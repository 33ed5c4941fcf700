// Which view an address names, and going there.

const VIEWS = {
  "": viewOverview, topic: viewTopic, answer: viewAnswer, passage: viewPassage,
  units: viewUnits, agreement: viewAgreement, health: viewHealth,
};
const NAV = [["#/", "Overview"], ["#/units", "Units"], ["#/agreement", "Agreement"], ["#/health", "Judge health"]];
const main = document.getElementById("main");
let turn = 0;

/** {view, parts, query} of an address; an address that is no view names a unit. */
function parsed(hash) {
  const text = hash.replace(/^#/, "");
  if (text && !text.startsWith("/")) return { unit: text.replace(/^unit:/, "") };
  const [path, query = ""] = text.slice(1).split("?");
  const [view = "", ...parts] = path.split("/").map(decoded);
  return { view, parts, query: new URLSearchParams(query) };
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** The topic and the judgment that an id means: as it stands, as browsers write it, or encoded once more. */
async function findUnit(text) {
  const written = text.replace(/%(22|3C|3E|60)/gi, decoded);
  for (const unitId of new Set([text, written, decoded(text)])) {
    const id = decoded(unitId.split("|")[1] ?? "");
    if (!overview.topics.some((topic) => topic.topic_id === id)) continue;
    const data = await topicOf(id);
    if (data.unit.has(unitId)) return [data, data.unit.get(unitId)];
  }
  throw new Error(`there is no unit ${decoded(text)} in this report`);
}

async function viewUnit(text) {
  const [data, unit] = await findUnit(text);
  if (unit.run_id !== undefined && data.answer.has(unit.run_id)) return [await viewAnswer([unit.run_id, data.id]), unit, data];
  if (unit.docid !== undefined && data.passage.has(unit.docid)) return [await viewPassage([data.id, unit.docid]), unit, data];
  return [await viewTopic([data.id]), unit, data];
}

async function go() {
  turn += 1;
  const mine = turn;
  main.setAttribute("aria-busy", "true");
  let content, unit, data;
  try {
    const where = parsed(location.hash);
    if (where.unit !== undefined) [content, unit, data] = await viewUnit(where.unit);
    else if (VIEWS[where.view]) content = await VIEWS[where.view](where.parts, where.query);
    else throw new Error("there is no such page in this report");
  } catch (error) {
    content = [h("h1", {}, "Not here"), h("p", { role: "alert" }, error.message), h("p", {}, link("#/", "To the overview"))];
  }
  if (mine !== turn) return;
  main.replaceChildren();
  put(main, [content]);
  main.removeAttribute("aria-busy");
  arrive(unit, data);
}

/** Name the page, mark the place in the navigation, and bring what was asked for into view. */
function arrive(unit, data) {
  const title = main.querySelector("h1")?.textContent ?? "";
  document.title = `${title} · ${overview.run} · rag-judge`;
  const here = parsed(location.hash).view;
  for (const item of document.querySelectorAll("#nav a")) {
    if (item.getAttribute("href") === `#/${here}`) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  if (!unit) {
    window.scrollTo(0, 0);
    if (turn > 1) main.focus({ preventScroll: true });
    return;
  }
  const holder = [...main.querySelectorAll("[data-unit]")].find((node) => node.dataset.unit.split("\n").includes(unit.unit_id));
  if (holder?.matches("button")) holder.click();
  const target = holder ?? main.appendChild(inspected(data, unit));
  target.classList.add("target");
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "center" });
}

// --- light and dark ----------------------------------------------------------------------------

function themed() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const dark = () => (root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const show = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.style.colorScheme = dark() ? "light" : "dark"; show(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

async function start() {
  overview = await read("overview");
  document.getElementById("run").textContent = overview.run;
  put(document.getElementById("nav"), NAV.map(([href, text]) => link(href, text)));
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  const query = document.getElementById("query");
  document.getElementById("search").addEventListener("submit", (event) => { event.preventDefault(); location.hash = toUnits({ q: query.value }); });
  themed();
  window.addEventListener("hashchange", go);
  await go();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => { main.replaceChildren(h("h1", {}, "The report cannot be opened"), h("p", { role: "alert" }, error.message)); });
