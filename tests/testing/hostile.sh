# SPDX-License-Identifier: Apache-2.0
# usage: hostile.sh CUDASIM SCRATCH SOURCE_ROOT: `cudasim test` and programs that misbehave.
here=$3
. "$here/tests/driver/lib.sh"

"$cudasim" cc -std=c++17 --extended-lambda "$here/tests/testing/hostile.cu" -o hostile -lcmocka 2>log ||
	echo "hostile does not build: $(cat log)"

# with MODE NAME STATUS REGEX [OPTION...]
with() {
	local mode=$1
	shift
	HOSTILE=$mode expect "$mode: $1" "$2" "$3" "$cudasim" test "${@:4}" ./hostile
}

# Time-outs are of tests that do nothing else: the others end in a moment, or have 60 s.
with 'hangs' 'fails alone' 1 '^2 passed, 1 failed' --timeout 10
with 'hangs' 'is told' 1 'time-out: not done after 3 s' --timeout 3 odd
with 'stops' 'is told' 1 'time-out: not done after 3 s' --timeout 3 odd
with 'floods' 'is told' 1 'time-out: not done after 3 s' --timeout 3 odd
with 'floods lines' 'is told' 1 '\(there is more\)' --timeout 3 odd
with 'floods stderr' 'is told' 1 '^2 passed, 1 failed'
with 'exits' 'fails alone' 1 'FAIL  ./hostile: odd'
with 'exits' 'is told' 1 'the process exited with status 0'
with 'exits' 'others run' 1 '^2 passed, 1 failed'
with 'signals' 'is told' 1 'died of signal 9 \(Killed\)'
with 'signals' 'others run' 1 '^2 passed, 1 failed'
with 'last words' 'are shown' 1 'stderr: what\(\): everything is lost'
with 'prints' 'is no verdict' 0 '^3 passed, 0 failed'
with 'prints and fails' 'is no verdict' 1 '^2 passed, 1 failed'
with 'prints and fails' 'the message' 1 '^ +1, 2: 1 is not 2$'
with 'prints' 'names' 0 '^./hostile: odd$' --list
with 'forks' 'passes' 0 '^3 passed, 0 failed'
with 'closes stdout' 'is told' 1 'the process exited with status'
with 'reads stdin' 'has none' 0 '^3 passed, 0 failed'
with 'hangs at first' 'is told' 2 'does not list its tests within 2 s' --timeout 2
with 'dies at first' 'is told' 2 'died of signal 6 \(Aborted\) when asked for its tests'
with 'no tests' 'is told' 2 'lists no tests'
with 'dies at last' 'is told' 1 'FAIL  ./hostile: \(after the last test\)'
with 'dies at last' 'others passed' 1 '^3 passed, 1 failed'
with 'exits at last' 'is told' 1 'exited with status 9, though its tests passed'
with 'two groups' 'one fails' 1 '^4 passed, 1 failed'
with 'two groups' 'a pattern' 1 '^1 passed, 1 failed' first
with 'ten thousand' 'pass' 0 '^10000 passed, 0 failed'
with 'ten thousand' 'are found by name' 0 '^11 passed' 'number 123'
with 'fixtures' 'fail alone' 1 '^3 passed, 4 failed, 1 skipped'
HOSTILE=fixtures expect 'fixtures: in one process' 4 'not ok 5 - teardown forgets' \
	env CMOCKA_MESSAGE_OUTPUT=TAP ./hostile
with 'fixtures' 'that are not set up' 1 'its setup function returned -1' setup
with 'fixtures' 'that are not taken down' 1 'its teardown function returned -1' teardown
with 'fixtures' 'that leak' 1 'cudaMalloc of 100 bytes was not freed' forgets
with 'fixtures' 'of tests that fault' 1 'read of address 0x8' dies
with 'none' 'no pattern fits' 2 "no test's name contains 'xyz'" xyz
with 'none' 'none to list' 2 "no test's name contains 'xyz'" --list xyz
with 'none' 'a full disk' 2 "cannot write '/dev/full'" --junit /dev/full

# Nothing that a test leaves behind lives on.
left=$(pgrep -f "^$PWD/hostile|^\./hostile" -u "$(id -u)" | while read -r pid; do
	[ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && echo "$pid"
done)
[ -z "$left" ] && pass 'nothing is left running' || fail 'nothing is left running' "$left"

# A Ctrl-C ends the tests, too.
HOSTILE=hangs "$cudasim" test ./hostile >interrupted.out 2>&1 &
driver=$!
until child=$(pgrep -P $driver) && [ "$(cat "/proc/$child/comm" 2>/dev/null)" = hostile ]; do
	sleep 0.1
	kill -0 $driver 2>/dev/null || break
done
kill -TERM $driver
wait $driver
status=$?
[ $status = 143 ] && pass 'interrupted' || fail 'interrupted' "status $status"
for _ in $(seq 600); do
	kill -0 "$child" 2>/dev/null || break
	sleep 0.1
done
kill -0 "$child" 2>/dev/null && fail 'its tests end' "$child" || pass 'its tests end'

# The files are well formed whatever a test prints.
HOSTILE='prints and fails' "$cudasim" test --junit odd.xml --tap ./hostile >odd.tap 2>&1
python3 - >files.out 2>&1 <<'END' && pass 'files' || fail 'files' "$(cat files.out)"
import re, xml.etree.ElementTree as tree
suite, = tree.parse('odd.xml').getroot()
assert [c.get('name') for c in suite] == ['first', 'odd', 'last, of two lines & <one> #hash']
assert '\ufffd' not in tree.tostring(suite, 'unicode') and 'é' in suite[1].find('system-out').text
lines = open('odd.tap', errors='strict').read().splitlines()
points = [l for l in lines if re.match(r'(not )?ok \d+ - ', l)]
assert lines[:2] == ['TAP version 13', '1..3'] and len(points) == 3, lines
assert all(l.startswith('#') or l in points for l in lines[2:]), lines
END
finish
