#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cudasim help`, --help of each command, and words that are no commands.
. "$(dirname "$(realpath "$0")")/lib.sh"

expect "no arguments" 1 'usage: cudasim COMMAND' "$cudasim"
expect "help" 0 'usage: cudasim COMMAND' "$cudasim" help
expect "-h" 0 'usage: cudasim COMMAND' "$cudasim" -h
expect "help of the environment" 0 'CUDASIM_SCHEDULE=' "$cudasim" help env
commands=$("$cudasim" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 12 ] && pass "the commands are listed" || fail "$commands"
for command in $commands; do
	[ "$command" = help ] && continue
	expect "help $command" 0 "^usage: cudasim $command" "$cudasim" help "$command"
	expect "$command --help" 0 "^usage: cudasim $command" "$cudasim" "$command" --help
done
expect "--version" 0 '^cudasim [0-9]' "$cudasim" --version
expect "a misspelt command" 1 "'dbug' is not a command: is 'debug' meant" "$cudasim" dbug
expect "letters in another order" 1 "'tets' is not a command: is 'test' meant" "$cudasim" tets
expect "a word unlike any" 1 "'frobnicate' is not a command; " "$cudasim" frobnicate
expect "an option" 1 "'-v' is not a command; " "$cudasim" -v
expect "a source" 1 '`cudasim cc x.cu` compiles it' "$cudasim" x.cu
expect "a program" 1 'CUDASIM=1 /bin/true' "$cudasim" /bin/true
expect "a misspelt topic" 1 "no help on 'cahce': is 'cache' meant" "$cudasim" help cahce
expect "an unknown topic" 1 "no help on 'frobnicate'; " "$cudasim" help frobnicate
expect "two topics" 1 "help takes only one topic: unexpected 'env'" "$cudasim" help cc env
finish
