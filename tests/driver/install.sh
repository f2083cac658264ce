#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `meson install` into a prefix: what is installed works without the build tree.
# usage: install.sh CUDASIM SCRATCH, CUDASIM in its build tree.
build=$(dirname "$(realpath "$1")")
. "$(dirname "$(realpath "$0")")/lib.sh"

root=$PWD/root
if meson install -C "$build" --no-rebuild --destdir "$root" >install.log 2>&1; then
	pass "meson install"
else
	fail "meson install" "$(tail -5 install.log)"
fi
installed=$(find "$root" -path '*/bin/cudasim' -type f)
prefix=$(dirname "$(dirname "$installed")")
cat >hello.cu <<'CU'
#include <cstdio>
__global__ void hello() { printf("thread %d\n", threadIdx.x); }
int main()
{
	hello<<<1, 2>>>();
	return cudaDeviceSynchronize();
}
CU
cat >plain.c <<'C'
#include <cudasim/observer.h>
int main(void) { return CUDASIM_ABORT > CUDASIM_GO ? 0 : 1; }
C
expect "doctor of the installed one" 0 "^this is .*$prefix/bin/cudasim \(installed\)" "$installed" doctor
expect "finds everything" 0 '^all there' "$installed" doctor
expect "cc of the installed one" 0 '^thread 1$' "$installed" cc hello.cu -o hello -run
ldd hello | grep -q "$prefix" && pass "links the installed library" ||
	fail "links the installed library" "$(ldd hello)"
tree=$("$installed" toolkit-path)
case $tree in
"$prefix"/*) pass "its toolkit lies in the prefix" ;;
*) fail "its toolkit lies in the prefix" "$tree" ;;
esac
pc=$(dirname "$(find "$root" -name cudasim.pc)")
# shellcheck disable=SC2046 # words are wanted
expect "pkg-config" 0 '^$' gcc plain.c -o plain \
	$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --cflags --libs cudasim)
finish
