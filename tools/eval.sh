#!/bin/sh
# Scores recall on a set of questions: tools/eval.sh SET.json [--pooled] [--out FILE] [--against FILE] …; --help lists all flags
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
PATH=$root/.toolchain/node_modules/.bin:$PATH
export NODE_COMPILE_CACHE="$root/node_modules/.cache/mneme-compile"
exec node --disable-warning=ExperimentalWarning "$root/tools/eval/main.ts" "$@"
