#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `meson install` into a folder, which is then moved elsewhere. installed.sh looks at what lies there, with the
# source and the build tree hidden by empty folders where that is possible (unshare).
# usage: install.sh CUDASIM SCRATCH FAKE, CUDASIM in its build tree, FAKE in the place of the
# vendor's libcudart (tests/gpu).
fake=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
build=$(dirname "$(realpath "$1")")
source=$(dirname "$(dirname "$here")")
. "$here/lib.sh"

elsewhere=$(mktemp -d) counted=
trap 'rm -rf "$elsewhere"' EXIT
if meson install -C "$build" --no-rebuild --destdir "$PWD/root" >install.log 2>&1; then
	pass "meson install"
else
	fail "meson install" "$(tail -5 install.log)"
fi
prefix=$(dirname "$(dirname "$(find root -path '*/bin/cudasim' -type f)")")
mv "$prefix" "$elsewhere/a place"
mkdir "$elsewhere/scripts"
cp -r "$here"/{installed.sh,lib.sh,run_program.py,package} "$fake" "$elsewhere/scripts"

# Counting executions needs the build tree.
if [ "$(find "$build" -name '*.gcno' -print -quit)" ]; then
	counted="# SKIP files that count what is executed write there"
fi
# Debug information may name them.
named=$(find "$elsewhere/a place" -type f | while IFS= read -r file; do
	objcopy --strip-debug "$file" stripped 2>/dev/null || cp "$file" stripped
	! grep -qaF -e "$source/" -e "$build/" stripped || echo "$file"
done)
[ -z "$named" ] || [ "$counted" ] && pass "no file names the source or the build tree $counted" || fail "no file names the source or the build tree" "$named"

# Root needs no namespace of users, in which files of other users have no owner.
hide=(unshare --mount)
[ "$(id -u)" -eq 0 ] || hide+=(--map-root-user)
# shellcheck disable=SC2016 # the shell within expands
hide+=(bash -c 'for tree in "$1" "$2"; do [ ! -d "$tree" ] || mount -t tmpfs none "$tree" || exit 125; done; cd / && shift 2 && exec "$@"' bash "$source" "$build")
if [ ! "$counted" ] && "${hide[@]}" true 2>/dev/null; then
	pass "the trees are hidden"
else
	echo "ok $((++n_tests)) - the trees are hidden ${counted:-# SKIP unshare is not permitted here}"
	hide=()
fi
n_tests=$n_tests "${hide[@]}" bash "$elsewhere/scripts/installed.sh" "$elsewhere/a place/bin/cudasim" \
	"$elsewhere/scratch" "$elsewhere/scripts/$(basename "$fake")"
