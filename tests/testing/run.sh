# SPDX-License-Identifier: Apache-2.0
# usage: run.sh CUDASIM SCRATCH SOURCE_ROOT: unit tests of device code, as their users run them.
here=$3
. "$here/tests/driver/lib.sh"
tests=$here/tests/testing

build() {
	"$cudasim" cc -std=c++17 --extended-lambda -g "$tests/$1.cu" -o "$1" -lcmocka 2>"$1.log" ||
		echo "$1 does not build: $(cat "$1.log")"
}

# same NAME EXPECTED: stdin equals the file, folders, times and launches' numbers left out.
same() {
	local name=$1 expected=$2 got
	got=$(sed -E -e 's#/[^ ()]*/##g' -e 's/ \([0-9.]+ s\)$//' -e 's/waits for 0x[0-9a-f]+, [0-9]+ bytes into allocation [0-9]+/waits for WHERE/' -e 's/launch [0-9]+/launch N/')
	if [ "$got" = "$(cat "$expected")" ]; then
		pass "$name"
	else
		fail "$name" "$(diff <(cat "$expected") <(echo "$got"))"
	fi
}

build samples
build wrong
build checked
expect 'the samples, tested' 0 '^48 passed, 0 failed' "$cudasim" test ./samples
expect 'in eight schedules' 0 '^384 passed, 0 failed in 1 executable and 8 schedules' \
	"$cudasim" test --schedules 8 ./samples
CUDASIM_ENGINE=pthreads expect 'on pthreads' 0 '^48 passed, 0 failed' "$cudasim" test ./samples
CUDASIM_TEST_BODY=plain expect 'in plain bodies' 0 '^48 passed, 0 failed' "$cudasim" test ./samples
expect 'without cudasim test' 0 'PASSED.* 48 test' ./samples
expect 'the names' 0 'samples: clamp_of<int>$' "$cudasim" test --list ./samples clamp
expect 'a pattern' 0 '^11 passed' "$cudasim" test ./samples clamp -v

# What the checkers find fails the test that made it, and no other; the samples have nothing.
expect 'unchecked' 0 '^5 passed, 0 failed' "$cudasim" test ./checked
expect 'under the checkers' 1 '^3 passed, 2 failed' "$cudasim" test --check ./checked
expect 'a race fails its test' 1 '^ +racecheck: Race between' "$cudasim" test --check ./checked
expect 'one checker' 1 '^4 passed, 1 failed' "$cudasim" test --check=memcheck ./checked
# In SARIF, too: all tests' findings in one file, each once, whatever the number of processes.
expect 'checked, as SARIF' 1 '^6 passed, 4 failed' "$cudasim" test --check=memcheck,racecheck --schedules 2 -j 2 --sarif checked.sarif ./checked
found=$(python3 -c '
import json
run, = json.load(open("checked.sarif"))["runs"]
print(*sorted("%s:%d" % (r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in run["results"]))')
if [ "$found" = "out-of-bounds:19 race-read-write:9" ]; then pass 'each finding once'; else fail 'each finding once' "$found"; fi
expect 'SARIF without checkers' 2 'test: --sarif needs --check' "$cudasim" test --sarif x.sarif ./checked
expect 'SARIF that cannot be written' 2 "cannot write '/no/where.sarif'" "$cudasim" test --check --sarif /no/where.sarif ./checked
expect 'the samples, checked' 0 '^48 passed, 0 failed' "$cudasim" test --check ./samples

# Each wrong test fails alone, whatever runs it. Kernels that never end are ended after some
# seconds; those that do end take less on any machine.
export CUDASIM_TIMEOUT=4 CUDASIM_HANG=0
"$cudasim" test --junit wrong.xml ./wrong >wrong.out 2>&1
status=$?
[ $status = 1 ] && pass 'status of failure' || fail 'status of failure' "$status"
same 'what is wrong and how it is told' "$tests/wrong.expected" <wrong.out
same 'on pthreads' "$tests/wrong.expected" < <(CUDASIM_ENGINE=pthreads "$cudasim" test ./wrong 2>&1)
same "without the processor's newest" "$tests/wrong.expected" < <(CUDASIM_BODY=v3 "$cudasim" test ./wrong 2>&1)
"$cudasim" test --schedules 8 -j 4 --junit orders.xml ./wrong >orders.out 2>&1
python3 - orders.xml >orders.txt 2>&1 <<'END' && pass 'in eight schedules' || fail 'in eight schedules' "$(cat orders.txt)"
import re, sys, xml.etree.ElementTree as tree
causes = {
    'right_before': None, 'right_after': None,
    'wrong_value': r'wrong.cu:\d+: .*: 1.5 is not 1.25,', 'wrong_element': 'element 3 is 3, not 33; 2 of 8 differ',
    'out_of_bounds': 'wrote behind the end of the array', 'leak': 'cudaMalloc of 1000 bytes was not freed',
    # Which thread is first is the schedule's.
    'illegal_address': r'block \(0,0,0\), thread \([0-3],0,0\)\n  at fill \(.*wrong.cu:\d+\)\n  write to address 0x[048c], a null',
    'device_assert': r'cudaErrorAssert\)\n  block \(0,0,0\), thread \(5,0,0\)\n  at asserts \(.*wrong.cu:\d+\)',
    'device_expectation': r'does not hold in 6 threads: block \(0,0,0\) threads \(10,0,0\)-\(12,0,0\); block \(1,0,0\)',
    'deadlock': 'deadlock: .*\n.*\n    threads 0-31: at barrier 1', 'time_out': 'has run longer than CUDASIM_TIMEOUT',
    'host_dies': 'died of signal 6',
}
suite, = tree.parse(sys.argv[1]).getroot()
runs = [(*re.fullmatch(r'(\w+) \((.*)\)', c.get('name')).groups(), c.find('failure')) for c in suite]
assert len(runs) == 8 * len(causes) and len({r[1] for r in runs}) == 8, runs
for name, schedule, failure in runs:
    cause = causes[name]
    assert (failure is None) == (cause is None), (name, schedule)
    assert not cause or re.search(cause, failure.text), (name, schedule, failure.text)
END
python3 - wrong.xml >xml.out 2>&1 <<'END' && pass 'JUnit is XML' || fail 'JUnit is XML' "$(cat xml.out)"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suite, = root
cases = list(suite)
assert root.tag == 'testsuites' and suite.tag == 'testsuite'
assert (suite.get('tests'), suite.get('failures'), suite.get('errors')) == ('12', '10', '0'), suite.attrib
assert [c.get('name') for c in cases][:2] == ['right_before', 'wrong_value']
assert all(c.tag == 'testcase' and c.get('classname') and float(c.get('time')) >= 0 for c in cases)
failed = {c.get('name'): c.find('failure') for c in cases if c.find('failure') is not None}
assert len(failed) == 10 and 'right_after' not in failed
assert 'element 3 is 3, not 33' in failed['wrong_element'].get('message')
assert 'thread (5,0,0)' in failed['device_assert'].text
END
"$cudasim" test --tap ./wrong >wrong.tap 2>&1
python3 - wrong.tap >tap.out 2>&1 <<'END' && pass 'TAP is TAP' || fail 'TAP is TAP' "$(cat tap.out)"
import re, sys
lines = open(sys.argv[1]).read().splitlines()
assert lines[0] == 'TAP version 13' and lines[1] == '1..12', lines[:2]
points = [m for m in (re.fullmatch(r'(not )?ok (\d+) - (.*)', l) for l in lines[2:]) if m]
assert [int(m[2]) for m in points] == list(range(1, 13))
assert sum(m[1] is not None for m in points) == 10
assert all(l.startswith('#') or re.match(r'(not )?ok ', l) for l in lines[2:])
END

unset CUDASIM_TIMEOUT CUDASIM_HANG

# Projects as users have them.
cp -r "$here/samples/testing-make" "$here/samples/testing-meson" .
chmod -R u+w .
expect 'one source' 0 '^2 passed' "$cudasim" test testing-make/scale_test.cu

# Executables that call cmocka_run_group_tests() themselves.
build plain
expect 'plain' 0 '^6 passed, 0 failed, 1 skipped in 1 executable' "$cudasim" test ./plain
expect 'its tests are named' 0 '^ok +./plain: compares \(' "$cudasim" test -v ./plain
expect 'and chosen to be shown' 0 '^2 passed, 0 failed in' "$cudasim" test ./plain adds
expect 'in three schedules' 0 '^18 passed, 0 failed, 3 skipped in 1 executable and 3 schedules' \
	"$cudasim" test --schedules 3 ./plain
expect 'plain, checked' 0 '^6 passed, 0 failed' "$cudasim" test --check ./plain
WRONG=bounds expect 'a finding fails its test' 1 'FAIL .*: overruns$' "$cudasim" test --check ./plain
WRONG=bounds expect 'and no other' 1 '^5 passed, 1 failed' "$cudasim" test --check ./plain
WRONG=value expect 'an assertion' 1 'plain.cu:[0-9]+: 0x1 != 0x2' "$cudasim" test ./plain
WRONG=value expect 'a test that prints verdicts fails all the same' 1 '^5 passed, 1 failed, 1 skipped' "$cudasim" test ./plain
WRONG=setup expect 'a setup function' 1 'Could not run test: Test setup failed' "$cudasim" test ./plain
WRONG=end expect 'the process ends' 1 'FAIL .*\(test 5 of 5\)$' "$cudasim" test ./plain
WRONG=signal expect 'it dies' 1 'died of signal 6' "$cudasim" test ./plain
WRONG=hang expect 'it hangs' 1 'time-out: not done after 3 s' "$cudasim" test --timeout 3 ./plain
WRONG=status expect 'its status alone' 1 'exited with status 7, though its tests passed' "$cudasim" test ./plain
expect 'plain, as TAP' 0 '^ok 4 - ./plain: is_skipped # SKIP$' "$cudasim" test --tap ./plain
expect 'plain, as JUnit' 0 '' "$cudasim" test --junit plain.xml ./plain
expect 'with a case for each' 0 '^7$' grep -c '<testcase ' plain.xml
expect 'a plain list' 0 'names are known when they run' "$cudasim" test --list ./plain
mkdir plain-sources
cp "$tests/plain.cu" plain-sources
expect 'a plain source' 0 '^6 passed, 0 failed' "$cudasim" test plain-sources

expect 'a Makefile project' 0 '^2 passed, 0 failed' make -C testing-make CUDASIM="$cudasim" test
sed -i 's/value \* factor/value + factor/' testing-make/scale.cuh
expect 'its bug' fail 'scale_test.cu:8: .*: 101 is not 150' make -C testing-make CUDASIM="$cudasim" test
PATH=$(dirname "$cudasim"):$PATH
expect 'a meson project' 0 '' meson setup testing-meson/build testing-meson
expect 'its tests' 0 '2 subtests passed' meson test -C testing-meson/build
mkdir sources
cp testing-make/scale* sources
sed -i 's/value + factor/value * factor/' sources/scale.cuh
expect 'a folder of sources' 0 '^2 passed' "$cudasim" test sources
expect 'is built once' 0 '^2 passed' "$cudasim" test sources
expect 'and again for a header' 1 '^1 passed, 1 failed' sh -c "sed -i 's/255 ? 255/250 ? 250/' sources/scale.cuh; '$cudasim' test sources"

# What cannot be done.
expect 'no such test' 2 "no test's name contains 'nosuch'" "$cudasim" test ./samples nosuch
expect 'no such folder' 2 "there is no 'no/such'" "$cudasim" test no/such
mkdir nothing
expect 'no tests' 2 'no test executables, and no .cu files with tests' "$cudasim" test nothing
expect 'no test executable' 2 'was not built with cudasim/test.h' "$cudasim" test /bin/true
CUDA_VISIBLE_DEVICES= expect 'no device' 2 'no test can run: cudaErrorNoDevice' "$cudasim" test ./samples
CUDA_VISIBLE_DEVICES= expect 'no device, alone' 2 'no test can run: cudaErrorNoDevice' ./samples
expect 'an option' 2 "unknown option '--frob'" "$cudasim" test --frob
expect 'a bad number' 2 'must be from 1 to 1024' "$cudasim" test -j0
expect 'a number that is none' 2 'must be from' "$cudasim" test --schedules many
expect 'a file that cannot be written' 2 "cannot write '/no/where.xml'" "$cudasim" test --junit /no/where.xml ./samples clamp
echo '__device__ int broken(' >sources/broken_test.cu
echo '#include <cudasim/test.h>' >>sources/broken_test.cu
rm -rf sources/.cudasim-test
expect 'a source that does not build' 2 'building failed' "$cudasim" test sources
echo "1..$n_tests"
