# SPDX-License-Identifier: Apache-2.0
# ccache before our nvcc: hits are hits, and no stale object is taken.
. "$(dirname "$0")/lib.sh"

if ! command -v ccache >/dev/null; then
	echo '1..0 # SKIP no ccache here'
	exit 0
fi
nvcc=$("$cudasim" nvcc-path)/nvcc
export CCACHE_DIR=$PWD/ccache CCACHE_CONFIGPATH=$PWD/ccache.conf
unset CCACHE_DISABLE CCACHE_PREFIX CCACHE_RECACHE CCACHE_NODIRECT

# put FILE: stdin becomes the file, an hour old, for ccache distrusts younger ones.
put() {
	cat >"$1"
	touch -d '1 hour ago' "$1"
}

# compile NAME HITS SYMBOL: ccache has had HITS hits after compiling a.cu, and a.o has
# SYMBOL.
compile() {
	local output hits
	rm -f a.o a.d
	if ! output=$(ccache "$nvcc" -O2 -MD -MT a.o -MF a.d -x cu -c a.cu -o a.o 2>&1); then
		fail "$1" "$output"
		return
	fi
	hits=$(ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ {n += $2} END {print n + 0}')
	if [ "$hits" != "$2" ]; then
		fail "$1" "$hits hits, not $2"
	elif ! nm a.o | grep -q " $3\$"; then
		fail "$1" "no $3 in a.o"
	elif ! grep -q 'a\.h' a.d; then
		fail "$1" 'no a.h in a.d'
	else
		pass "$1"
	fi
}

source() {
	put a.cu <<EOF
#include <cstdio>
#include "a.h"
__global__ void kernel() { printf("%d\\n", VALUE); }
#ifndef __CUDA_ARCH__
int $1;
#endif
int main()
{
	kernel<<<1, 1>>>();
	return cudaDeviceSynchronize();
}
EOF
}

put a.h <<<'#define VALUE 1'
source first
compile 'a source is compiled' 0 first
compile 'and comes from the cache' 1 first
expect 'its object is linked' 0 '^1$' "$nvcc" a.o -o a -run
source other
compile 'a change that the host alone sees' 1 other
put a.h <<<'#define VALUE 2'
compile 'another header' 1 other
expect 'is in the program' 0 '^2$' "$nvcc" a.o -o a -run
compile 'that, too, comes from the cache' 2 other
expect '-E shows the device side, and that there is another' 0 '^#pragma cudasim host [0-9a-f]{32}$' \
	"$nvcc" -E a.cu
if "$nvcc" -E a.cu | grep -q 'int other'; then fail 'alone'; else pass 'alone'; fi
finish
