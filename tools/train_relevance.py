#!/usr/bin/env python3
"""Learns from rows that tools/relevance-rows.ts wrote what orders hits in small namespaces, and how relevant a hit is; and judges both.

needs: pip install -r tools/requirements-ranker.txt
usage: train_relevance.py judge ROWS [ROWS ...]              cross-validated figures
       train_relevance.py write OUT.json ROWS [ROWS ...]     trains on everything
       train_relevance.py across FILE.json ROWS [ROWS ...]   trains FILE's relevance of questions in another language than the memories

ROWS is JSON lines: a question asked of some memories, with one row of features for each candidate, its label first, and what kind of question
it is. `own`: of the conversation it was made for; `other`: of another one, which does not answer it; `small` and `small-none`: of a few memories
of the conversation, with and without those that answer; `case` and `case-none`: of the small memories of test/search/evaluation; `nearly`: of the conversation
that nearly answers them (judged, never learned from). The last line names the features. Scores of trees are those of trees that did not see the
conversation: trained anew here, fold by fold; of the cases, which no tree sees, those of trees that saw all conversations.
"""
import hashlib
import json
import sys
import zlib
from pathlib import Path

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from train_ranker import PARAMETERS, TREES

FORMAT, NAME, FOLDS, HALF = 1, "relevance-v1", 5, 20
LARGE = {"trees": 1.0}
ORDER = ["trees", "meaning", "asks", "speaker", "number", "preference", "negation", "time", "covered", "named", "kind", "phrase", "short match"]
# What relevance goes by beside these: of the order, and of the best of all candidates.
HIT = ["order", "trees", "meaning", "exact", "coverage", "best meaning", "best coverage", "best exact", "meaning below best", "order below best", "margin",
       "size", "query tokens", "asks", "speaker", "number", "preference", "time", "covered", "missed", "named", "phrase", "short match",
       "unknown names", "unsaid", "best covered", "meaning of next", "agree"]
TOP = 10
# Candidates of a question that are read: more have the same few answers.
ROWS_MAX = 100
KINDS = {"own": 1, "other": 1, "small": 0.5, "small-none": 0.5, "case": 6, "case-none": 6}
SETS = {"knowme": 0.4, "languages": 0.3}
ORDER_KINDS = {"case": 1, "small": 0.25}
ORDER_SETS = {"knowme": 0.3, "languages": 0.3}
ORDER_SIZE_MAX = 30
MEANING_FAR = 0.05
# Questions in another language than the memories: the share of words that the namespace lacks, what relevance goes by, and weights of questions.
ACROSS_FROM, ACROSS_TO = 0.5, 0.6
ACROSS = ["order", "meaning", "best meaning", "size", "order below best", "meaning below best"]
ACROSS_SETS = {"life": 3, "languages": 2}
ACROSS_NONE, ACROSS_REST = 5, 0.15


def smallness(size):
    return 1 / (1 + (size / HALF) ** 2)


class Rows:
    def __init__(self, paths):
        self.questions, digest = [], hashlib.sha256()
        for path in paths:
            data = Path(path).read_bytes()
            digest.update(data)
            lines = [json.loads(line) for line in data.splitlines()]
            names = lines.pop()["names"]
            self.at = {name: at for at, name in enumerate(names)}
            self.trees = [at for name, at in self.at.items() if not name.startswith("relevance ")]
            for line in lines:
                if not line["rows"]:
                    continue
                table = np.array(line.pop("rows")[:ROWS_MAX], np.float32)
                fold = zlib.crc32((line["conversation"] if line["set"] != "knowme" else line["id"]).encode()) % FOLDS
                self.questions.append(dict(line, y=table[:, 0], x=table[:, 1:], fold=fold))
        self.digest = digest.hexdigest()

    def column(self, question, name):
        return question["x"][:, self.at["relevance " + name]]

    def unseen_trees(self):
        """Puts the scores of trees that have not seen a conversation in the place of those of the server's trees."""
        for fold in range(FOLDS):
            seen = [q for q in self.questions if q["fold"] != fold and q["kind"] == "own" and q["y"].any()]
            if not seen:
                return
            model = self.trees_of(seen)
            for q in self.questions:
                if q["fold"] == fold and not q["kind"].startswith("case"):
                    q["x"][:, self.at["relevance trees"]] = model.predict(q["x"][:, self.trees])
        # The server that wrote the rows may have had older trees.
        of_all = self.trees_of([q for q in self.questions if q["kind"] == "own" and q["y"].any()])
        for q in self.questions:
            if q["kind"].startswith("case"):
                q["x"][:, self.at["relevance trees"]] = of_all.predict(q["x"][:, self.trees])

    def trees_of(self, seen):
        data = lightgbm.Dataset(np.concatenate([q["x"][:, self.trees] for q in seen]), np.concatenate([q["y"] for q in seen]),
                                group=[len(q["y"]) for q in seen], params=dict(max_bin=PARAMETERS["max_bin"]))
        return lightgbm.train(dict(PARAMETERS), data, TREES)


def order_matrix(rows, q):
    return np.stack([rows.column(q, name) for name in ORDER], 1)


def fit_order(rows, questions):
    """Pairs of an answer and another candidate, of small memories; weights of the features, none of them for no feature."""
    pairs, weights = [], []
    for q in questions:
        if q["kind"] not in ORDER_KINDS or q["size"] > ORDER_SIZE_MAX or not q["y"].any():
            continue
        x = order_matrix(rows, q)
        right, wrong = np.flatnonzero(q["y"]), np.flatnonzero(q["y"] == 0)
        for p in right:
            for w in wrong:
                pairs.append(x[p] - x[w])
                weights.append(ORDER_KINDS[q["kind"]] * ORDER_SETS.get(q["set"], 1) / len(right) / len(wrong))
    pairs, weights = np.array(pairs), np.array(weights)
    scale = pairs.std(0) + 1e-6
    sign = np.where(np.arange(len(pairs)) % 2, 1, -1)
    model = LogisticRegression(fit_intercept=False, C=0.3, max_iter=3000).fit(pairs / scale * sign[:, None], sign > 0, sample_weight=weights / weights.mean())
    return model.coef_[0] / scale


def order_scores(rows, q, small, zero):
    x, g = order_matrix(rows, q), smallness(q["size"])
    large = sum(weight * rows.column(q, name) for name, weight in LARGE.items())
    return (1 - g) * large + g * (x @ small - zero)


def hit_matrix(rows, q, scores):
    best = np.argsort(-scores, kind="stable")[:TOP]
    second = np.sort(scores)[-2] if len(scores) > 1 else scores.max() - 3
    meaning, covered = rows.column(q, "meaning"), rows.column(q, "covered")
    column = {name: rows.column(q, name)[best] for name in HIT if "relevance " + name in rows.at}
    whole = {"best meaning": rows.column(q, "meaning").max(), "best coverage": rows.column(q, "coverage").max(), "best exact": rows.column(q, "exact").max(),
             "margin": scores.max() - second, "size": np.log1p(q["size"]), "best covered": covered.max(),
             "meaning of next": meaning[best[1:]].mean() if len(best) > 1 else MEANING_FAR, "agree": float(np.argmax(meaning) == np.argmax(covered))}
    column |= {name: np.full(len(best), value) for name, value in whole.items()}
    column["order"] = scores[best]
    column["order below best"] = scores[best] - scores.max()
    column["meaning below best"] = column["meaning"] - column["best meaning"]
    x = np.stack([column[name] for name in HIT], 1)
    return np.concatenate([x, x * smallness(q["size"])], 1), q["y"][best]


def weight_of(q):
    return KINDS[q["kind"]] * SETS.get(q["set"], 1)


class Relevance:
    def __init__(self, rows, questions):
        self.rows = rows
        self.small = fit_order(rows, questions)
        answers = [order_matrix(rows, q)[q["y"] > 0] @ self.small for q in questions if q["kind"] == "case"]
        self.zero = float(np.median(np.concatenate(answers))) - 2
        questions = [q for q in questions if q["kind"] in KINDS]
        tables = [hit_matrix(rows, q, self.scores(q)) for q in questions]
        x, y = np.concatenate([t[0] for t in tables]), np.concatenate([t[1] for t in tables])
        weights = np.concatenate([np.full(len(t[1]), weight_of(q)) for t, q in zip(tables, questions)])
        mean, scale = x.mean(0), x.std(0) + 1e-6
        model = LogisticRegression(C=0.3, max_iter=3000).fit((x - mean) / scale, y, sample_weight=weights)
        self.weights = model.coef_[0] / scale
        self.bias = float(model.intercept_[0] - mean @ self.weights)

    def scores(self, q):
        return order_scores(self.rows, q, self.small, self.zero)

    def told(self, q):
        x, y = hit_matrix(self.rows, q, self.scores(q))
        return 1 / (1 + np.exp(-(x @ self.weights + self.bias))), y


def calibration_error(p, y, bins=10):
    at = np.minimum((p * bins).astype(int), bins - 1)
    return sum(np.sum(at == b) * abs(p[at == b].mean() - y[at == b].mean()) for b in range(bins) if (at == b).any()) / len(p)


def curve(p, y, bins=10):
    at = np.minimum((p * bins).astype(int), bins - 1)
    return [(round(float(p[at == b].mean()), 3), round(float(y[at == b].mean()), 3), int((at == b).sum())) for b in range(bins) if (at == b).any()]


def judge(rows):
    told, right = {}, {}
    for fold in range(FOLDS):
        model = Relevance(rows, [q for q in rows.questions if q["fold"] != fold])
        for at, q in enumerate(rows.questions):
            if q["fold"] == fold:
                told[at] = model.told(q)
                if q["kind"] == "case":
                    right.setdefault(q["set"], []).append(bool(q["y"][np.argmax(model.scores(q))]))
    print("right first hits:", {name: f"{sum(all_)}/{len(all_)}" for name, all_ in right.items()})
    best = {at: (p.max(), y[np.argmax(p)]) for at, (p, y) in told.items()}
    of = lambda name, *kinds: [best[at][0] for at, q in enumerate(rows.questions) if q["set"] == name and q["kind"] in kinds]
    for name in dict.fromkeys(q["set"] for q in rows.questions):
        for here, there in (("own", "other"), ("own", "nearly"), ("small", "small-none"), ("case", "case-none")):
            a, b = of(name, here), of(name, there)
            if a and b:
                silence = {t: f"{np.mean(np.array(a) < t):.3f}/{np.mean(np.array(b) < t):.3f}" for t in (0.05, 0.06, 0.07, 0.08, 0.1, 0.15, 0.2)}
                print(f"{name:10s} {here:6s} against {there:10s} AUROC {roc_auc_score([1] * len(a) + [0] * len(b), a + b):.3f}; silent where there is/no answer {silence}")
    p, y = np.concatenate([t[0] for t in told.values()]), np.concatenate([t[1] for t in told.values()])
    pb, yb = np.array([b[0] for b in best.values()]), np.array([b[1] for b in best.values()])
    print(f"expected calibration error: hits {calibration_error(p, y):.4f}, best hits {calibration_error(pb, yb):.4f}")
    for kind in (*KINDS, "nearly"):
        chosen = [at for at, q in enumerate(rows.questions) if q["kind"] == kind]
        if chosen:
            p1, y1 = np.array([best[at][0] for at in chosen]), np.array([best[at][1] for at in chosen])
            pk, yk = np.concatenate([told[at][0] for at in chosen]), np.concatenate([told[at][1] for at in chosen])
            print(f"  {kind:10s} hits {calibration_error(pk, yk):.4f}, best hits {calibration_error(p1, y1):.4f}")
    print("reliability of hits (told, came true, how many):", curve(p, y))
    print("reliability of best hits:", curve(pb, yb))


def short(value):
    return float(f"{value:.6g}")


def write(rows, out):
    model = Relevance(rows, rows.questions)
    small = model.weights[len(HIT):]
    file = {
        "format": FORMAT, "name": NAME, "half": HALF,
        "order": {"features": ORDER, "large": [LARGE.get(name, 0) for name in ORDER], "small": [short(w) for w in model.small], "smallZero": short(model.zero)},
        "relevance": {"features": HIT, "weights": [short(w) for w in model.weights[:len(HIT)]],
                      "small": [short(w) for w in small], "bias": short(model.bias)},
        "made": {"by": "tools/train_relevance.py", "rowsSha256": rows.digest, "questions": len(rows.questions)},
    }
    Path(out).write_text(json.dumps(file, indent=1) + "\n")


def across(rows, out):
    """Adds to the file of `write`, by its order of small namespaces; the first hit of an answer decides most. Without the cases to check with."""
    file, tables = json.loads(Path(out).read_text()), []
    small, zero = np.array(file["order"]["small"]), file["order"]["smallZero"]
    for q in rows.questions:
        if q["set"] == "cases" or q.get("half") == "check" or q["kind"] not in ("own", "other", "case", "case-none"):
            continue
        if rows.column(q, "unsaid")[0] < ACROSS_TO:
            continue
        x, y = hit_matrix(rows, q, order_matrix(rows, q) @ small - zero)
        weight = ACROSS_SETS.get(q["set"], 1) * (ACROSS_NONE if q["kind"] in ("other", "case-none") else 1)
        tables.append((x[:, [HIT.index(name) for name in ACROSS]], y, weight * np.where(np.arange(len(y)) == 0, 1, ACROSS_REST)))
    x, y, weights = (np.concatenate(part) for part in zip(*tables))
    mean, scale = x.mean(0), x.std(0) + 1e-6
    model = LogisticRegression(max_iter=3000).fit((x - mean) / scale, y, sample_weight=weights)
    found = model.coef_[0] / scale
    file["across"] = {"from": ACROSS_FROM, "to": ACROSS_TO, "features": ACROSS, "weights": [short(w) for w in found],
                      "bias": short(float(model.intercept_[0] - mean @ found))}
    file["made"] |= {"acrossRowsSha256": rows.digest, "acrossQuestions": len(tables)}
    Path(out).write_text(json.dumps(file, indent=1) + "\n")


def main():
    command, *arguments = sys.argv[1:]
    out = arguments.pop(0) if command in ("write", "across") else None
    rows = Rows(arguments)
    if command == "across":
        return across(rows, out)
    rows.unseen_trees()
    if command == "judge":
        judge(rows)
    else:
        write(rows, out)


if __name__ == "__main__":
    main()
