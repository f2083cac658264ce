# SPDX-License-Identifier: Apache-2.0
# usage: all.fish SCRIPT
# For each line of standard input prints the words by which SCRIPT completes it in fish, with ' ' between.
source $argv[1]
while read -l line
	echo (complete -C $line | string replace -r '\t.*' '' | string replace -r '^\./' '' |
		string trim -r -c / | env LC_ALL=C sort -u)
end
