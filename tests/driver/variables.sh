#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each variable CUDASIM_... with a value that it cannot have ends the program (or the compiler, which
# reads some of them) with one error that names it, whether the program comes to use it or not.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >idle.cu <<'CU'
__global__ void kernel() {}
int main() { return 0; }
CU
"$cudasim" cc idle.cu -o idle || { echo "Bail out! idle.cu does not build"; exit 1; }
unset CUDASIM

# refused VARIABLE VALUE COMMAND...: status 1 and one line, which has the variable's name.
refused() {
	local name="$1=$2" output status
	output=$(export "$1=$2"; shift 2; timeout 60 "$@" 2>&1)
	status=$?
	if [ $status != 1 ]; then
		fail "$name" "status $status: $output"
	elif [ "$(wc -l <<<"$output")" != 1 ] || ! grep -q "$1\b" <<<"$output"; then
		fail "$name" "not one line with the name: $output"
	else
		pass "$name"
	fi
}
# taken VARIABLE VALUE COMMAND...: status 0, and nothing said.
taken() {
	local output status
	output=$(export "$1=$2"; shift 2; timeout 60 "$@" 2>&1)
	status=$?
	if [ $status = 0 ] && [ -z "$output" ]; then pass "taken: $1=$2"; else fail "taken: $1=$2" "status $status: $output"; fi
}

compilers='CUDASIM_CACHE CUDASIM_CACHE_SIZE CUDASIM_TOOLKIT'
n=0
for variable in $("$cudasim" help env | sed -n 's/^  \(CUDASIM[A-Z_]*\)=.*/\1/p'); do
	if grep -qw "$variable" <<<"$compilers"; then
		refused "$variable" '' "$cudasim" cc idle.cu -o other
	else
		refused "$variable" '' ./idle
	fi
	n=$((n + 1))
done
[ $n -gt 30 ] && pass "help env lists them" || fail "help env lists them" "$n"

while read -r variable values; do
	for value in $values; do
		refused "$variable" "${value//_/ }" ./idle
	done
done <<'TABLE'
CUDASIM 2 yes 01 1x _1
CUDASIM_BODY v5 watchedx V3 v3|v4 auto,v3
CUDASIM_CHECK memcheckx memcheck,foo , memcheck, ,memcheck 2 none
CUDASIM_CHECK_OPTIONS --bogus memcheck --tool --tool=foo --print-limit=x --print-limit=-1 --print-limit=99999999999999999999 --error-exitcode=256 --xml --padding=1x --kernel-name=x --kernel-name=regex=( --read=x --strip-paths=maybe
CUDASIM_COUNT_LOCAL 2 yes
CUDASIM_DEBUG 2 yes -1 1x
CUDASIM_DEVICE h201 H200 h200x h200,a100 ./nothing.here
CUDASIM_DEVICES 0 17 -1 1x x 1.5 99999999999999999999 _1
CUDASIM_ENGINE fast loopsx loops,fibers
CUDASIM_MEMORY 0 1 63M 4GB -4G G 4g 99999999T 18446744073709551616 0x100000000
CUDASIM_OBSERVER : ::: nothing.so
CUDASIM_RECORD_LIMIT x 0 1MB -1
CUDASIM_SCHEDULE inorderx sideways random: random:x random:-1 random:1x random:18446744073709551616
CUDASIM_SUMMARY 2 yes x.txt
CUDASIM_TEST_BODY v3 plainx
CUDASIM_TEST_FAILED x -1 1x 99999999999
CUDASIM_TEST_LEFT x - 1-x ,1 1,, 1--2
CUDASIM_TEST_LIST 2 yes
CUDASIM_TEST_SEED x -1 1x 18446744073709551616
CUDASIM_TIMEOUT 0 -1 1.5 1s x 4294967296
CUDASIM_WORKERS 0 257 -1 2x x 1.5
TABLE
refused CUDASIM_CACHE near "$cudasim" cc idle.cu -o other
for value in much 0 1GB -1; do
	refused CUDASIM_CACHE_SIZE $value "$cudasim" cc idle.cu -o other
	refused CUDASIM_CACHE_SIZE $value "$cudasim" cache
done

while read -r variable values; do
	for value in $values; do
		taken "$variable" "${value//_/ }" ./idle
	done
done <<'TABLE'
CUDASIM 1
CUDASIM_BODY auto v3 watched
CUDASIM_CHECK 0
CUDASIM_CHECK_OPTIONS --tool_memcheck_--print-limit_5 --quiet
CUDASIM_COUNT_LOCAL 0 1
CUDASIM_DEBUG 0
CUDASIM_DEVICE h200 a100
CUDASIM_DEVICES 1 16
CUDASIM_ENGINE loops fibers pthreads
CUDASIM_MEMORY 64M 1G 67108864
CUDASIM_SCHEDULE inorder reverse random:0 random:18446744073709551615
CUDASIM_SUMMARY 0
CUDASIM_TEST_BODY watched plain
CUDASIM_TEST_LEFT 1 1-2,5-7,9- 0-4,
CUDASIM_TEST_SEED 0 0x10 18446744073709551615
CUDASIM_TIMEOUT 1 4294967295
CUDASIM_WORKERS 1 256
TABLE
finish
