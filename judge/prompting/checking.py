"""Everything that is wrong with a folder of templates, found before anything is paid for."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from judge.errors import InputError, JudgeError, UsageError
from judge.formats.lines import Place
from judge.prompting.kinds import KINDS, Kind
from judge.prompting.renders import (
    Fault,
    alike,
    all_of,
    last_word,
    let_through,
    outside,
    unasked,
    unshown,
)
from judge.prompting.trials import HOSTILE, PLAIN, trial
from judge.templates import Head, Template, load_template, template_names
from judge.templates.bodies import read_body
from judge.templates.finding import text_of
from judge.templates.heads import line_of, read_head
from judge.templates.template import RenderError
from judge.types import Call, Document, Record, Topic
from judge.validation.problems import FileReport, Problems, Severity

_LEAST = {
    "score-line": (8, 0),
    "label-line": (8, 0),
    "yes-no": (4, 0),
    "labels": (0, 8),
    "nugget-list": (450, 0),
    "sub-narratives": (24, 6),
}
"""Tokens that the shortest good reply takes by the form of the reply: at all, and for each item."""

_TYPES: dict[str, type[Record]] = {"topic": Topic, "document": Document}

_MOST = 16_384
"""Tokens that no reply takes; a budget sets as many aside for each call."""


def check_folder(folder: Path) -> list[FileReport]:
    """Check each template of a folder, and return a report of each file.

    Raises:
        UsageError: there is no such folder, or no template in it.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder of prompts {folder}")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    reports = [_check_file(path, folder) for path in files if path.suffix == ".j2"]
    if not reports:
        raise UsageError(f"there is no template in {folder}: its files end in .j2")
    return [*reports, *(report for path in files if (report := _passed_over(path)) is not None)]


def _check_file(path: Path, folder: Path) -> FileReport:
    name = path.relative_to(folder).with_suffix("").as_posix()
    problems = Problems(str(path))
    try:
        source = text_of(path).replace("\r\n", "\n")
    except InputError as error:
        problems.failed(error)
        return problems.report(None, {})
    return _Check(name, source, path, problems).report()


def _passed_over(path: Path) -> FileReport | None:
    """A report of a file that looks like a template and is none by its name."""
    try:
        if path.suffix == ".j2" or "{% block user" not in path.read_text(encoding="utf-8"):
            return None
    except (OSError, UnicodeDecodeError):
        return None
    problems = Problems(str(path))
    problems.add("warning", "the file is not read", expected="a name that ends in .j2")
    return problems.report(None, {})


class _Check:
    """The check of one file, which goes on after each problem as far as it can."""

    def __init__(self, name: str, source: str, path: Path, problems: Problems) -> None:
        self._name, self._source, self._path, self._problems = name, source, path, problems
        self._rendered = 0

    def report(self) -> FileReport:
        """Everything that is wrong with it."""
        head, errors = read_head(self._source, str(self._path))
        body = read_body(self._source, str(self._path), None if head is None else head.variables)
        for error in (*errors, *body.errors):
            self._problems.failed(error)
        fitting = body.fields is not None and self._check_fields(body.fields)
        kind = None if head is None else self._check_head(head)
        if head is not None and kind is not None and body.used is not None:
            self._check_variables(head, kind, body.used)
            if body.compiled is not None and fitting and head.output in kind.outputs:
                shown = [name for name in kind.shown if name in body.used]
                self._try(Template(self._source, place=str(self._path)), kind, shown)
        return self._problems.report(self._name, {"prompts rendered": self._rendered})

    # --- the head ------------------------------------------------------------------------------

    def _check_head(self, head: Head) -> Kind | None:
        """The kind of the template, None where it is of no task that is known."""
        if head.name != self._name:
            self._error("another name than the file's", "name", self._name, head.name)
        for field in ("version", "source"):
            if not getattr(head, field).strip():
                self._error("is empty", field, "text", "")
        kind = KINDS.get(head.task)
        if kind is None:
            self._error("no task of this name", "task", ", ".join(KINDS), head.task)
            return None
        self._check_use(head, kind)
        if head.output not in kind.outputs:
            expected = " or ".join(kind.outputs)
            self._error(f"not a form that {kind.task} reads", "output", expected, head.output)
        else:
            self._check_room(head)
        return kind

    def _check_use(self, head: Head, kind: Kind) -> None:
        """Whether any command comes to ask with it."""
        known = template_names()
        if self._name in known:
            ours = load_template(self._name).head.task
            if ours != head.task:
                self._error("another task than the template it stands for", "task", ours, head.task)
            return
        near = get_close_matches(self._name, known, n=1, cutoff=0.8)
        meant = f"; is {near[0]} meant?" if near else ""
        if kind.chosen:
            used = f"used where --prompt {self._name} names it, and nowhere else{meant}"
            severity: Severity = "warning" if near else "info"
            self._problems.add(severity, used, self._at("name"), field="name")
            return
        fixed = [name for name in known if load_template(name).head.task == kind.task]
        self._error(f"no command asks with it{meant}", "name", " or ".join(fixed), self._name)

    def _check_room(self, head: Head) -> None:
        fixed, each = _LEAST[head.output]
        if head.max_tokens < max(1, fixed):
            expected = f"at least {max(1, fixed)}, or every reply is cut off"
            self._error("too few", "max_tokens", expected, head.max_tokens)
        if head.max_tokens_per_item < each:
            expected = f"at least {each}, or replies on many things are cut off"
            self._error("too few", "max_tokens_per_item", expected, head.max_tokens_per_item)
        for field in ("max_tokens", "max_tokens_per_item"):
            if (given := getattr(head, field)) > _MOST:
                self._warn(f"{given} are too many: a budget sets as many aside", field)

    # --- the variables -------------------------------------------------------------------------

    def _check_variables(self, head: Head, kind: Kind, used: dict[str, int]) -> None:
        given = (*kind.needs, *kind.may)
        for name in head.variables:
            if name not in given:
                expected = ", ".join(given)
                self._error(f"{kind.task} gives no such variable", "variables", expected, name)
            elif name not in used:
                self._warn(f"{name!r} is declared and not used", "variables")
        for name in kind.needs:
            if name not in used:
                message = f"nothing of {name!r} is in the prompt, which {kind.task} is about"
                self._error(message, "variables", name, ", ".join(used) or "nothing")

    def _check_fields(self, fields: dict[tuple[str, str], int]) -> bool:
        """Whether the variables have the attributes that are used of them."""
        wrong = {
            (name, attribute): line
            for (name, attribute), line in fields.items()
            if name in _TYPES and not _has(_TYPES[name], attribute)
        }
        for (name, attribute), line in wrong.items():
            place = Place(str(self._path), line)
            expected = ", ".join(_TYPES[name].model_fields)
            self._problems.add(
                "error", f"{name} has no {attribute!r}", place, expected=expected, found=attribute
            )
        return not wrong

    # --- what it renders -----------------------------------------------------------------------

    def _try(self, template: Template, kind: Kind, shown: Sequence[str]) -> None:
        """Render it on made-up inputs, plain and hostile, full and bare.

        Args:
            template: what is checked.
            kind: what it is of.
            shown: the variables whose text must stand in each prompt.
        """
        faults: dict[Fault, None] = {}
        try:
            for bare in (False, True):
                plain = self._calls(template, kind, PLAIN, bare=bare)
                hostile = self._calls(template, kind, HOSTILE, bare=bare)
                faults |= dict.fromkeys(_faults(template.head, shown, plain, hostile))
        except RenderError as error:
            place = Place(str(self._path), error.line or 0)
            self._problems.add("error", f"cannot be rendered: {error.reason}", place)
        block = max(0, self._source.find("block user"))
        for fault in faults:
            place = Place(str(self._path), self._source.count("\n", 0, block) + 1)
            self._problems.add("error", fault.message, place, expected=fault.expected)

    def _calls(self, template: Template, kind: Kind, added: str, *, bare: bool) -> list[Call]:
        with (inputs := trial(added, bare=bare)).corpora:
            try:
                task = kind.make(template, inputs)
            except RenderError:
                raise
            except JudgeError:
                return []  # a topic that this template is not for
            made = [call for call in task.calls(task.units()) if isinstance(call, Call)]
        self._rendered += len(made)
        return made

    # --- problems ------------------------------------------------------------------------------

    def _at(self, field: str) -> Place:
        return Place(str(self._path), line_of(self._source, field))

    def _warn(self, message: str, field: str) -> None:
        self._problems.add("warning", message, self._at(field), field=field)

    def _error(self, message: str, field: str, expected: str, found: object) -> None:
        self._problems.add(
            "error", message, self._at(field), field=field, expected=expected, found=found
        )


def _has(kind: type[Record], attribute: str) -> bool:
    return attribute in kind.model_fields or hasattr(kind, attribute)


def _faults(
    head: Head, shown: Sequence[str], plain: Sequence[Call], hostile: Sequence[Call]
) -> Iterator[Fault]:
    for call, attacked in zip(plain, hostile, strict=True):
        yield from alike(call)
        yield from unshown(shown, call)
        for one, other in zip(all_of(call), all_of(attacked), strict=True):
            yield from _of_prompts(head, one, other)


def _of_prompts(head: Head, call: Call, attacked: Call) -> Iterator[Fault]:
    yield from unasked(head, call)
    yield from outside(call.prompt)
    yield from last_word(call.prompt)
    yield from let_through(call.prompt, attacked.prompt)
