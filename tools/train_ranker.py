#!/usr/bin/env python3
"""Learns the ranker's trees from what tools/relevance-rows.ts or `tools/eval.sh SET.json --features PATH` wrote, and judges them.

needs: pip install -r tools/requirements-ranker.txt
usage: train_ranker.py cv FEATURES                        cross-validated figures of every set
       train_ranker.py left-out FEATURES                  the same beside trees that saw no question of the set, with intervals
       train_ranker.py ablate FEATURES [NAME ...]         the same without each feature (or those named), in turn
       train_ranker.py write FEATURES OUT.json [FIXTURE]  trains on everything; FIXTURE: rows with LightGBM's own predictions

FEATURES is OUT.jsonl of tools/relevance-rows.ts, whose vectors of the sentence encoder were all made, or the PATH of the other; or several with commas between, of which each is a set that
goes by its file name. PATH.bin is
float32, row by row; PATH.json names the columns and gives, for each question, its set, conversation,
category, number of evidence, number of rows and which rows are evidence. Folds are conversations; a set of one
conversation folds over its questions. The same input gives the same file, byte for byte.
"""
import hashlib
import json
import sys
from pathlib import Path

import lightgbm
import numpy as np

FORMAT, NAME, SEED, FOLDS = 1, "ranker-v3", 1, 5
TRAINED_ON = ("locomo", "realtalk", "beam", "knowme")
TREES = 200
CUT_TREES, CUT_KEPT = 30, 80  # FIRST_CUT of src/search/ranking/tree-scores.ts
PARAMETERS = dict(
    objective="lambdarank", num_leaves=15, learning_rate=0.05, min_data_in_leaf=50, feature_fraction=0.6, bagging_fraction=0.7,
    bagging_freq=1, lambdarank_truncation_level=20, max_bin=63, seed=SEED, deterministic=True, force_col_wise=True,
    num_threads=1, verbose=-1,
)
CATEGORIES_OF = "locomo"


def of_features(path):
    """The features of the trees alone: those of relevance have the score of the server's trees, which have seen every answer."""
    about = json.loads(Path(path + ".json").read_text())
    kept = [at for at, name in enumerate(about["names"]) if not name.startswith("relevance ")]
    table = np.fromfile(path + ".bin", np.float32).reshape(-1, len(about["names"]))
    return dict(about, names=[about["names"][at] for at in kept]), table[:, kept].tobytes()


def of_rows(path):
    """Questions asked of their own conversation, and the features of the trees alone."""
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    names = next(line["names"] for line in lines if "names" in line)
    kept = [at for at, name in enumerate(names) if not name.startswith("relevance ")]
    questions, tables = [], []
    for q in lines:
        if q.get("kind") != "own":
            continue
        table = np.array(q["rows"], np.float32).reshape(-1, 1 + len(names))
        tables.append(table[:, 1:][:, kept])
        # The category is not taken down.
        questions.append(dict(set=q["set"], id=q["id"], conversation=q["conversation"], category="all", evidence=q["evidence"],
                              rows=len(table), relevant=np.flatnonzero(table[:, 0]).tolist()))
    return dict(names=[names[at] for at in kept], questions=questions), np.concatenate(tables).tobytes()


class Features:
    """The matrix, and of each question: set, fold, evidence count, first row and labels."""

    def __init__(self, paths):
        read = [of_rows(path) if path.endswith(".jsonl") else of_features(path) for path in paths.split(",")]
        told, bytes_ = [one[0] for one in read], [one[1] for one in read]
        self.names = told[0]["names"]
        assert all(one["names"] == self.names for one in told), "files of different features"
        self.x = np.frombuffer(b"".join(bytes_), dtype=np.float32).reshape(-1, len(self.names))
        self.questions, at, homes, places = [], 0, {}, {}
        questions = [q for one in told for q in one["questions"]]
        for q in questions:
            homes.setdefault(q["set"], []).append(q["conversation"])
        homes = {name: list(dict.fromkeys(of)) for name, of in homes.items()}
        for q in questions:
            place = places[q["set"]] = places.get(q["set"], -1) + 1
            alone = len(homes[q["set"]]) == 1
            y = np.zeros(q["rows"], np.float32)
            y[q["relevant"]] = 1
            fold = (place if alone else homes[q["set"]].index(q["conversation"])) % FOLDS
            self.questions.append(dict(q, first=at, y=y, fold=fold))
            at += q["rows"]
        self.digest = hashlib.sha256(b"".join(bytes_)).hexdigest()

    def rows(self, q, columns):
        return self.x[q["first"]:q["first"] + q["rows"]][:, columns]

    def sets(self):
        return list(dict.fromkeys(q["set"] for q in self.questions))


def train(features, columns, questions):
    """Questions whose evidence is not among the candidates teach nothing and are left out."""
    teaching = [q for q in questions if q["set"] in TRAINED_ON and q["y"].any()]
    rows = np.concatenate([features.rows(q, columns) for q in teaching])
    labels = np.concatenate([q["y"] for q in teaching])
    data = lightgbm.Dataset(rows, labels, group=[q["rows"] for q in teaching], params=dict(max_bin=PARAMETERS["max_bin"]))
    return lightgbm.train(PARAMETERS, data, TREES)


def cross_validated(features, columns, by="fold"):
    """Scores of the rows of each question by the trees that saw nothing of its fold, or of its set."""
    scores = {}
    for part in dict.fromkeys(q[by] for q in features.questions):
        model = train(features, columns, [q for q in features.questions if q[by] != part])
        for at, q in enumerate(features.questions):
            if q[by] == part:
                scores[at] = predicted(model, features.rows(q, columns))
    return scores


def predicted(model, rows):
    """As the server scores: the first trees decide which rows the others see."""
    scores = model.predict(rows)
    if len(rows) > CUT_KEPT:
        first = model.predict(rows, num_iteration=CUT_TREES)
        out = np.argsort(-first, kind="stable")[CUT_KEPT:]
        scores[out] = scores.min() - 1 - (first.max() - first[out])
    return scores


def figures(questions, scores, k=10):
    recall, gain = [], []
    for q, s in zip(questions, scores):
        hits = q["y"][np.argsort(-s, kind="stable")[:k]]
        discount = 1 / np.log2(np.arange(k) + 2)
        recall.append(hits.sum() / q["evidence"])
        gain.append((hits * discount[:len(hits)]).sum() / discount[:min(k, q["evidence"])].sum())
    return 100 * float(np.mean(recall)), 100 * float(np.mean(gain))


def interval(values, draws=2000):
    """Of the mean, 95 %, by the bootstrap over questions."""
    rng = np.random.default_rng(SEED)
    means = np.sort([rng.choice(values, len(values)).mean() for _ in range(draws)])
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def left_out(features, columns):
    """By set: recall@10 of trees that saw other conversations of the set, and of trees that saw other sets alone."""
    folds, sets = cross_validated(features, columns), cross_validated(features, columns, "set")
    for name in features.sets():
        chosen = [at for at, q in enumerate(features.questions) if q["set"] == name]
        groups = {"all": chosen}
        for at in chosen:
            groups.setdefault(features.questions[at]["category"], []).append(at)
        for group, of in groups.items():
            seen, unseen = ([figures([features.questions[at]], [scores[at]]) for at in of] for scores in (folds, sets))
            cells = []
            for some in (seen, unseen):
                recall = np.array([one[0] for one in some])
                low, high = interval(recall)
                cells.append(f"{recall.mean():6.2f} [{low:.2f}, {high:.2f}] nDCG@10 {np.mean([one[1] for one in some]):.2f}")
            print(f"{name:10s} {group:28s} n {len(of):4d} | other conversations {cells[0]} | other sets {cells[1]}", flush=True)


def report(tag, features, scores):
    line, means = [], []
    for name in features.sets():
        chosen = [at for at, q in enumerate(features.questions) if q["set"] == name]
        recall, gain = figures([features.questions[at] for at in chosen], [scores[at] for at in chosen])
        line.append(f"{name} {recall:.1f}/{gain:.1f}")
        if name in TRAINED_ON:
            means.append(recall)
    for category in sorted({q["category"] for q in features.questions if q["set"] == CATEGORIES_OF}):
        chosen = [at for at, q in enumerate(features.questions) if q["set"] == CATEGORIES_OF and q["category"] == category]
        line.append(f"{category} {figures([features.questions[at] for at in chosen], [scores[at] for at in chosen])[0]:.1f}")
    print(f"{tag:32s} mean {np.mean(means):.2f} | recall@10/nDCG@10 {' '.join(line)}", flush=True)


def flattened(model, names):
    """Nodes and leaves of all trees in flat lists; a child is a node's index, or -1 - index of a leaf."""
    flat = dict(roots=[], feature=[], threshold=[], left=[], right=[], expected=[], leaf=[])

    def add(node):
        if "leaf_value" in node:
            flat["leaf"].append(shortest(node["leaf_value"]))
            return -len(flat["leaf"]), node["leaf_value"], node["leaf_count"]
        at = len(flat["feature"])
        flat["feature"].append(node["split_feature"])
        # Features are float32: the next float32 below decides the same and takes half the digits.
        below = np.float32(node["threshold"])
        if float(below) > node["threshold"]:
            below = np.nextafter(below, np.float32(-np.inf))
        flat["threshold"].append(shortest(below))
        for side in ("left", "right", "expected"):
            flat[side].append(0)
        total = weight = 0
        for side in ("left", "right"):
            flat[side][at], value, count = add(node[f"{side}_child"])
            total, weight = total + value * count, weight + count
        flat["expected"][at] = shortest(np.float32(total / weight))
        return at, total / weight, weight

    for tree in model.dump_model()["tree_info"]:
        flat["roots"].append(add(tree["tree_structure"])[0])
    return dict(format=FORMAT, name=NAME, features=names, **flat)


def shortest(value):
    """The shortest decimal that is the same float32, or 8 digits of a wider number."""
    return float(str(value)) if isinstance(value, np.float32) else float(f"{value:.8g}")


def write(features, columns, out, fixture):
    model = train(features, columns, features.questions)
    names = [features.names[c] for c in columns]
    file = flattened(model, names)
    file["made"] = dict(by="tools/train_ranker.py", sets=list(TRAINED_ON), featuresSha256=features.digest,
                        questions=sum(q["set"] in TRAINED_ON for q in features.questions), lightgbm=lightgbm.__version__,
                        trees=TREES, parameters={k: v for k, v in PARAMETERS.items() if k != "verbose"})
    Path(out).write_text(json.dumps(file, separators=(",", ":")) + "\n")
    if fixture:
        rng = np.random.default_rng(SEED)
        picked = features.x[rng.choice(len(features.x), 64, replace=False)][:, columns]
        # Numbers of no set: rows are mixed column by column.
        mixed = np.stack([rng.permutation(column) for column in picked.T], 1).astype(np.float32)
        told = dict(rows=[[shortest(v) for v in row] for row in mixed], predictions=[float(p) for p in model.predict(mixed)])
        Path(fixture).write_text(json.dumps(told, separators=(",", ":")) + "\n")


def main():
    command, path, *rest = sys.argv[1:]
    features = Features(path)
    columns = list(range(len(features.names)))
    if command == "write":
        return write(features, columns, rest[0], rest[1] if len(rest) > 1 else None)
    if command == "left-out":
        return left_out(features, columns)
    report("all features", features, cross_validated(features, columns))
    if command == "ablate":
        for name in rest or features.names:
            kept = [c for c in columns if features.names[c] != name]
            report(f"without {name}", features, cross_validated(features, kept))


if __name__ == "__main__":
    main()
