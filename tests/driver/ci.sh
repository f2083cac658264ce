# SPDX-License-Identifier: Apache-2.0
# `cudasim ci`: a project's own build and tests, what comes out, and what is said where it goes wrong. The
# GitHub Action and GitLab's job hand their inputs to it.
integration=$(realpath "$(dirname "$0")/../../integration")
. "$(dirname "$0")/lib.sh"
unset CUDASIM CUDASIM_CACHE GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_WORKSPACE CI_PROJECT_DIR GTEST_OUTPUT PYTEST_ADDOPTS
export CUDASIM_CACHE=$PWD/cache
CUDASIM_TOOLKIT=$("$cudasim" env | sed -n "s/^export CUDASIM_TOOLKIT='\(.*\)'$/\1/p")
export CUDASIM_TOOLKIT

mkdir -p 'a repo/kernels/src' home
cd 'a repo/kernels' || exit 1
cat >src/app.cu <<'CODE'
#include <cstdio>
#include <cstring>
__global__ void fill(int *p, int n)
{
	if ((int)threadIdx.x <= n)
		p[threadIdx.x] = 1; // beyond
}
__global__ void last(int *p)
{
	*p = blockIdx.x;
}
int main(int, char **argv)
{
	int *p, first;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	if (!strcmp(argv[1], "order"))
		last<<<4, 1>>>(p);
	else
		fill<<<1, 64>>>(p, strcmp(argv[1], "beyond") ? 31 : 32);
	cudaMemcpy(&first, p, 4, cudaMemcpyDefault);
	cudaFree(p);
	printf("first %d\n", first);
	return first != (strcmp(argv[1], "order") ? 1 : 3);
}
CODE
cat >Makefile <<'MAKE'
app: src/app.cu
	test $(CUDACXX) -ef "$$(command -v nvcc)" && test -e $(CUDA_HOME)/include/cuda_runtime.h
	nvcc -g $< -o $@
MAKE

# ci NAME STATUS REGEX OPTION...
ci() {
	local name=$1 status=$2 regex=$3
	shift 3
	expect "$name" "$status" "$regex" "$cudasim" ci --build make "$@"
}
# holds NAME REGEX FILE
holds() { expect "$1" 0 "$2" cat "$3"; }
# python3 cases.py FILE...: passed and failed cases of JUnit files
cat >../../cases.py <<'CODE'
import sys, xml.etree.ElementTree as ET
all = [c for f in sys.argv[1:] for c in ET.parse(f).getroot().iter("testcase")]
bad = [c.get("name") for c in all if c.find("failure") is not None]
print(len(all) - len(bad), "passed, failed:", *bad)
CODE
out=cudasim-results

ci 'all is well' 0 '^\| tests checked \| passed' --test './app good'
expect 'no findings' 0 '^### No findings' cat $out/summary.md
expect 'JUnit of the steps' 0 '^3 passed, failed:$' python3 ../../cases.py $out/junit/cudasim.xml
expect 'the logs' 0 '^first 1$' cat $out/logs/tests-checked.log

# A finding fails the job, though the tests pass, and is shown at its line.
line=$(grep -n beyond src/app.cu | head -1 | cut -d: -f1)
ci 'a finding' 1 "^\| error: out-of-bounds \| .src/app\.cu:$line. \| Invalid __global__ write" --test './app beyond'
expect 'a checker as a case' 0 '^3 passed, failed: memcheck$' python3 ../../cases.py $out/junit/cudasim.xml
holds "GitLab's code quality" '"path": "src/app.cu"' $out/code-quality.json
ci 'a finding that is only reported' 0 'error: out-of-bounds' --test './app beyond' --findings report
ci 'no checkers' 0 '^\| tests \| passed' --test './app beyond' --check none
if [ -e $out/findings.sarif ]; then fail 'nothing of the run before'; else pass 'nothing of the run before'; fi
ci 'some checkers' 0 '^### No findings' --test './app beyond' --check racecheck
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/shown GITHUB_WORKSPACE=$(dirname "$PWD") GITHUB_SERVER_URL=https://example.org \
	GITHUB_REPOSITORY=me/it GITHUB_SHA=12ab ci 'annotations, by paths in the repository' 1 \
	"^::error file=kernels/src/app\.cu,line=$line,title=out-of-bounds::Invalid __global__ write" --test './app beyond'
holds "GitHub's summary, with a link" "\(https://example.org/me/it/blob/12ab/kernels/src/app.cu#L$line\)" shown
holds 'SARIF, by paths in the repository' '"uri":"kernels/src/app.cu"' $out/findings.sarif

# Orders of blocks.
ci 'an order that fails' 1 '^\| tests reverse \| \*\*failed\*\* \(1\)' --test './app order' --check none --schedules 2
holds 'the other one' '^\| tests inorder \| passed' $out/summary.md
ci 'orders by name' 0 '^\| tests random:7 \| passed' --test './app good' --check none --schedules inorder,random:7
ci 'another GPU' 0 'first 1' --test './app good && test "$CUDASIM_DEVICE" = t4' --device t4

# JUnit of frameworks, which are asked by their variables.
cat >suite <<'CODE'
#!/bin/sh
echo '<testsuites><testsuite name="s"><testcase name="one"/><testcase name="two"><failure/></testcase></testsuite></testsuites>' \
	>"${GTEST_OUTPUT#xml:}suite.xml"
eval "set -- $PYTEST_ADDOPTS" # as shlex splits it
for word; do
	echo '<testsuites><testsuite name="p"><testcase name="three"><skipped/></testcase></testsuite></testsuites>' >"${word#--junitxml=}"
done
exec ./app good
CODE
chmod +x suite
ci "googletest and pytest" 0 '^\| tests checked \| 1 \| 1 \| 1 \|' --test ./suite
holds 'names of failed tests' '^- two$' $out/summary.md
if command -v ctest >/dev/null; then
	mkdir tests
	echo 'add_test(one ../app good)' >tests/CTestTestfile.cmake
	echo 'add_test(two ../app none beyond)' >>tests/CTestTestfile.cmake
	ci ctest 0 '^\| tests checked \| 2 \| 0 \| 0 \|' --test 'ctest --test-dir tests'
fi
cat >src/tested.cu <<'CODE'
#include <cudasim/test.h>
static void adds(void **) { assert_int_equal(1 + 1, 2); }
__global__ static void add(int *p) { *p += 1; }
static void launches(void **)
{
	int *p = cudasim_device_array(int, 1);
	cudasim_need(cudaMemset(p, 0, 4));
	add<<<1, 1>>>(p);
}
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(adds), cmocka_unit_test(launches)};
	return cudasim_run_tests(tests, argc, argv);
}
CODE
ci 'cudasim test' 0 '^\| tests reverse \| 2 \| 0 \| 0 \|' --test 'cudasim test src' --schedules reverse

# What goes wrong.
ci 'a test fails' 1 '^\| tests checked \| \*\*failed\*\* \(7\)' --test './app good; exit 7'
ci 'nothing is checked' 1 'nothing was checked' --test true
expect 'the build fails' 2 '^cudasim ci: the build failed: make none' "$cudasim" ci --build 'make none'
holds 'the summary is there' '^\| build \| \*\*failed\*\* \(2\)' $out/summary.md
expect 'an unknown option' 2 "unknown option '--tests'" "$cudasim" ci --tests x
expect 'an option without a value' 2 '^cudasim ci: --test needs a value$' "$cudasim" ci --test
expect 'an order that is none' 2 'must be a number, or of inorder' "$cudasim" ci --schedules backwards
expect 'what findings do' 2 '^cudasim ci: --findings stop: must be fail or report' "$cudasim" ci --findings stop
expect 'a folder that cannot be' 2 "cannot make the folder '/proc/x'" "$cudasim" ci --results /proc/x
expect 'no cudasim' 2 'there is no cudasim on PATH' env -u CI_CUDASIM PATH=/usr/bin:/bin "$integration/ci"
GITHUB_ACTIONS=true expect 'an error is an annotation' 2 '^::error title=cudasim ci::unknown option' "$cudasim" ci --tests x
expect help 0 '^  --schedules LIST' "$cudasim" ci --help

# A cudasim without the CUDA headers gets them; one that lacks something else is no use.
cat >partial <<CODE
#!/bin/sh
case \$1 in
doctor)
	[ "\$LACKS" != clang ] || { echo "MISSING   clang++-19      somewhere"; exit 1; }
	[ -e fetched ] || export CUDASIM_TOOLKIT=/none
	;;
fetch-toolkit) touch fetched && exit ;;
esac
exec '$cudasim' "\$@"
CODE
chmod +x partial
export CI_CUDASIM=$PWD/partial
LACKS=clang expect 'not complete' 2 'MISSING   clang' "$integration/ci" --build make --test './app good'
LACKS=headers expect 'the headers are fetched' 0 'tests checked . passed' "$integration/ci" --build make --test './app good'
unset CI_CUDASIM

# A wheel is installed into a folder here.
if python3 -c 'import ensurepip' 2>/dev/null; then
	python3 - "$cudasim" <<'CODE'
import sys, zipfile
name = "cudasim-9.9"
with zipfile.ZipFile(name + "-py3-none-any.whl", "w") as wheel:
    info = name + ".dist-info/"
    files = {name + ".data/scripts/cudasim": f"#!/bin/sh\necho of the wheel >&2\nexec '{sys.argv[1]}' \"$@\"\n",
             info + "METADATA": "Metadata-Version: 2.1\nName: cudasim\nVersion: 9.9\n",
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    for path, text in files.items():
        entry = zipfile.ZipInfo(path)
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, text)
    wheel.writestr(info + "RECORD", "".join(f"{path},,\n" for path in [*files, info + "RECORD"]))
CODE
	expect 'a wheel' 0 'of the wheel' "$integration/ci" --install cudasim-9.9-py3-none-any.whl --build make --test './app good'
	expect 'a wheel that is not there' 2 "^cudasim ci: cannot install '\./none\.whl'" "$integration/ci" --install ./none.whl
else
	echo "ok $((++n_tests)) - a wheel # SKIP no ensurepip here"
fi

# Nothing else is written: the cache, and what is named above.
unset CUDASIM_CACHE
rm -rf $out .cudasim-venv app
find . | sort >../../before
HOME=$PWD/../../home ci 'with a home' 0 'passed' --test './app good'
expect 'only the cache there' 0 '^\.cache/cudasim/$' bash -c 'cd ../../home && find . -mindepth 2 -maxdepth 2 -printf "%P/\n"'
expect 'only the results here' 1 '^$' bash -c "find . | sort | diff ../../before - | grep '^[<>]' | grep -v -e ' \./$out' -e ' \./app'"

# The files of services: each input is used, each option is one, and the script is where they say.
expect 'the Action and the job hand on their inputs' 0 '^all is right$' python3 - "$integration" "$cudasim" <<'CODE'
import os, re, subprocess, sys
folder, cudasim = sys.argv[1:]
help = subprocess.run([cudasim, "help", "ci"], capture_output=True, text=True).stdout
known = set(re.findall(r"^  (--[a-z]+) ", help, re.M)) - {"--venv"}
action = open(folder + "/github/action.yml").read()
inputs = set(re.findall(r"^  ([a-z-]+):$", action.split("\nruns:")[0], re.M))
used = set(re.findall(r"inputs\.([a-z-]+)", action))
assert inputs == used, inputs ^ used
given = set(re.findall(r" (--[a-z]+) \"", action))
assert given == known, given ^ known
script, = re.findall(r'"\$GITHUB_ACTION_PATH/([^"]*)"', action)
assert os.access(os.path.join(folder, "github", script), os.X_OK), script
variables = dict(re.findall(r"^        (SIMULATE_[A-Z]+): \$\{\{ inputs\.([a-z-]+) \}\}$", action, re.M))
for option, variable in re.findall(r'(--[a-z]+) "\$(\w+)"', action):
    want = {"--install": "cudasim"}.get(option, option[2:])
    assert variables[variable] == want, (option, variable)
job = open(folder + "/gitlab/cudasim.yml").read()
given = dict(re.findall(r'(--[a-z]+) "\$(\w+)"', job))
assert set(given) == known - {"--install", "--results"}, set(given) ^ known
declared = set(re.findall(r"^    (SIMULATE_[A-Z]+):", job, re.M))
assert declared == set(re.findall(r"\$(SIMULATE_[A-Z]+)", job)), declared
assert all(variable == "SIMULATE_" + option[2:].upper() for option, variable in given.items()), given
print("all is right")
CODE
finish
