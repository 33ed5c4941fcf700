"""Text as it is compared: compatibility characters and white space folded."""

import unicodedata


def nfkc(char: str) -> str:
    """Return one character in compatibility form (full-width digits become ASCII digits).

    Normalising character by character is enough for matching, and linear: on a whole text,
    `unicodedata.normalize` takes quadratic time over a long run of combining marks.
    """
    return char if char.isascii() else unicodedata.normalize("NFKC", char)


def fold(text: str) -> str:
    """Fold compatibility characters and runs of white space.

    Digits of other shapes (`３`, `𝟑`) become ASCII digits. Superscripts, circled digits and
    fractions (`³`, `③`, `½`: category No) stay what they are: they are notes, list numbers or
    parts of a number, and `2³` is not 23.
    """
    if not text.isascii():
        text = "".join(c if unicodedata.category(c) == "No" else nfkc(c) for c in text)
    return " ".join(text.split())


def folded_lines(text: str) -> list[str]:
    """Return the folded lines that are not blank."""
    return [line for line in map(fold, text.splitlines()) if line]
