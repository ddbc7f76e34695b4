#!/bin/sh
# Brings a program of npm that is no package of the project into .toolchain/<name of FOLDER>; FOLDER has its package.json and lock file.
# usage: tools/npm-tool.sh FOLDER TITLE
# Says nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."
source=$1
title=$2
folder=.toolchain/$(basename "$source")
# The stamp of a finished installation is a copy of the lock file inside node_modules.
if cmp -s "$source/package-lock.json" "$folder/node_modules/.installed"; then exit 0; fi
echo "Installing $title into $folder (once) ..." >&2
mkdir -p "$folder"
cp "$source/package.json" "$source/package-lock.json" "$folder/"
(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >npm.log 2>&1 </dev/null) || {
  cat "$folder/npm.log" >&2
  echo 'npm ci failed (see above). Is the package registry within reach?' >&2
  exit 1
}
cp "$source/package-lock.json" "$folder/node_modules/.installed"
