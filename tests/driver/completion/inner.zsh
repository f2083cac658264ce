# SPDX-License-Identifier: Apache-2.0
# What an interactive zsh reads: a key that answers with what completes the line.
PROMPT=
fpath=($folder $fpath)
autoload -Uz compinit
compinit -u -D
# Completion hands each list of words to compadd. Options of which the words are only counted or
# filtered are left alone.
compadd() {
	local -a before words
	before=(${@[1,(i)(-|--)]})
	if [[ -n ${before[(r)-[OAD]]} ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -A words "$@"
	print -rl -- $words >>$answers
	builtin compadd "$@"
}
answer() {
	: >$answers
	zle complete-word
	print -r -- end >>$answers
}
zle -N answer
bindkey '^I' answer
print -r -- ready >$answers
