#!/bin/sh
# Makes the folder that an image of Mneme runs from, and proves it: a server is started from it, and stores and recalls a memory.
# Code that Node has compiled meanwhile stays in the folder and shortens each start of a container.
# usage: tools/image/build.sh FOLDER [USER ID OF THE IMAGE]
set -eu
cd "$(dirname "$0")/../.."
folder=$1
user=${2:-65532}
rm -rf "$folder"
node --disable-warning=ExperimentalWarning tools/image/assemble.ts "$folder"
cache=$folder/.cache
if [ "$(id -u)" = 0 ]; then
  # Node keeps compiled code for each user: it is that of the image.
  chown -R "$user:$user" "$cache"
  setpriv --reuid="$user" --regid="$user" --clear-groups tools/image/try.sh "$folder"
  chown -R 0:0 "$cache"
else
  tools/image/try.sh "$folder"
fi
chmod -R a+rX,go-w "$folder"
