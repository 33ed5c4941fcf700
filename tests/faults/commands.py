"""The real command line in a folder of its own, and judges of the sample with known answers."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from judge.corpora import open_corpora
from judge.formats.answers import read_all_answers
from judge.formats.qrels import read_qrels
from judge.injection import neutralise
from judge.llm import Identity, Request, key
from judge.sample import sample_path
from judge.types import Message
from tests.faults.server import Script, ScriptedServer, prompt_of

PROGRAM = Path(sys.executable).with_name("rag-judge")
SAMPLE = sample_path("narratives.json").parent
ANSWERS = sorted(SAMPLE.glob("answers.*.jsonl"))
PLANTED_KEY = "sk-planted-0123456789abcdef"
LABELS = {"alder": "full", "birch": "partial", "cedar": "none"}
"""What `known` says of everything that a system of the sample wrote."""

UNITS = {"relevance": 40, "assign": 96, "support": 36}
CALLS = {"relevance": 40, "assign": 15, "support": 36}
"""Units of the sample, and the calls that ask for them, by task."""

MARKED = ("qrels.txt", "nuggets.jsonl", "assignments.jsonl", "support.jsonl", "scores.jsonl")
"""The files of a run that follow from its labels alone."""

TOLD = ("manifest.json", "report.html")
"""The files of a run that tell which commands worked on it."""

Serve = Callable[[Script], ScriptedServer]
_HANGS = 100.0
"""Seconds after which a command counts as hanging; all that the tests do takes far less."""


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def told(self) -> str:
        """The last line on stderr that is not indented: the error."""
        return [line for line in self.err.splitlines() if line[:1].strip()][-1]


@dataclass(frozen=True)
class Desk:
    """A folder in which commands run, with a reply store of its own, and the server they ask."""

    home: Path
    server: ScriptedServer

    @property
    def model(self) -> tuple[str, ...]:
        """The flags that name the model."""
        return ("--model", "openai/judge", "--base-url", self.server.url)

    def start(self, *args: object, **environment: str) -> "subprocess.Popen[str]":
        """Start a command; words are taken as they are, variables on top of a clean set."""
        clean = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONIOENCODING": "utf-8",
            "OPENAI_API_KEY": PLANTED_KEY,
            "RAG_JUDGE_CACHE": str(self.home / "cache"),
        }
        return subprocess.Popen(
            [str(PROGRAM), *map(str, args)],
            cwd=self.home,
            env=clean | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *args: object, **environment: str) -> Done:
        """Run a command to its end."""
        return ended(self.start(*args, **environment))

    def support(self, *args: object, answers: object = SAMPLE / "answers.cedar.jsonl") -> Done:
        """Run `support` on answers of the sample; cedar's have five units."""
        return self.run("support", *self.support_words(answers), *self.model, *args)

    def support_words(self, answers: object = SAMPLE / "answers.cedar.jsonl") -> list[object]:
        """The words that name the inputs of `support`."""
        topics, corpus = SAMPLE / "narratives.json", SAMPLE / "corpus.jsonl"
        return ["--topics", topics, "--answers", answers, "--corpus", corpus]

    def config(self, more: str = "", name: str = "sample.toml") -> Path:
        """Write a configuration that judges the sample collection, with `more` at its end."""
        given: dict[str, str | list[str]] = {
            "topics": "narratives.json",
            "answers": ["answers.*.jsonl"],
            "corpus": ["corpus.jsonl"],
            "relevance.pool": ["run.*.txt"],
            "nuggets.file": "nuggets.jsonl",
        }
        lines = [f"{field} = {json.dumps(_in_sample(value))}" for field, value in given.items()]
        path = self.home / name
        path.write_text("\n".join([*lines, more, ""]), encoding="utf-8")
        return path


def _in_sample(value: str | list[str]) -> str | list[str]:
    return str(SAMPLE / value) if isinstance(value, str) else [str(SAMPLE / v) for v in value]


def desk(home: Path, server: ScriptedServer) -> Desk:
    """A desk in `home`; the server takes as many connections at once as a run opens."""
    server._http.socket.listen(128)
    return Desk(home, server)


def ended(process: "subprocess.Popen[str]") -> Done:
    """Wait for a command to end."""
    try:
        out, err = process.communicate(timeout=_HANGS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the command hangs; it said: {out}{err}") from None
    return Done(process.returncode, out, err)


def interrupt_twice(process: "subprocess.Popen[str]") -> None:
    """Press Ctrl-C, and again: the first lets calls in flight end, the second does not."""
    process.send_signal(signal.SIGINT)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)


def until(process: "subprocess.Popen[str]", happened: Callable[[], bool]) -> None:
    """Wait until something happened; the command that makes it happen must not end before."""
    start = time.monotonic()
    while not happened():
        if process.poll() is not None or time.monotonic() - start > _HANGS:
            raise AssertionError(f"it did not happen: {ended(process)}")
        time.sleep(0.002)


# --- judges ------------------------------------------------------------------------------------


class Known:
    """Labels all that a system wrote by `LABELS`, and grades passages as the reference does.

    A prompt without a sentence of any answer is one for relevance.
    """

    def __init__(self) -> None:
        self._runs = {
            neutralise(sentence.text): answer.run_id
            for answer in read_all_answers(ANSWERS)
            for sentence in answer.sentences
        }
        grades = read_qrels(SAMPLE / "qrels.reference.txt")
        self._grades = {neutralise(passage(row.docid)): row.grade for row in grades}

    def __call__(self, request: dict[str, Any], hit: int = 0) -> str:
        del hit
        text = prompt_of(request)
        shown = [document for document in self._grades if document in text]
        for document in shown:
            text = text.replace(document, "")
        runs = {run for sentence, run in self._runs.items() if sentence in text}
        if not runs:
            return f"##final score: {self._grades[shown[0]]}"
        (run,) = runs
        if "response_format" not in request:
            return f"label: {LABELS[run]}"
        numbers = request["response_format"]["json_schema"]["schema"]["required"]
        item = {"label": LABELS[run], "sentences": [] if run == "cedar" else [1]}
        return json.dumps(dict.fromkeys(numbers, item))


def passage(docid: str) -> str:
    """The text of a passage of the sample, by which a script can tell prompts apart."""
    with open_corpora([SAMPLE / "corpus.jsonl"], []) as corpora:
        document = corpora.get(docid)
    if document is None:
        raise KeyError(docid)
    return document.text


known = Known()


# --- what came of it ---------------------------------------------------------------------------


def judgments(run: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a judgments file, also of one that a kill cut off."""
    path = run / "judgments.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return (json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n"))


def labels(run: Path) -> dict[str, int | str]:
    """The label of every unit that has one; the last line of a unit counts."""
    last = {line["unit_id"]: line["label"] for line in judgments(run)}
    return {unit: label for unit, label in last.items() if label is not None}


def contents(run: Path, *names: str) -> dict[str, bytes]:
    """The content of files of a run; all but manifest and report, which name every command."""
    paths = [run / name for name in names] if names else sorted(run.iterdir())
    return {path.name: path.read_bytes() for path in paths if path.name not in TOLD}


def key_of_body(server: ScriptedServer, body: dict[str, Any]) -> str:
    """The key of a request as it came in over the wire."""
    return key(
        Request(
            identity=Identity(kind="openai", base_url=server.url, model=body["model"]),
            messages=tuple(Message(**m) for m in body["messages"]),
            params={k: v for k, v in body.items() if k not in ("model", "messages")},
        )
    )
