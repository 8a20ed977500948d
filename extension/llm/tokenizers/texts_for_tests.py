"""Random texts in twenty scripts, with what trips tokenizers up: spaces, marks, digits, contractions, emoji, special tokens."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

# First and last letter of a run that has been in Unicode for long.
SCRIPTS = {
    "latin": (0x61, 0x7A),
    "latin extended": (0xC0, 0x17F),
    "greek": (0x3B1, 0x3C9),
    "cyrillic": (0x410, 0x44F),
    "armenian": (0x561, 0x586),
    "hebrew": (0x5D0, 0x5EA),
    "arabic": (0x620, 0x652),
    "devanagari": (0x905, 0x94D),
    "bengali": (0x985, 0x98C),
    "gurmukhi": (0xA05, 0xA0A),
    "tamil": (0xB85, 0xB8A),
    "telugu": (0xC05, 0xC0C),
    "thai": (0xE01, 0xE3A),
    "tibetan": (0xF40, 0xF47),
    "georgian": (0x10D0, 0x10F0),
    "ethiopic": (0x1200, 0x1248),
    "khmer": (0x1780, 0x17B3),
    "hiragana": (0x3041, 0x3096),
    "han": (0x4E00, 0x4E7F),
    "hangul": (0xAC00, 0xAC7F),
}
_BETWEEN = [
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "   \n",
    "\u00a0",
    "\u3000",
    "\u2009",
    "",
    ".",
    ", ",
    "'s ",
    "'LL",
    "-",
    "\u2581",
]
_ODD = [
    "\u0301",
    "e\u0301",
    "\u200d",
    "\ufb01",
    "\uff21",
    "\u2460",
    "\u0130",
    "\U0001f642",
    "\U0001f468\u200d\U0001f469",
    "\u00df",
    "123",
    "4",
    "\u0663",
    "\u00bd",
    "$",
    "_",
    "\u00ad",
    "\ufffd",
    "\x00",
    "\x7f",
    "\u0085",
    "\u1e9e",
    "\u01c5",
]


def texts(count: int, seed: int, special: Sequence[str] = ()) -> Iterator[str]:
    """Texts of up to some ten words, each of one script; some begin or end with spaces, some are empty."""
    chosen = random.Random(seed)
    scripts = list(SCRIPTS.values())
    for _ in range(count):
        parts = [chosen.choice(["", "", " ", "  "])]
        for _ in range(chosen.randrange(10)):
            first, last = chosen.choice(scripts)
            kind = chosen.random()
            if kind < 0.15:
                parts.append(chosen.choice(_ODD))
            elif kind < 0.2 and special:
                parts.append(chosen.choice(special))
            else:
                word = "".join(chr(chosen.randint(first, last)) for _ in range(chosen.randint(1, 8)))
                parts.append(word.upper() if kind > 0.9 else word.capitalize() if kind > 0.8 else word)
            parts.append(chosen.choice(_BETWEEN) if chosen.random() < 0.5 else " ")
        yield "".join(parts)


def corpus(count: int = 400) -> list[str]:
    """Texts to train on: what is frequent becomes tokens."""
    words = [
        "the",
        "of",
        "and",
        "a",
        "language",
        "model",
        "reads",
        "some",
        "text",
        "then",
        "it",
        "says",
        "what",
        "comes",
        "next",
    ]
    chosen = random.Random(1)
    return [" ".join(chosen.choices(words, k=8)) + text for text in texts(count, 2)]
