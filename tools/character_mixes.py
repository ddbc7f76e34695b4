"""Texts that look for trouble in a tokenizer: other normal forms, marks out of order, control characters, very long words, every script."""
import sys
import unicodedata

EMOJI = "😀 🙃 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 ❤️ ☃ 🤷🏻‍♀️ 1️⃣ ©️ ™".split(" ")
CJK = "東京都渋谷区 中华人民共和国 機械学習 한국어사전 ひらがなカタカナ ｶﾀｶﾅ 豈更車 𠀀𠀁𪜀 㐀㐁 々〆〇 「引用」 ：，。".split(" ")
CONTROL = ["\0", "\x07", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u061c", "\u180e", "\u2000", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029",
           "\u202e", "\u2060", "\u3000", "\ufeff", "\ufffc", "\ufffd", "\ufffe", "\ue000", "\U000e0041", "\U000f0000", "\t", "\r", "\n"]
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[unused1]", "[cls]", "[ SEP ]", "[[SEP]]", "##ing", "[SEP"]
CASES = "İstanbul ıI ΟΔΥΣΣΕΥΣ ΣΑΣ ǅ ǆ ﬁ ﬀ ŉ ẞß Ⅻ ⓐ Ａｂ Å K Ω ᾳᾼ Ꭰꭰ Ⴀⴀ Ა Խև ΐ".split(" ")
CODE = ['{"x": 3.5, "y": -1, "ok": true}', "if (a<b && c>=d) { e->f(); }", "SELECT * FROM t WHERE n='x';", "C:\\Users\\ana\\notes.txt", "https://example.org/a?b=c&d=%20#e",
        "user.name+tag@example.org", "2024-03-01T09:40:00.123Z", "snake_case camelCase kebab-case", "0xDEADBEEF 1e-9 1_000", "$12.50 €3 £4 ¥5 ₹6 50% №7 §8 ~9 ^1 `2 +3 =4 <5> |6|"]


def character(rng):
    while True:
        point = rng.choice((rng.randrange(0x250), rng.randrange(0x3100), rng.randrange(0x10000), rng.randrange(0x20000), rng.randrange(sys.maxunicode + 1)))
        if not 0xD800 <= point < 0xE000:
            return chr(point)


def one_block(rng):
    first = rng.choice((rng.randrange(0x20, 0x3100, 16), rng.randrange(0x3100, 0xD700, 16), rng.randrange(0xE000, 0x20000, 16)))
    return "".join(rng.choice((chr(first + rng.randrange(48)), chr(first + rng.randrange(48)), " ")) for _ in range(rng.randrange(4, 40)))


def scattered(rng, text, pieces):
    out = list(text[:120])
    for _ in range(rng.randrange(1, 8)):
        out.insert(rng.randrange(len(out) + 1), rng.choice(pieces))
    return "".join(out)


def marks(rng):
    pool = [chr(p) for p in range(0x300, 0x20000) if unicodedata.combining(chr(p))]
    kept = [c for c in pool if unicodedata.category(c) != "Mn"]
    while True:
        yield "".join(rng.choice("aeoAEOkß한Ω") + "".join(rng.choice((rng.choice(pool), rng.choice(kept))) for _ in range(rng.randrange(1, 5))) for _ in range(5))


def long_word(rng):
    length, letters = rng.choice((99, 100, 101, 102, 150)), rng.choice(("x", "abcdefgh", "éüñ", "abcé", "ß", "a😀", "каша", "한글"))
    return rng.choice(("", "x ")) + "".join(rng.choice(letters) for _ in range(length)) + rng.choice(("", ".", " y"))


def mixes(rng, real):
    """Endless; `real` gives the words that other things are mixed into."""
    mark_runs = marks(rng)
    kinds = (
        lambda: scattered(rng, rng.choice(real), EMOJI), lambda: scattered(rng, rng.choice(real), CJK), lambda: scattered(rng, rng.choice(real), CONTROL),
        lambda: scattered(rng, rng.choice(real), SPECIAL), lambda: scattered(rng, rng.choice(real), CASES), lambda: scattered(rng, rng.choice(CODE), EMOJI + CONTROL),
        lambda: unicodedata.normalize(rng.choice(("NFD", "NFKD", "NFC", "NFKC")), rng.choice(real)[:160]), lambda: rng.choice(real)[:160].upper(),
        lambda: "".join(character(rng) for _ in range(rng.randrange(1, 60))), lambda: one_block(rng), lambda: next(mark_runs), lambda: long_word(rng),
        lambda: " ".join(rng.choice(rng.choice((EMOJI, CJK, CASES, CODE, SPECIAL))) for _ in range(rng.randrange(1, 9))))
    while True:
        for kind in kinds:
            yield kind()
