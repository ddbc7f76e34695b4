#!/usr/bin/env bash
# Scores recall on every set of questions of a folder, by `tools/eval.sh`; called by `make eval-sets` and `make eval-left-out`.
# usage: eval-sets.sh SETS OUT [AGAINST]     rankings go to OUT/NAME.jsonl, reports to OUT/NAME.txt; AGAINST is the OUT of an earlier run
#        eval-sets.sh --left-out SETS OUT    what the ranker sees goes to OUT/NAME.bin; then trees that saw no question of a set are scored on it
set -euo pipefail
left_out=''
if [ "$1" = --left-out ]; then left_out=1 && shift; fi
sets=$1 out=$2 against=${3:-}
mkdir -p "$out"
names=()
for set in "$sets"/*.json; do
  name=$(basename "$set" .json)
  names+=("$out/${name%-dev}")
  echo "$name"
  flags=(--out "$out/$name.jsonl")
  if [ -n "$left_out" ]; then flags=(--features "$out/${name%-dev}"); fi
  if [ -n "$against" ]; then flags+=(--against "$against/$name.jsonl"); fi
  tools/eval.sh "$set" "${flags[@]}" | tee "$out/$name.txt"
done
if [ -z "$left_out" ]; then exit; fi
python=.toolchain/ranker/bin/python
if ! cmp -s tools/requirements-ranker.txt .toolchain/ranker/installed; then
  python3 -m venv --clear .toolchain/ranker
  "$python" -m pip install --quiet --disable-pip-version-check -r tools/requirements-ranker.txt
  cp tools/requirements-ranker.txt .toolchain/ranker/installed
fi
"$python" tools/train_ranker.py left-out "$(IFS=, && echo "${names[*]}")"
