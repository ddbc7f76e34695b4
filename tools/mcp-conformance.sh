#!/bin/sh
# Brings the conformance suite of MCP into .toolchain/mcp-conformance: it is no package of the project, since it needs 120 others.
# Says nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."
folder=.toolchain/mcp-conformance
lock=tools/mcp-conformance/package-lock.json
# The stamp of a finished installation is a copy of the lock file inside node_modules.
if cmp -s $lock $folder/node_modules/.installed; then exit 0; fi
echo "Installing MCP's conformance suite into $folder (once) ..." >&2
mkdir -p $folder
cp tools/mcp-conformance/package.json $lock $folder/
(cd $folder && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >npm.log 2>&1 </dev/null) || {
  cat $folder/npm.log >&2
  echo 'npm ci failed (see above). Is the package registry within reach?' >&2
  exit 1
}
cp $lock $folder/node_modules/.installed
