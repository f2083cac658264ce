#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What completes a line in bash, zsh and fish. The words are worked out by hand, of `cudasim help`.
here=$(dirname "$(realpath "$0")")/completion
. "$here/../lib.sh"
unset LD_PRELOAD
scripts=$(dirname "$cudasim")/driver/manual

# What is to be found: sources, a program, another file, a folder.
mkdir sub files
touch a.cu b.cpp notes.txt
printf '#!/bin/sh\n' >prog
chmod +x prog

# SHELLS LINE: WORDS, in order; what stands before the last , or = of a word does not count.
cat >cases <<'CASES'
bash zsh fish|cudasim d|dap debug doctor
bash zsh fish|cudasim nvcc|nvcc-path
bash zsh fish|cudasim help ch|check
bash zsh fish|cudasim doctor |
bash zsh fish|cudasim cache |clear
bash zsh fish|cudasim env --f|--fish
bash zsh fish|cudasim check --to|--tool
bash zsh fish|cudasim check --tool |all apicheck initcheck leakcheck memcheck racecheck synccheck
bash zsh fish|cudasim check --tool=mem|memcheck
bash zsh fish|cudasim check --tool memcheck,r|racecheck
bash zsh fish|cudasim check --leak-check=|full no
bash zsh fish|cudasim check --demang|
bash zsh fish|cudasim check --tool memcheck ./|prog sub files
bash zsh fish|cudasim run ./|prog sub files
bash zsh fish|cudasim debug -ba|-batch
bash zsh fish|cudasim debug -ex run ./p|prog
bash zsh fish|cudasim debug ./prog |a.cu b.cpp cases files notes.txt prog sub
bash zsh fish|cudasim compare --js|--json
bash zsh fish|cudasim test --sche|--schedules
bash zsh|cudasim cc |a.cu b.cpp files sub
bash zsh fish|cudasim cc -I |files sub
bash zsh fish|cudasim cc --std c++1|c++11 c++14 c++17
bash zsh fish|cudasim cc -rdc |false true
bash zsh fish|cudasim cc -o x a|a.cu
bash zsh fish|cudasim cc --generate-dependencies-|--generate-dependencies-with-compile
bash|cudasim cc --std=|c++03 c++11 c++14 c++17 c++20
bash|cudasim debug --ex run ./p|prog
CASES

# try SHELL COMMAND...: the shell answers all lines at once.
try() {
	local shell=$1 shells line words answer
	shift
	if ! command -v "$shell" >/dev/null; then
		echo "ok $((++n_tests)) - $shell # SKIP no $shell here"
		return
	fi
	grep "^[a-z ]*$shell" cases >"cases.$shell"
	mv cases.* "$HOME"
	cut -d'|' -f2 "$HOME/cases.$shell" | timeout 60 "$@" >"$HOME/answers.$shell" 2>"$HOME/errors.$shell"
	[ -s "$HOME/errors.$shell" ] && fail "$shell prints nothing else" "$(cat "$HOME/errors.$shell")" ||
		pass "$shell prints nothing else"
	while IFS='|' read -r shells line words <&3; do
		IFS= read -r answer <&4
		answer=$(tr ' ' '\n' <<<"$answer" | sed 's/.*[,=]//' | LC_ALL=C sort | xargs)
		words=$(tr ' ' '\n' <<<"$words" | LC_ALL=C sort | xargs)
		[ "$answer" = "$words" ] && pass "$shell: $line" || fail "$shell: $line" "'$answer', not '$words'"
	done 3<"$HOME/cases.$shell" 4<"$HOME/answers.$shell"
}

# Neither the user's files nor what they installed.
export HOME=$scratch/files XDG_CONFIG_HOME=$scratch/files XDG_DATA_HOME=$scratch/files
try bash bash --norc --noprofile "$here/all.bash" "$scripts/cudasim"
try zsh zsh -f "$here/outer.zsh" "$scripts" "$HOME/zsh" "$here/inner.zsh"
try fish fish -N "$here/all.fish" "$scripts/cudasim.fish"
finish
