// Building the page. Text enters it through text nodes alone, and never as markup.

const MANY = 8;
const SVG = "http://www.w3.org/2000/svg";

function put(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** An element: h("td.number", {title: "...", on: {click}}, children). */
function h(spec, options = {}, ...children) {
  const [name, ...classes] = spec.split(".");
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(options)) {
    if (key === "on") for (const [event, hear] of Object.entries(value)) node.addEventListener(event, hear);
    else if (key === "css") for (const [property, v] of Object.entries(value)) node.style.setProperty(property, v);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  return put(node, children);
}

function svg(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return put(node, children);
}

/** The name of a table of systems in columns; where they are many, their names stand upright. */
const wide = (spec, columns) => (columns > MANY ? `${spec}.many` : spec);
const rowHead = (...children) => h("th", { scope: "row" }, ...children);
const prose = (...children) => h("td.prose", {}, ...children);
const link = (href, ...children) => h("a", { href }, ...children);
const hidden = (text) => h("span.sr", {}, text);
const small = (...children) => h("small", {}, ...children);

// --- numbers and words -------------------------------------------------------------------------

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const dash = "–";

/** .863, as papers print what lies in [0, 1]; 1.000 and -.250 likewise. */
function score(value, digits = 3) {
  if (!isNumber(value)) return dash;
  return value.toFixed(digits).replace(/^(-?)0\./, "$1.").replace(/^-(\.0+)$/, "$1");
}

const count = (value) => (isNumber(value) ? value.toLocaleString("en") : dash);
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const percent = (part, whole) => (whole ? `${Math.round((100 * part) / whole)}%` : dash);
const dollars = (row) => (row.unpriced && !row.cost ? "unknown" : `${row.unpriced ? "≥ " : ""}$${row.cost ? row.cost.toFixed(4) : "0"}`);
const words = (name) => String(name).replaceAll("_", " ").replace(/:(?=\S)/g, ": ");
const clipped = (text, size = 90) => (text.length > size ? `${text.slice(0, size - 1).trimEnd()}…` : text);

// --- tables ------------------------------------------------------------------------------------

/** A table that scrolls by itself where it is too wide; heads: text or {text, title, number, center, sort}. */
function table(caption, heads, rows, spec = "table") {
  const named = heads.map((head) => (typeof head === "object" && !(head instanceof Node) && head !== null ? head : { text: head }));
  const body = h("tbody", {}, rows.map((cells) => tableRow(cells, named)));
  const head = h("thead", {}, h("tr", {}, named.map((about, place) => heading(about, place, body))));
  const made = h(spec, {}, h("caption", {}, caption), head, body);
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": caption }, made);
}

function tableRow(cells, named) {
  return h("tr", {}, cells.map((cell, place) => {
    if (cell instanceof HTMLTableCellElement) return cell;
    const sorted = cell && cell.key !== undefined ? cell : { show: cell };
    const node = h(place ? (named[place]?.number ? "td.number" : "td") : "th", place ? {} : { scope: "row" }, sorted.show);
    if (sorted.key !== undefined) node.dataset.key = sorted.key;
    return node;
  }));
}

function heading(about, place, body) {
  const spec = about.number ? "th.number" : about.center ? "th.center" : "th";
  if (!about.sort) return h(spec, { scope: "col", title: about.title }, about.text);
  const button = h("button.sort", { type: "button", title: about.title }, about.text);
  const cell = h(spec, { scope: "col" }, button);
  button.addEventListener("click", () => sortBy(cell, place, body));
  return cell;
}

function sortBy(cell, place, body) {
  const down = cell.getAttribute("aria-sort") !== "descending";
  for (const other of cell.parentNode.children) other.removeAttribute("aria-sort");
  cell.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => row.children[place].dataset.key ?? row.children[place].textContent;
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    const numbers = x !== "" && y !== "" && !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
    return numbers ? Number(x) - Number(y) : x.localeCompare(y);
  };
  const rows = [...body.children].sort((a, b) => (down ? -compare(a, b) : compare(a, b)));
  body.append(...rows);
}

// --- controls ----------------------------------------------------------------------------------

/** A labelled choice; options: values, or [value, text]. */
function choice(label, options, chosen, change) {
  const select = h("select", { on: { change: () => change(select.value) } }, options.map((option) => {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    return h("option", { value, selected: value === chosen }, text);
  }));
  return h("label.choice", {}, h("span", {}, label), select);
}

/** What is drawn only once it is opened. */
function fold(title, draw, spec = "details") {
  const node = h(spec, {}, h("summary", {}, title));
  node.addEventListener("toggle", () => {
    if (node.open && node.children.length === 1) put(node, [draw()]);
  });
  return node;
}

const num = (text, more = {}) => ({ text, number: true, ...more });

function section(title, ...children) {
  return h("section", {}, h("h2", {}, title), ...children);
}

const note = (...children) => h("p.note", {}, ...children);
