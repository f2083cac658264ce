# SPDX-License-Identifier: Apache-2.0
# usage: all.bash SCRIPT
# For each line of standard input prints the words by which SCRIPT completes it in bash, with ' ' between.
. "$1"
shopt -s extglob
while IFS= read -r line; do
	# As bash divides it: = is a word of its own.
	read -ra COMP_WORDS <<<"${line//=/ = }"
	[[ $line != *[\ =] ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line}
	COMPREPLY=()
	_cudasim cudasim "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]#./}" | LC_ALL=C sort -u | paste -sd ' '
	[ ${#COMPREPLY[@]} -gt 0 ] || echo
done
