"""Reading a judge model's reply by closed rules: a reply says one thing plainly, or it fails.

    thinking    what a reply says after its thinking blocks
    refusals    a reply that opens by declining gives no answer, whatever follows
    folding     lines as they are compared: compatibility characters and white space folded
    markers     the lines of a reply that state a value, and which of them decides
    scores      `##final score: X`
    labels      `Label: X`, and labels of closed sets
    objects     one JSON object, and batches keyed by id
    json_text   JSON inside of other text, read strictly
    truncated   replies that stop too early

Every reader takes the content of a reply (never its reasoning field) and either returns what the
reply says or raises `ReadError`, whose message is meant to be shown to the judge model in a repair
turn. Nothing is guessed: a tolerance that is not described here is a failure. All readers take
time linear in the length of the reply.
"""

from judge.parsing.folding import nfkc
from judge.parsing.json_text import MAX_DEPTH, MAX_DIGITS
from judge.parsing.labels import SUPPORT_LABELS, YES_NO, LabelLine, label, label_line, yes_no
from judge.parsing.objects import batch, json_object, keyed
from judge.parsing.scores import SCORE_MARKER, ScoreLine, final_score
from judge.parsing.thinking import THINKING_TAGS, after_thinking
from judge.parsing.truncated import TruncatedReply, TruncatedThinking

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "SCORE_MARKER",
    "SUPPORT_LABELS",
    "THINKING_TAGS",
    "YES_NO",
    "LabelLine",
    "ScoreLine",
    "TruncatedReply",
    "TruncatedThinking",
    "after_thinking",
    "batch",
    "final_score",
    "json_object",
    "keyed",
    "label",
    "label_line",
    "nfkc",
    "yes_no",
]
