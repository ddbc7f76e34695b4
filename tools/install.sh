#!/bin/sh
# Brings what the checkout runs on: Node 24 where the host's is older than 22.19, and the locked packages.
# usage: tools/install.sh production|development
# Calls no npm and says nothing when all of it is there already.
set -eu
cd "$(dirname "$0")/.."
wanted=${1:-production}
toolchain=.toolchain
PATH=$PWD/$toolchain/node_modules/.bin:$PATH

# npm prints a page of notices even when all is well: they are shown only when it fails.
npm_quietly() {
  command -v npm >/dev/null || {
    echo 'Mneme needs npm to install itself: install Node with npm (any version) and try again.' >&2
    exit 1
  }
  npm "$@" --no-audit --no-fund --no-update-notifier --loglevel=error >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    echo "npm $1 failed (see above). Is the package registry within reach?" >&2
    exit 1
  }
}

node_is_new_enough() {
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 22 || (+a === 22 && +b >= 19) ? 0 : 1)' \
    2>/dev/null
}

install_node() {
  echo 'Installing Node 24 into .toolchain (once) ...' >&2
  mkdir -p $toolchain
  # npm writes into the folder that it installs into: it gets a copy of the manifest.
  cp tools/node/package.json tools/node/package-lock.json $toolchain/
  log=$PWD/$toolchain/npm.log
  # The package fetches the binary for this machine in its install script.
  (cd $toolchain && npm_quietly ci --ignore-scripts=false)
  # The shell keeps the place of the host's node otherwise.
  hash -r
}

# The stamp of a finished installation is a copy of the lock file inside node_modules: it goes when they go.
stamp() {
  echo "node_modules/.installed-$1"
}

is_installed() {
  cmp -s package-lock.json "$(stamp "$1")"
}

install_packages() {
  echo 'Installing the locked packages (once) ...' >&2
  mkdir -p $toolchain
  log=$PWD/$toolchain/npm.log
  # No package of ours needs its install script: native modules and tools come as prebuilt binaries.
  if [ "$1" = development ]; then
    npm_quietly ci --ignore-scripts --include=dev
  else
    npm_quietly ci --ignore-scripts --omit=dev
  fi
  cp package-lock.json "$(stamp "$1")"
}

if [ -x $toolchain/node_modules/.bin/node ]; then
  cmp -s tools/node/package-lock.json $toolchain/package-lock.json || install_node
elif ! node_is_new_enough; then
  install_node
fi

# A checkout that was made for development stays so: `make run` after `make test` takes nothing away.
if [ -e "$(stamp development)" ]; then wanted=development; fi
is_installed development || { [ "$wanted" = production ] && is_installed production; } || install_packages "$wanted"

# Tests load Kysely and zod as one module each; what these were made of is beside them.
if [ "$wanted" = development ]; then
  cat package-lock.json tools/bundle-packages.ts | cmp -s - .cache/packages/made-of || node tools/bundle-packages.ts
fi
