"""Where in a file each docid stands: about 32 bytes a document, however long the docids are.

Docids are told apart by 64 bits of a hash, so that whoever reads a document must compare its
docid: `find` gives every place where it may stand.
"""

import hashlib
from array import array
from typing import Final

_WORD: Final = "Q"  # 8 bytes, unsigned


class OffsetIndex:
    """A hash table with linear probing, as two rows of 64-bit words that can be mapped from disk.

    Args:
        hashes: hashes of docids; as many as a power of two.
        places: for each of them 1 + the offset of its line, or 0 where the slot is free.
        count: the number of slots in use; there is always a free one.
    """

    def __init__(self, hashes: memoryview, places: memoryview, count: int) -> None:
        self._hashes, self._places, self._count = hashes, places, count

    def __len__(self) -> int:
        return self._count

    def find(self, docid: str) -> list[int]:
        """Return the offsets of the lines in which a docid may stand, most often one or none."""
        key, last = hash_of(docid), len(self._hashes) - 1
        slot, found = key & last, []
        while place := self._places[slot]:
            if self._hashes[slot] == key:
                found.append(place - 1)
            slot = (slot + 1) & last
        return found

    def pack(self) -> list[memoryview]:
        """Return the bytes that `unpack` takes."""
        count = array(_WORD, [self._count])
        return [row.cast("B") for row in (memoryview(count), self._hashes, self._places)]

    @classmethod
    def unpack(cls, raw: memoryview) -> "OffsetIndex":
        """Return the index of which these are the bytes; they are not copied."""
        words = raw.cast(_WORD)
        middle = 1 + len(words) // 2
        return cls(words[1:middle], words[middle:], words[0])


class IndexBuilder:
    """Takes the documents of a file as they come, 24 bytes each, and makes an `OffsetIndex`."""

    def __init__(self) -> None:
        self._hashes, self._contents, self._offsets = array(_WORD), array(_WORD), array(_WORD)

    def add(self, docid: str, offset: int, content: str) -> None:
        """Note a document, the offset of its line, and all of its content that must not differ."""
        self._hashes.append(hash_of(docid))
        self._contents.append(hash_of(content))
        self._offsets.append(offset)

    def build(self) -> tuple[OffsetIndex, set[int]]:
        """Return the index, and offsets of lines that share a hash but not their content.

        Those have one docid with two texts, or two docids share a hash by chance. A document that
        stands again with the same content is left out.
        """
        size = 1 << (len(self._hashes) * 3 // 2).bit_length()
        hashes, contents, places = (array(_WORD, bytes(8 * size)) for _ in range(3))
        count, doubtful = 0, set()
        for key, content, offset in zip(self._hashes, self._contents, self._offsets, strict=True):
            slot = key & (size - 1)
            while places[slot] and (hashes[slot], contents[slot]) != (key, content):
                if hashes[slot] == key:
                    doubtful |= {places[slot] - 1, offset}
                slot = (slot + 1) & (size - 1)
            if not places[slot]:
                hashes[slot], contents[slot], places[slot] = key, content, offset + 1
                count += 1
        return OffsetIndex(memoryview(hashes), memoryview(places), count), doubtful


def hash_of(text: str) -> int:
    """Return 64 bits of a hash of `text`, the same in every process."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
