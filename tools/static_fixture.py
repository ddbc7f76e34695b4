"""Sentences with the token ids and pooled vectors that the server must arrive at: what static_table.py writes beside the table."""
import json
import random

import numpy as np

UNKNOWN = 100
COUNT, HEAD, SEED = 200, 8, 20261121
WHO = ("Ana", "Björn", "Chidi", "Đorđe", "Éloïse", "Freya", "Gözde", "Hánh", "İlker", "José")
WHAT = ("moved the blue crate to shelf 14", "prefers oat milk in her coffee", "booked a table for seven on Friday", "lost 3.5% of the signal at 09:40",
        "wants the report as a PDF, not as HTML", "adopted a greyhound called Turbo", "réserva un hôtel à Besançon", "hat die Prüfung bestanden",
        "comió piñata-shaped churros", "přišel pozdě na večeři", "pojechał do Łodzi pociągiem", "naïvely trusted the façade")
WHEN = ("yesterday", "in March 2024", "after the stand-up", "when it rained", "at -12°C", "on the 3rd attempt", "before lunch", "again")
AFTER = ("", ".", "!", "?!", " 😀", " 👩‍👩‍👧", " 🇩🇪🇫🇷", " (see #42)", " — really…", " {\"x\": 3, \"y\": -1}", " 東京タワー", " 中文测试", " 한국어", " Привет, мир", " שלום", " नमस्ते",
         " a\u0301e\u0308", "\u200b\u00ad", "\t\r\n end", " \u0000\u0007bell", " https://example.org/a?b=c&d=%20", " [SEP] [MASK]", " ΟΔΥΣΣΕΥΣ", " ﬁne Ⅻ ½")
SPECIAL = ("", " ", "\u0000\u0001", "\u0301\u0302", "x" * 101, "😀", "。", "a", "[UNK]", "ⴰⵣⵓⵍ", "the the the the", "supercalifragilisticexpialidocious")


def sentences():
    rng = random.Random(SEED)
    made = dict.fromkeys(SPECIAL)
    while len(made) < COUNT:
        made[f"{rng.choice(WHO)} {rng.choice(WHAT)} {rng.choice(WHEN)}{rng.choice(AFTER)}"] = None
    return list(made)


def pool(ids, vectors, weights):
    known = [j for j in ids if j != UNKNOWN]
    if not known:
        return None
    mean = (vectors[known] * weights[known].astype(np.float64)[:, None]).mean(0)
    return mean, float(np.linalg.norm(mean))


def write_fixture(path, tokenizer, vectors, weights, asset_sha256):
    rows = []
    for text in sentences():
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        pooled = pool(ids, vectors, weights)
        row = {"text": text, "ids": ids}
        if pooled:
            row |= {"norm": float(f"{pooled[1]:.6g}"), "head": [round(float(x), 6) for x in (pooled[0] / pooled[1])[:HEAD]]}
        rows.append(json.dumps(row))
    path.parent.mkdir(parents=True, exist_ok=True)
    about = "Written by tools/static_table.py. head: first components of the pooled unit vector; norm: length of the weighted mean before normalising."
    path.write_text("\n".join([json.dumps({"about": about, "assetSha256": asset_sha256}), *rows]) + "\n", encoding="utf-8")
