#!/bin/sh
# What `make` offers of the TypeScript client beside its tests. usage: tools/clients/typescript.sh package | docs
# TypeDoc goes into .toolchain/typedoc and nowhere else: it reads sources by a TypeScript that is not the project's (docs/decisions/packages.md).
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
client=$root/clients/typescript
typedoc=$root/.toolchain/typedoc
export PATH="$root/.toolchain/node_modules/.bin:$root/node_modules/.bin:$PATH"

fail() {
  echo "$1" >&2
  exit 1
}

# npm prints a page of notices even when all is well: they are shown only when it fails.
npm_quietly() {
  log=$(mktemp)
  npm "$@" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >"$log" 2>&1 </dev/null || fail "$(cat "$log")"
  rm "$log"
}

# The tarball, and a proof of it: a program in an empty folder, with nothing but what it asks the registry for, uses both of its modules.
package() {
  echo 'Building the npm package of the TypeScript client (up to a minute) ...' >&2
  rm -f "$client"/*.tgz
  (cd "$client" && npm run build --silent && npm_quietly pack)
  echo 'Trying the package in an empty folder ...' >&2
  folder=$(mktemp -d)
  (
    cd "$folder"
    echo '{"type": "module"}' >package.json
    npm_quietly install "$client"/*.tgz
    cat >main.js <<'END'
import { connect } from '@mneme/client';
import { startServer } from '@mneme/client/testing';

const server = await startServer();
const mneme = connect(server.address);
await mneme.store({ text: 'tea at five' });
await mneme.close();
await server.stop();
END
    MNEME_BIN=$root/bin/mneme node main.js
  )
  rm -rf "$folder"
  ls "$client"/*.tgz
}

# The reference documentation, as pages; a warning is an error.
docs() {
  tools/npm-tool.sh tools/clients/typedoc TypeDoc
  rm -rf "$client/docs"
  said=$(cd "$client" && "$typedoc/node_modules/.bin/typedoc" --logLevel Warn 2>&1) || fail "$said"
  [ -z "$said" ] || fail "$said"
  echo "$client/docs/index.html"
}

case ${1:-} in
package) package ;;
docs) docs ;;
*) fail 'usage: tools/clients/typescript.sh package | docs' ;;
esac
