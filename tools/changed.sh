#!/bin/sh
# usage: tools/changed.sh PATH...
# Whether one of these paths differs from where this branch left main. On main itself, and where nothing is known of main, it is taken
# to differ.
set -eu
cd "$(dirname "$0")/.."
for main in origin/main main; do
  base=$(git merge-base HEAD "$main" 2>/dev/null) && break
done
[ -n "${base:-}" ] && [ "$base" != "$(git rev-parse HEAD)" ] || exit 0
! git diff --quiet "$base" -- "$@"
