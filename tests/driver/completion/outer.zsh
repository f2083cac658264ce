# SPDX-License-Identifier: Apache-2.0
# usage: outer.zsh FOLDER ANSWERS INNER, FOLDER that of _cudasim, ANSWERS a file to write, INNER the script beside.
# For each line of standard input prints the words that complete it in an interactive zsh, with ' ' between.
zmodload zsh/zpty
export folder=$1 answers=$2
: >$answers
zpty shell zsh -f -i
zpty -w shell "source $3"
until grep -q '^ready$' $answers; do sleep 0.02; done
while IFS= read -r line; do
	: >$answers
	zpty -n -w shell $'\x15'$line$'\t'
	until grep -q '^end$' $answers; do sleep 0.02; done
	print -r -- ${(o)${(uf)"$(grep -v '^end$' $answers)"}#./}
	zpty -r -t shell >/dev/null
done
zpty -d shell
