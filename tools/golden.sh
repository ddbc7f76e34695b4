#!/bin/sh
# Runs retrieval cases against a server: npm run golden -- CASES.json [--memories DIR] [--server ADDRESS]
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
"$root/tools/install.sh" development
PATH=$root/.toolchain/node_modules/.bin:$PATH
exec node --disable-warning=ExperimentalWarning "$root/tools/golden.ts" "$@"
