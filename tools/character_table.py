"""What the reference normalizer and pre-tokenizer do with each Unicode character, read off by running them on every one.

The server cannot take this from JavaScript's own Unicode tables: the reference library uses several Unicode versions at once (its
punctuation and mark tables are years older than its case tables), and a Node upgrade must not change the ids of stored memories.

Classes: PLAIN stays as it is; REMOVED vanishes; SPACE ends a word; ISOLATED is a word of its own (punctuation, CJK ideographs); FOLDED is
replaced by other characters (case, accents, compatibility).
"""
import sys
import unicodedata

PLAIN, REMOVED, SPACE, ISOLATED, FOLDED = range(5)
LOW_MARK, HIGH_MARK = "\u1b44", "\u302f"   # marks that the reference keeps, of combining classes 9 and 224
HANGUL = range(0xAC00, 0xD7A4)


class CharacterTable:
    def __init__(self, tokenizer):
        self._normalize = tokenizer.normalizer.normalize_str
        self._split = tokenizer.pre_tokenizer.pre_tokenize_str
        self.folds = {}
        self.classes = bytearray(sys.maxunicode + 1)
        for point in range(sys.maxunicode + 1):
            self.classes[point] = REMOVED if 0xD800 <= point < 0xE000 else self._classify(chr(point))
        self._check({c for token in tokenizer.get_vocab() for c in token})

    def _classify(self, char):
        inner = self._normalize("a" + char + "a")[1:-1]
        if not inner:
            return REMOVED
        if inner == " ":
            return SPACE
        core = inner.strip(" ")
        if core != char:
            self.folds[ord(char)] = core
            return FOLDED
        if inner != core or len(self._split("a" + char + "a")) == 3:
            return ISOLATED
        return PLAIN

    def _check(self, in_vocabulary):
        """What lets the reader in TypeScript go character by character. Should a new reference break one of these, the build stops here."""
        for point, fold in self.folds.items():
            if any(self.classes[ord(c)] not in (PLAIN, ISOLATED) for c in fold):
                raise SystemExit(f"the fold of U+{point:04X} is not final")
            isolated = self._normalize("a" + chr(point) + "a")[1] == " "
            if isolated != (len(fold) == 1 and self._normalize(fold).startswith(" ")):
                raise SystemExit(f"the fold of U+{point:04X} is isolated in another way than its parts")
        for point in HANGUL:
            if self.folds[point] != unicodedata.normalize("NFD", chr(point)):
                raise SystemExit(f"U+{point:04X} does not decompose as Hangul")
        for point, kind in enumerate(self.classes):
            # Normalising sorts such marks. A word that holds one is unknown in any order, as long as no token holds one.
            if kind == PLAIN and self._is_reordered(chr(point)) and chr(point) in in_vocabulary:
                raise SystemExit(f"U+{point:04X} is reordered and part of a token")

    def _is_reordered(self, char):
        return self._normalize(HIGH_MARK + char) == char + HIGH_MARK or self._normalize(char + LOW_MARK) == LOW_MARK + char

    def runs(self):
        """(first code point, class) wherever the class changes."""
        return [(p, c) for p, c in enumerate(self.classes) if p == 0 or self.classes[p - 1] != c]

    def fold_text(self):
        """One line a folded character: the character, then what replaces it. Hangul syllables are left to their algorithm."""
        return "\n".join(chr(p) + f for p, f in sorted(self.folds.items()) if p not in HANGUL)
