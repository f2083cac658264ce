# SPDX-License-Identifier: Apache-2.0
# What the driver's tests share: TAP on stdout, a scratch folder, the driver.
# usage of each test: NAME.sh CUDASIM SCRATCH

cudasim=$(realpath "$1")
scratch=$(realpath -m "$2")
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
# meson test sets it to the build tree.
unset LD_LIBRARY_PATH
about=$("$cudasim" doctor)
# The version of LLVM that it was built with.
# shellcheck disable=SC2034 # for those who source this
llvm=$(sed -n 's/.* clang++ \([0-9]*\) .*/\1/p' <<<"$about")
# The toolkit's version, 13.0, by its header.
# shellcheck disable=SC2034 # as above
release=$(sed -n 's/^#define CUDA_VERSION \(..\)0\(.\)0$/\1.\2/p' \
	"$(sed -n 's/^found *CUDA toolkit *\([^ ]*\) .*/\1/p' <<<"$about")/include/cuda.h" 2>/dev/null)
# Tests of the compiler compile.
export CUDASIM_CACHE=off
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
export CUDASIM=1

n_tests=0
# In a build with AddressSanitizer its library is in each process.
sanitized=
case ${LD_PRELOAD-} in *libasan*) sanitized=1 ;; esac

# pass NAME | fail NAME [WHY]
pass() { echo "ok $((++n_tests)) - $1"; }
fail() {
	echo "not ok $((++n_tests)) - $1"
	[ $# -lt 2 ] || printf '%s\n' "${2:0:4000}" | sed 's/^/# /'
}

# expect NAME STATUS REGEX COMMAND...: the command's status (or "fail" for any
# but 0) and an extended regular expression that its output matches.
expect() {
	local name=$1 wanted=$2 regex=$3 output status
	shift 3
	output=$(timeout 600 "$@" 2>&1)
	status=$?
	# ld warns of what the sanitizer's library has.
	[ ! "$sanitized" ] || output=$(sed '/libasan\.so.*: warning: /d' <<<"$output")
	if [ "$wanted" = fail ] && [ $status -ne 0 ] && [ $status -lt 124 ]; then
		status=fail
	fi
	if [ "$status" != "$wanted" ]; then
		fail "$name" "status $status, not $wanted: $output"
	elif ! grep -qE -- "$regex" <<<"$output"; then
		fail "$name" "no line matches '$regex': $output"
	else
		pass "$name"
	fi
}

# unless_sanitized REASON expect NAME ...: a case that the sanitizer stands in the way of.
unless_sanitized() {
	if [ "$sanitized" ]; then
		echo "ok $((++n_tests)) - $3 # SKIP with AddressSanitizer $1"
	else
		"${@:2}"
	fi
}

# overwrite FILE OFFSET: with what comes on stdin. AddressSanitizer refuses memory as dd asks for it.
overwrite() { LD_PRELOAD='' dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

finish() { echo "1..$n_tests"; }
