// How the judge did.

function viewHealth() {
  const { tasks } = overview.health;
  return [h("h1", {}, "Judge health"),
    section("Labels", labelTable(tasks), tasks.map(bySystem)),
    counted("Failed units", "Units without a label, by what went wrong", "failure", (t) => t.failures, "Every unit has a label."),
    counted("Unusable attempts", "Attempts that gave nothing usable, mended ones too", "", (t) => t.attempts, "Every attempt was usable."),
    counted("Flags", "What was noticed of inputs and replies", "flag", (t) => t.flags, "Nothing was flagged."),
    section("Samples", sampleTable(tasks.filter((t) => t.samples.units)))];
}

function labelTable(tasks) {
  const rows = tasks.map((t) => {
    const units = t.ok + t.failed;
    const labels = t.failed ? { ...t.labels, failed: t.failed } : t.labels;
    const failed = t.failed ? link(toUnits({ task: t.task, status: "failed" }), count(t.failed)) : "0";
    return [t.task, count(units), failed, percent(t.failed, units), shares(labels, labelOrder(Object.keys(labels)))];
  });
  return table("Labels by task", ["task", num("units"), num("failed"), num("share"), "labels"], rows);
}

function bySystem(task) {
  const runs = overview.runs.filter((run) => task.by_run[run]);
  if (runs.length < 2) return null;
  const order = labelOrder(Object.keys(task.labels));
  const rows = () => runs.map((run) => [run, shares(task.by_run[run], order)]);
  return fold(`${task.task} by system`, () => table(`Labels of ${task.task} by system`, ["system", "labels"], rows()));
}

/** Counts by task and name; `filter` is what the units are filtered by to see them. */
function counted(title, caption, filter, pick, empty) {
  const rows = overview.health.tasks.flatMap((t) => Object.entries(pick(t)).map(([name, n]) =>
    [t.task, words(name), filter ? link(toUnits({ task: t.task, [filter]: name }), count(n)) : count(n)]));
  return section(title, rows.length ? table(caption, ["task", "", num("count")], rows, "table.narrow") : note(empty));
}

function sampleTable(tasks) {
  if (!tasks.length) return note("Every unit was asked once.");
  const rows = tasks.map(({ task, samples: s }) => [task, count(s.units), count(s.differing), percent(s.differing, s.units)]);
  return table("Units that were asked several times", ["task", num("units"), num("samples differ"), num("share")], rows, "table.narrow");
}
