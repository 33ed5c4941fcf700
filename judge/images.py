"""Images that a judge is shown: looked at before anything is asked, read again when it is sent.

Between the two an image is known by the sha256 of its bytes, which stands in for them in keys and
in what is stored. An image that is missing, too large or of no kind that models take is an error
of the input, and ends the command.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from judge.errors import InputError
from judge.types import Image

MAX_BYTES = 20 * 1024 * 1024
"""The largest image that is sent."""
MAX_IMAGES = 100
"""The most images of one prompt; longer requests are refused by hosted models."""
MAX_TOGETHER = 32 * 1024 * 1024
"""The most bytes of the images of one prompt."""

_KINDS = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def look_at(path: str, docid: str) -> Image:
    """Return what is known of an image file.

    Args:
        path: the file.
        docid: the document it belongs to, for errors.

    Raises:
        InputError: it is not there, not a file, too large, or no JPEG, PNG, GIF or WebP.
    """
    if "://" in path or path.startswith("data:"):
        message = f"an image of document {docid!r} is an address"
        raise InputError(message, expected="the path of a file, into which it is saved", found=path)
    try:
        facts = Path(path).stat()
        return _looked_at(path, facts.st_size, facts.st_mtime_ns)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"an image of document {docid!r}: {reason}", path=path) from error


def check_together(images: Sequence[Image], what: str) -> None:
    """Refuse more images than a request can hold.

    Raises:
        InputError: there are too many, or they have too many bytes.
    """
    if len(images) > MAX_IMAGES:
        raise InputError(
            f"{what}: too many images for one prompt; keep fewer frames",
            field="images",
            expected=f"at most {MAX_IMAGES}",
            found=len(images),
        )
    size = sum(Path(image.path).stat().st_size for image in images)
    if size > MAX_TOGETHER:
        raise InputError(
            f"{what}: the images are too large for one prompt; make them smaller or fewer",
            field="images",
            expected=f"at most {MAX_TOGETHER:,} bytes together",
            found=size,
        )


def data_url(image: Image) -> str:
    """Return the bytes of an image as a data: address.

    Raises:
        InputError: they are no longer those that were looked at.
    """
    try:
        content = Path(image.path).read_bytes()
    except OSError as error:
        raise InputError(f"an image: {error.strerror or error}", path=image.path) from error
    if hashlib.sha256(content).hexdigest() != image.sha256:
        message = "the image has changed since the command began; start again"
        raise InputError(message, path=image.path)
    return f"data:{image.media_type};base64,{base64.b64encode(content).decode('ascii')}"


@lru_cache(maxsize=65536)
def _looked_at(path: str, size: int, changed: int) -> Image:
    """Read the file; `size` and the time it `changed` tell states of it apart."""
    del changed
    if size > MAX_BYTES:
        expected = f"at most {MAX_BYTES:,} bytes"
        raise InputError("the image is too large", path=path, expected=expected, found=size)
    content = Path(path).read_bytes()
    media_type = _media_type(content)
    if media_type is None:
        raise InputError(
            "not an image that models take",
            path=path,
            expected="JPEG, PNG, GIF or WebP",
            found=content[:12],
        )
    return Image(path=path, sha256=hashlib.sha256(content).hexdigest(), media_type=media_type)


def _media_type(content: bytes) -> str | None:
    """The media type, by the first bytes; names of files say nothing for certain."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if content.startswith(start)), None)
