# SPDX-License-Identifier: Apache-2.0
# The cache of compiled sources. What an object was made of is told by a text in
# it, what became of a compilation by -v.
. "$(dirname "$0")/lib.sh"
export CUDASIM_CACHE=$PWD/cache
unset CUDASIM_CACHE_SIZE

# put FILE: stdin becomes the file, an hour old; younger ones than the compilation
# are not trusted.
put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
	touch -d '1 hour ago' "$1"
}

# compile NAME VERDICT TEXT ARGUMENT...: cc -v -c -o x.o says VERDICT ("stored in", "reused
# from", "not stored"), and x.o holds TEXT.
compile() {
	local name=$1 verdict=$2 text=$3 output
	shift 3
	rm -f x.o
	if ! output=$("$cudasim" cc -v -c -o x.o "$@" 2>&1); then
		fail "$name" "$output"
	elif ! grep -q "cache: .*$verdict" <<<"$output"; then
		fail "$name" "not '$verdict': $(grep cache: <<<"$output")"
	elif ! grep -qaF -- "$text" x.o; then
		fail "$name" "the object does not hold '$text'"
	else
		pass "$name"
	fi
}

# same NAME FILE FILE
same() {
	if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$2 and $3 differ"; fi
}

put a.cu <<'EOF'
#include "a.h"
#if __has_include("option.h")
#include "option.h"
#else
#define OPTION "without"
#endif
#warning "said of the source"
__global__ void kernel(int *p) { *p = 3; }
const char *text() { return TEXT " " OPTION; }
EOF
put include/a.h <<'EOF'
#define TEXT "first text"
EOF

compile 'a source is compiled and kept' 'stored in' 'first text without' -Iinclude a.cu
cp x.o first.o
compile 'unchanged, it is taken' 'reused from' 'first text without' -Iinclude a.cu
same 'the object is the same' first.o x.o
expect 'what the compiler said is said again' 0 'said of the source' \
	"$cudasim" cc -v -c -o x.o -Iinclude a.cu
if [ "$("$cudasim" cc -v -c -o x.o -Iinclude a.cu 2>&1 | grep -c 'warning: "said of')" = 1 ]; then
	pass 'once'
else
	fail 'once'
fi
touch -d '2 hours ago' include/a.h
compile 'a header with new times only is the same' 'reused from' 'first text' -Iinclude a.cu

put include/a.h <<'EOF'
#define TEXT "other text"
EOF
compile 'a header of the same size with other text is not' 'stored in' 'other text' -Iinclude a.cu
put include/a.h <<'EOF'
#define TEXT "first text"
EOF
compile 'an earlier state is remembered' 'reused from' 'first text' -Iinclude a.cu
put include/option.h <<'EOF'
#define OPTION "with"
EOF
compile 'a header that __has_include asked for appears' 'stored in' 'first text with' -Iinclude a.cu
rm include/option.h
compile 'and goes' 'reused from' 'first text without' -Iinclude a.cu
put before/b.h <<<''
compile 'another include path is another unit' 'stored in' 'first text' -Ibefore -Iinclude a.cu
put before/a.h <<'EOF'
#define TEXT "shadow"
EOF
compile 'a header appears before the one that was read' 'stored in' 'shadow' -Ibefore -Iinclude a.cu
rm before/a.h
compile 'and goes, too' 'reused from' 'first text' -Ibefore -Iinclude a.cu
put a.h <<'EOF'
#define TEXT "beside"
EOF
compile 'a header appears beside the source' 'stored in' 'beside' -Iinclude a.cu
rm a.h include/a.h
expect 'a header that is gone is missed' fail "'a.h' file not found" "$cudasim" cc -c -o x.o -Iinclude a.cu
put include/a.h <<'EOF'
#define TEXT "first text"
EOF

compile 'a macro is part of the unit' 'stored in' 'first text' -DX -Iinclude a.cu
mkdir -p elsewhere
cp -p a.cu elsewhere
(cd elsewhere && "$cudasim" cc -v -c -o x.o -I../include a.cu) >log 2>&1
expect 'the current folder, too' 0 'stored in' cat log
CPATH=include compile 'and the variables that clang reads' 'stored in' 'first text' a.cu
CPATH=include compile 'which may name folders of headers' 'reused from' 'first text' a.cu
CPATH=before:include compile 'each of them' 'stored in' 'first text' a.cu

compile 'a dependency file is kept' 'stored in' 'first text' -MD -MF x.d -Iinclude a.cu
mv x.d first.d
compile 'and comes with the object' 'reused from' 'first text' -MD -MF x.d -Iinclude a.cu
same 'the dependency file is the same' first.d x.d
expect 'it names the header' 0 'include/a.h' cat x.d

put mended.cu <<'EOF'
#include "mended.h"
const char *text() { return "mended " TEXT; }
EOF
put include/mended.h <<'EOF'
#define TEXT "one"
inline __device__ int first() { __shared__ alignas(8) int s[4]; return s[0]; }
EOF
compile 'a header that the driver mends is kept' 'stored in' 'mended one' -Iinclude mended.cu
compile 'and taken' 'reused from' 'mended one' -Iinclude mended.cu
sed -i 's/"one"/"two"/' include/mended.h
touch -d '1 hour ago' include/mended.h
compile 'its changes are seen' 'stored in' 'mended two' -Iinclude mended.cu

put date.cu <<'EOF'
const char *text() { return "on " __DATE__; }
EOF
compile 'what asks for the date is not kept' 'not stored: date.cu: __DATE__' 'on ' date.cu
put computed.cu <<'EOF'
#define HEADER "include/a.h"
#if __has_include(HEADER)
const char *text() { return "there"; }
#endif
EOF
compile 'nor what asks for a computed name' 'not stored: .*computed __has_include' 'there' computed.cu
# As libraries spell it (CCCL, mdspan): a macro in one header, its use in another, or through another macro.
put include/asks.h <<'EOF'
#ifdef __has_include
#  define LIB_HAS_INCLUDE(_X) __has_include(_X)
#else
#  define LIB_HAS_INCLUDE(_X) 0
#endif
EOF
put through.cu <<'EOF'
#include "asks.h"
#define MY_HAS(x) \
	LIB_HAS_INCLUDE(x)
#if MY_HAS("extra.h")
#include "extra.h"
#elif LIB_HAS_INCLUDE(<other_extra.h>)
#include <other_extra.h>
#else
#define EXTRA "none"
#endif
const char *text() { return "extra " EXTRA; }
EOF
compile 'a name given to a macro for __has_include' 'stored in' 'extra none' -Iinclude through.cu
compile 'is kept' 'reused from' 'extra none' -Iinclude through.cu
put include/other_extra.h <<<'#define EXTRA "other"'
compile 'a header that the macro asked for appears' 'stored in' 'extra other' -Iinclude through.cu
put include/extra.h <<<'#define EXTRA "this"'
compile 'and one that a macro of a macro asked for' 'stored in' 'extra this' -Iinclude through.cu
rm include/extra.h include/other_extra.h
compile 'and they go' 'reused from' 'extra none' -Iinclude through.cu
compile 'nor what writes more files' 'not stored: -ftime-trace' 'there' -Xcompiler -ftime-trace computed.cu
put young.cu <<'EOF'
const char *text() { return "young"; }
EOF
touch -d '1 hour' young.cu
compile 'nor a source that may have been changed meanwhile' 'not stored: .*just been changed' young young.cu
put wrong.cu <<'EOF'
int text() { return undeclared; }
EOF
for time in 'a failure is a failure' 'and is not kept'; do
	expect "$time" fail 'undeclared identifier' "$cudasim" cc -c -o x.o wrong.cu
done

put program.cu <<'EOF'
#include <cstdio>
extern __device__ int twice(int);
__global__ void kernel() { printf("%d\n", twice(21)); }
int main()
{
	kernel<<<1, 1>>>();
	return cudaDeviceSynchronize();
}
EOF
put twice.cu <<'EOF'
__device__ int twice(int x) { return 2 * x; }
EOF
for verdict in 'stored in' 'reused from'; do
	rm -f program
	expect "two sources with -rdc are $verdict the cache" 0 "twice.cu: $verdict" \
		"$cudasim" cc -v -rdc=true program.cu twice.cu -o program
	expect 'and linked' 0 '^42$' ./program
done

# Results that are damaged, one way or another.
"$cudasim" cache clear >log
expect 'clear empties the cache' 0 ': 0 objects, 0 precompiled headers, 0.0 of 2048.0 MiB' cat log
compile 'then all is compiled' 'stored in' 'first text' -Iinclude a.cu
cp x.o first.o
result=$(echo cache/*/*.result) record=$(echo cache/*/*.json)
expect 'the command tells what there is' 0 ': 1 objects' "$cudasim" cache
printf X | overwrite "$result" 2000
compile 'a result with a wrong byte is not taken' 'stored in' 'first text' -Iinclude a.cu
same 'the object is right' first.o x.o
truncate -s -1 "$result"
compile 'nor one without its end' 'stored in' 'first text' -Iinclude a.cu
: >"$result"
compile 'nor an empty one' 'stored in' 'first text' -Iinclude a.cu
rm "$result"
compile 'nor one that is gone' 'stored in' 'first text' -Iinclude a.cu
for text in '' '[' '[1,{},[]]' '[{"result":"../../../etc/passwd","digest":"","files":[[1]]}]' '{"a":1}'; do
	echo "$text" >"$record"
	compile "a record '$text' is none" 'stored in' 'first text' -Iinclude a.cu
done
compile 'all are mended' 'reused from' 'first text' -Iinclude a.cu

# Several at once.
"$cudasim" cache clear >log
for i in 1 2 3 4; do "$cudasim" cc -c -o "many$i.o" -Iinclude a.cu 2>"many$i.log" & done
wait
for i in 1 2 3 4; do cp "many$i.o" "many$i.first"; done
for i in 1 2 3 4; do "$cudasim" cc -c -o "many$i.o" -Iinclude a.cu 2>"many$i.log" & done
wait
for i in 1 2 3 4; do same "process $i has its object" "many$i.first" "many$i.o"; done
expect 'four processes kept four, and took them' 0 ': 4 objects' "$cudasim" cache

# Room.
put small.cu <<'EOF'
const char *text() { return "small"; }
EOF
"$cudasim" cache clear >log
compile 'one' 'stored in' 'first text' -D ONE -Iinclude a.cu
compile 'two' 'stored in' 'first text' -D TWO -Iinclude a.cu
touch -d '2 hours ago' cache/*/*
compile 'one is used again' 'reused from' 'first text' -D ONE -Iinclude a.cu
# Room for two and a half.
kilobytes=$(du -s -k cache/??/* | awk '{n += $1} END {print int(n * 1.25)}')
CUDASIM_CACHE_SIZE=${kilobytes}K compile 'a third one is too much' 'stored in' 'small' small.cu
compile 'what was used stays' 'reused from' 'first text' -D ONE -Iinclude a.cu
compile 'what was not has left' 'stored in' 'first text' -D TWO -Iinclude a.cu
# Of 2 GiB a quarter is for precompiled headers; half of the rest is free, but for two objects.
expect 'what is left for it is written down' 0 "^$((3 << 29)) 80[0-9]{7}$" cat cache/room
CUDASIM_CACHE_SIZE=${kilobytes}K compile 'the folder is measured for another limit' 'stored in' 'first text' \
	-D FOUR -Iinclude a.cu
echo '99999 99999999999999999999999' >cache/room
CUDASIM_CACHE_SIZE=${kilobytes}K compile 'a damaged note is none' 'stored in' 'first text' -D FIVE -Iinclude a.cu
bytes=$(du -s -k cache/??/* | awk '{n += $1} END {print n * 1024}')
if [ "$bytes" -le $((kilobytes * 1024)) ]; then
	pass 'the cache is within its limit'
else
	fail 'the cache is within its limit' "$bytes bytes"
fi
touch cache/mine cache/ab-mine
"$cudasim" cache clear >log
expect "others' files stay" 0 mine ls cache

: >file
CUDASIM_CACHE=$PWD/file compile 'a folder that cannot be is said with -v' 'not stored: cannot make' small small.cu
CUDASIM_CACHE=$PWD/file expect 'and only there' 0 '^$' "$cudasim" cc -c -o x.o small.cu
CUDASIM_CACHE=off expect 'off is off' 0 'the cache is off' "$cudasim" cache
CUDASIM_CACHE=near expect 'a relative path is refused' 1 'CUDASIM_CACHE=near: must be off or an absolute path' \
	"$cudasim" cc -c -o x.o small.cu
CUDASIM_CACHE_SIZE=much expect 'and a size that is none' 1 'CUDASIM_CACHE_SIZE=much: must be a size' \
	"$cudasim" cc -c -o x.o small.cu
expect 'an unknown word is refused' 1 "unexpected argument 'empty'" "$cudasim" cache empty

# What somebody else could have written is not used.
export CUDASIM_CACHE=$PWD/own/cache
compile 'a cache of its own' 'stored in' 'small' small.cu
expect 'others cannot look into it' 0 'drwx------' ls -ld own/cache
compile 'is used' 'reused from' 'small' small.cu
# note NAME: a compilation says that the cache is not used, once, and does without.
note() {
	local output
	rm -f x.o
	output=$("$cudasim" cc -v -c -o x.o small.cu 2>&1)
	if [ -s x.o ] && [ "$(grep -c 'the compile cache is not used' <<<"$output")" = 1 ] &&
		! grep -q 'taken from\|kept in' <<<"$output"; then
		pass "$1"
	else
		fail "$1" "$output"
	fi
}
chmod o+w own/cache
note 'a folder that others can write to'
chmod o-w own/cache
chmod g+w own/cache
note 'a folder that the group can write to'
chmod g-w own/cache
chmod 777 own
note 'a folder that others can replace'
chmod 1777 own
compile 'a sticky folder around it will do' 'reused from' 'small' small.cu
chmod 755 own
# The record, then the result, then the folder that one lies in.
for ending in json result; do
	file=$(echo own/cache/*/*.$ending)
	chmod o+w "$file"
	compile "a $ending that others can write to" 'not used' 'small' small.cu
	chmod o-w "$file"
	rm -rf own/cache
	compile 'anew' 'stored in' 'small' small.cu
	file=$(echo own/cache/*/*.$ending)
	mv "$file" away
	ln -s "$PWD/away" "$file"
	compile "a $ending that is a link" 'not used' 'small' small.cu
	rm -rf own/cache
	compile 'anew' 'stored in' 'small' small.cu
	folder=$(dirname own/cache/*/*.$ending)
	chmod o+w "$folder"
	compile "a $ending in a folder that others can write to" 'not used' 'small' small.cu
	chmod o-w "$folder"
	mv "$folder" aside
	ln -s "$PWD/aside" "$folder"
	compile "a $ending in a folder that is a link" 'not used' 'small' small.cu
	rm -rf own/cache aside away
	compile 'anew' 'stored in' 'small' small.cu
done
if [ "$(id -u)" = 0 ]; then
	chown 12345 own/cache
	note "another user's folder"
	chown 0 own/cache
	chown 12345 own
	note "a folder in another user's"
	chown 0 own
	chown -R 12345 own/cache/*/
	compile "another user's files" 'not used' 'small' small.cu
fi
export CUDASIM_CACHE=$PWD/cache

# What is no ordinary file is never removed (-o /dev/null as root).
mkfifo pipe.o
echo 'no C++' >wrong.cu
timeout 60 "$cudasim" cc -c -o pipe.o wrong.cu >/dev/null 2>&1
[ -p pipe.o ] && pass "a failed build leaves a pipe" || fail "a failed build leaves a pipe" "it is gone"

# Precompiled headers, which are there after the first compilation with these options.
"$cudasim" cache clear >log
put shadow.cu <<'EOF'
#include <stdint.h>
#ifndef WHICH
#define WHICH "the system's"
#endif
const char *text() { return "by " WHICH; }
EOF
mkdir -p front
compile 'without one' 'stored in' "by the system's" -Ifront shadow.cu
expect 'two are there, of the two sides' 0 ' 2 precompiled headers' "$cudasim" cache
cp x.o without.o
rm cache/??/*
compile 'with one' 'stored in' "by the system's" -Ifront shadow.cu
same 'the object is the same' without.o x.o
put front/stdint.h <<'EOF'
#include_next <stdint.h>
#define WHICH "the program's"
EOF
compile "a header in front of the system's is seen" 'stored in' "by the program's" -Ifront shadow.cu
rm front/stdint.h
compile 'and its end' 'reused from' "by the system's" -Ifront shadow.cu
rm cache/??/*
for result in cache/preludes/*/*.result; do truncate -s 1000000 "$result"; done
compile 'a damaged one is made anew' 'stored in' "by the system's" -Ifront shadow.cu
same 'and the object is the same' without.o x.o
"$cudasim" cache clear >log
CUDASIM_CACHE_SIZE=100M compile 'a small cache' 'stored in' "by the system's" -Ifront shadow.cu
expect 'has none' 0 ' 0 precompiled headers' "$cudasim" cache

# Device code that programs load.
"$cudasim" cache clear >log
put loaded.cu <<'EOF'
extern "C" __global__ void loaded(int *p) { *p = 7; }
EOF
expect 'an image is kept' 0 'loaded.cu: stored in' "$cudasim" cc -v -ptx loaded.cu -o first.ptx
expect 'and taken' 0 'loaded.cu: reused from' "$cudasim" cc -v -ptx loaded.cu -o first.ptx
cat >nvrtc.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int nvrtcCreateProgram(void **, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcCompileProgram(void *, int, const char *const *);
int nvrtcGetPTXSize(void *, size_t *), nvrtcGetPTX(void *, char *);
static char *compile(const char *source)
{
	void *program;
	size_t size = 0;
	nvrtcCreateProgram(&program, source, "x.cu", 0, NULL, NULL);
	if (nvrtcCompileProgram(program, 0, NULL) || nvrtcGetPTXSize(program, &size))
		exit(1);
	char *text = malloc(size);
	nvrtcGetPTX(program, text);
	return text;
}
int main(void)
{
	char *one = compile("__global__ void one() {}"), *again = compile("__global__ void one() {}"),
	     *two = compile("__global__ void two() {}");
	return !strcmp(one, again) && strcmp(one, two) ? 0 : 2;
}
EOF
"$cudasim" cc nvrtc.c -lnvrtc -o nvrtc 2>log || cat log
"$cudasim" cache clear >log
expect 'NVRTC compiles' 0 '' ./nvrtc
expect 'each program once, with one precompiled header' 0 ': 2 objects, 1 precompiled headers' "$cudasim" cache
expect 'NVRTC makes the cache' 0 '' env CUDASIM_CACHE="$PWD/made" ./nvrtc
expect 'and keeps its first program there' 0 ': 2 objects, 1 precompiled headers' \
	env CUDASIM_CACHE="$PWD/made" "$cudasim" cache
expect 'with its headers' 0 '' sh -c 'ls -d made/nvrtc-*'
CUDASIM_CACHE="$PWD/made" "$cudasim" cache clear >log
expect 'which clear removes' fail '' sh -c 'ls -d made/nvrtc-*'
expect 'NVRTC does without a cache' 0 '' env CUDASIM_CACHE=off ./nvrtc

# A header whose deduction guides are mended once it has been read: clang reads all again. The next
# compilation mends it before.
mkdir -p guides/library guides/pass
cat >guides/library/guide.h <<'EOF'
template <class T> struct box { box(T); };
box(char) -> box<int>;
EOF
echo '#include "guide.h"' >guides/one.cu
cat >guides/clang <<EOF
#!/bin/sh
echo run >>'$PWD/guides/runs'
echo '$PWD/guides/library/guide.h' >>"\$CC_PRINT_HEADERS_FILE"
EOF
chmod +x guides/clang
cat >guides/pass.sh <<EOF
#!/bin/sh
: >guides/runs
"$cudasim" cc-device-pass --overlay guides/overlay --folder guides/pass -- \\
	"$PWD/guides/clang" "-I$PWD/guides/library" guides/one.cu && wc -l <guides/runs
EOF
expect 'guides of a header take a second run' 0 '^2$' sh guides/pass.sh
mv guides/pass/mended-now guides/pass/mended-before
expect 'not if they are known' 0 '^1$' sh guides/pass.sh
expect 'and are mended' 0 '^__host__ __device__ box' sh -c 'cat guides/pass/mended-*-0'
"$cudasim" cc -c -Iguides/library guides/one.cu -o guides/one.o 2>log || cat log
expect 'the cache keeps which these are' 0 "^$PWD/guides/library/guide.h\$" cat cache/mended
"$cudasim" cache clear >log
expect 'clear forgets them' fail '' cat cache/mended

finish
