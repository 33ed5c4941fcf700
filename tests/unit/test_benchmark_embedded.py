"""The benchmark of the embedded model, with a stand-in for the engine that counts words.

The stand-in reuses what a prompt has in common with the one before it, as the engine does.
"""

import asyncio
from collections.abc import Callable
from os.path import commonprefix
from pathlib import Path

import pytest

from judge.llm.providers import local
from judge.llm.tokens import prompt_tokens
from judge.loading import Inputs
from judge.tasks import Task
from judge.types import Call, Message
from scripts.benchmarks import embedded
from scripts.benchmarks._engine import SHIPPED, Variant
from scripts.benchmarks.embedded import Case, Parts, Spent

MODEL = "local/./tiny.gguf"
STAND_IN = """\
import http.server, json, os, pathlib, sys, threading
settings = json.loads(sys.stdin.readline())
home = pathlib.Path(__file__).parent
(home / "settings").write_text(json.dumps(settings))
before = []

def reply_to(body, prompt):
    if "response_format" in body:
        numbers = body["response_format"]["json_schema"]["schema"]["required"]
        return json.dumps({number: {"label": "none", "sentences": []} for number in numbers})
    return "##final score: 2" if "##final score" in prompt else "label: full support"

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global before
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = " ".join(message["content"] for message in body["messages"])
        words, kept = prompt.split(" "), 0
        while body.get("cache_prompt", True) and before[:kept + 1] == words[:kept + 1]:
            kept += 1
        before = words
        message = {"role": "assistant", "content": reply_to(body, prompt)}
        new = len(words) - kept + (home / "lying").exists()
        answer = {
            "model": "whatever",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": len(words),
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": kept},
            },
            "timings": {"prompt_n": new, "prompt_ms": 2000, "predicted_n": 1, "predicted_ms": 500},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers(), self.wfile.write(data)

    log_message = lambda self, *args: None

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the stand-in, which is started in place of the engine."""
    home = tmp_path / "stand-in"
    home.mkdir()
    (home / "server.py").write_text(STAND_IN)
    (tmp_path / "tiny.gguf").write_bytes(b"weights")
    monkeypatch.setenv("RAG_JUDGE_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(local, "_SCRIPT", home / "server.py")
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return embedded.sample_inputs()


def spent(
    inputs: Inputs,
    task: Callable[[Inputs], Task],
    variant: Variant = SHIPPED,
    limit: int | None = None,
) -> Spent:
    return asyncio.run(embedded.measured(MODEL, Case("", task, variant, limit), inputs))


def test_relevance_evaluates_at_most_half_of_what_it_sends(engine: Path, inputs: Inputs) -> None:
    asked = spent(inputs, embedded.relevance)
    assert asked.calls == len(inputs.pairs) == 13
    assert asked.share <= embedded.TARGET
    assert (asked.prompt, asked.reply) == (2.0 * 13, 0.5 * 13)
    assert "the target is met" in embedded.note(MODEL, {embedded.RELEVANCE: asked})
    missed = {embedded.RELEVANCE: asked._replace(cached=0)}
    assert "evaluates 100%: the target is missed" in embedded.note(MODEL, missed)
    assert "target" not in embedded.note(MODEL, {"assign": asked})


def test_without_reuse_or_with_the_document_first_it_evaluates_nearly_all(
    engine: Path, inputs: Inputs
) -> None:
    plain = spent(inputs, embedded.relevance, embedded.NO_REUSE, limit=4)
    assert (plain.calls, plain.share) == (4, 1.0)
    turned = spent(inputs, embedded.turned, limit=4)
    assert 0.9 < turned.share < 1.0


def test_a_variant_reaches_the_engine(engine: Path, inputs: Inputs) -> None:
    spent(inputs, embedded.relevance, Variant(slots=2, engine={"n_batch": 64}), limit=2)
    settings = (engine / "settings").read_text()
    assert '"slots": 2' in settings
    assert '"engine": {"n_batch": 64}' in settings


@pytest.mark.parametrize("case", embedded.CASES, ids=lambda case: case.name)
def test_every_case_can_be_asked(engine: Path, inputs: Inputs, case: Case) -> None:
    asked = asyncio.run(embedded.measured(MODEL, case, inputs))
    assert asked.calls >= 3
    assert 0 < asked.evaluated <= asked.sent
    assert len(embedded.row(case.name, asked)) == len(embedded.HEADER)


def test_tokens_that_the_engine_counts_otherwise_spoil_the_figures(
    engine: Path, inputs: Inputs
) -> None:
    (engine / "lying").touch()
    with pytest.raises(RuntimeError, match="the engine"):
        spent(inputs, embedded.relevance, limit=2)


def test_a_call_without_counts_spoils_the_figures() -> None:
    entry = {"prompt_tokens": 5, "cached_tokens": None}
    with pytest.raises(RuntimeError, match="no token counts"):
        embedded._spent([entry], [], 1.0)


def test_turning_the_template_round_keeps_its_words(inputs: Inputs) -> None:
    shipped, turned = (_prompts(task(inputs)) for task in (embedded.relevance, embedded.turned))
    assert [sorted(text.split()) for text in shipped] == [sorted(text.split()) for text in turned]
    assert all(text.index("<passage>") < text.index("<narrative>") for text in turned)


def test_the_demo_is_taken_apart(engine: Path, tmp_path: Path) -> None:
    parts = embedded.demo(MODEL, tmp_path)
    calls = 13 + 3 + 10
    assert (parts.prompt, parts.reply) == (2.0 * calls, 0.5 * calls)
    assert parts.load > 0


def test_the_rest_of_the_demo_is_ours() -> None:
    rows = list(embedded.demo_rows(100.0, Parts(download=0.0, load=5.0, prompt=60.0, reply=30.0)))
    assert rows[-2:] == [("the rest", "5.0", "5%"), ("all", "100.0", "100%")]
    assert len(rows) == 6


# --- what makes the target hold ----------------------------------------------------------------


@pytest.mark.parametrize("topic", ["s1", "s2", "s3"])
def test_most_of_a_relevance_prompt_is_the_same_for_a_topic(
    topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "QUICK", (topic,))
    prompts = _prompts(embedded.relevance(embedded.sample_inputs()))
    shared = commonprefix(prompts)  # noqa: RUF071 - character by character
    assert "<passage>" in shared
    sent = sum(map(_tokens, prompts))
    assert _tokens(shared) * (len(prompts) - 1) >= embedded.TARGET * sent


def _prompts(task: Task) -> list[str]:
    calls = [call for call in task.calls(task.units()) if isinstance(call, Call)]
    return ["\n".join(message.content for message in call.prompt.messages) for call in calls]


def _tokens(text: str) -> int:
    return prompt_tokens([Message(role="user", content=text)])
