# shellcheck shell=sh
# Sourced, with the checkout in $root: Go 1.25 or newer on the path, and `fail`.
export PATH="/usr/local/go/bin:$PATH"
export GOTOOLCHAIN=local

fail() {
  echo "$1" >&2
  exit 1
}

# Go of the system where it is new enough, otherwise the one that the proxy of modules keeps for this machine.
install_go() {
  export PATH="$root/.toolchain/go/bin:$PATH"
  go version 2>/dev/null | grep -Eq 'go1\.(2[5-9]|[3-9][0-9])' && return
  case $(uname -s)-$(uname -m) in
  Linux-x86_64) machine=linux-amd64 sum=38461905b98c59173672814302e222ab43b652274bc0c95817b08b71ab66b705 ;;
  Linux-aarch64) machine=linux-arm64 sum=4c3f961bc257ff52e7a425166f9f75015f645dff071d01a81823455ffe646609 ;;
  *) fail 'Go 1.25 or newer is needed here: https://go.dev/dl' ;;
  esac
  name=v0.0.1-go1.26.0.$machine
  echo 'Installing Go 1.26 into .toolchain/go (once) ...' >&2
  mkdir -p "$root/.toolchain"
  fetched=$(mktemp -d -p "$root/.toolchain")
  {
    curl -fsSL "https://proxy.golang.org/golang.org/toolchain/@v/$name.zip" -o "$fetched/go.zip" &&
      echo "$sum  $fetched/go.zip" | sha256sum --check --quiet &&
      python3 -m zipfile -e "$fetched/go.zip" "$fetched"
  } >"$fetched/log" 2>&1 || fail "$(cat "$fetched/log")
Go could not be downloaded (see above). Install Go 1.25 or newer: https://go.dev/dl"
  chmod +x "$fetched/golang.org/toolchain@$name"/bin/* "$fetched/golang.org/toolchain@$name"/pkg/tool/*/*
  mv "$fetched/golang.org/toolchain@$name" "$root/.toolchain/go"
  rm -r "$fetched"
}

install_go
