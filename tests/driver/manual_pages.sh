#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages: one for each command, without mistakes, and with what they have to say.
. "$(dirname "$(realpath "$0")")/lib.sh"
unset LD_PRELOAD # man has a filter of system calls
pages=$(dirname "$cudasim")/driver/manual

# says NAME PAGE REGEX: the page, as one line and without the blanks of columns, has that.
says() {
	MANWIDTH=200 LC_ALL=C.UTF-8 man -E UTF-8 -l "$pages/$2.1" | col -b | tr -s '[:space:]' ' ' >text
	grep -qE -- "$3" text && pass "$1" || fail "$1" "no '$3' in $2"
}

wanted=$("$cudasim" help | sed -n 's/^  \([a-z-]*\)  .*/cudasim-\1.1/p' | sort)
there=$(cd "$pages" && printf '%s\n' cudasim-*.1 | sort)
[ "$wanted" = "$there" ] && pass "a page for each command" || fail "a page for each command" "$there"

if command -v mandoc >/dev/null; then
	for page in "$pages"/*.1; do
		said=$(mandoc -T lint -W warning "$page" 2>&1)
		[ "$said" ] && fail "mandoc on ${page##*/}" "$said" || pass "mandoc on ${page##*/}"
	done
else
	echo "ok $((++n_tests)) - mandoc # SKIP no mandoc here"
fi

if command -v man >/dev/null && man -l "$pages/cudasim.1" >/dev/null 2>&1; then
	for page in "$pages"/*.1; do
		said=$(man --warnings -l "$page" 2>&1 >/dev/null)
		[ "$said" ] && fail "man on ${page##*/}" "$said" || pass "man on ${page##*/}"
	done
	says "the synopsis" cudasim-debug 'SYNOPSIS cudasim debug \[OPTIONS\] PROGRAM \[ARGUMENTS\] '
	says "an option of nvcc" cudasim-cc '-o, --output-file FILE The name of the result\. '
	says "why one is ignored" cudasim-cc 'Accepted without effect .*-dlto, --dlink-time-opt Device code that is linked'
	says "an option of the checkers" cudasim-check '--leak-check full\|no Turns leakcheck'
	says "a variable" cudasim-cc 'ENVIRONMENT .*CUDASIM_CACHE_SIZE=bytes, with K, M, G or T'
	says "all variables" cudasim-env 'CUDASIM_BODY=.*CUDASIM_WORKERS=1\.\.256'
	says "a command of the debugger" cudasim-debug ' info cuda threads .* The places of the threads of the focused kernel\.'
	says "a file" cudasim-debug 'FILES ~/\.cudasimrc Commands that run first'
	says "exit statuses" cudasim-compare 'EXIT STATUS 0 Equal \(all within the tolerance\)\. 1 Different\.'
	says "an example with special characters" cudasim-debug "EXAMPLES .* -ex 'break kernel' -ex run "
	says "other pages" cudasim-debug 'SEE ALSO cudasim\(1\), cudasim-cc\(1\)'
else
	# Minimal systems have a man that says so.
	echo "ok $((++n_tests)) - man # SKIP no man here"
fi
finish
