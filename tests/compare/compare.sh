#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cudasim compare` without a GPU: a simulated run against another one, or a recording.
# What must come out is worked out by hand in app.cu.
here=$(dirname "$(realpath "$0")")
. "$here/../driver/lib.sh"

"$cudasim" cc -g "$here/app.cu" -o app || fail "the program builds"
compare=("$cudasim" compare)
# The second run is the first one's with another APP_ARGUMENT.
cat >other <<SH
#!/bin/sh
argument=\$1
shift
exec "$cudasim" compare --with APP_ARGUMENT="\$argument" "\$@"
SH
chmod +x other
export CUDASIM_SCHEDULE=inorder
reverse=(--with CUDASIM_SCHEDULE=reverse)

expect "runs that are the same" 0 '^2 launches compared \(first, second\): 2 equal, 0 different$' \
	"${compare[@]}" "${reverse[@]}" ./app axpy
expect "the program's output is the first run's" 0 '^y\[77\] = 193\.5$' \
	"${compare[@]}" "${reverse[@]}" ./app axpy
expect "a race: the last to store" 1 \
	'first +\[0\]: 255 first, 0 second, stored by block \(7,0,0\), thread \(31,0,0\) at race \(.*app\.cu:29\)' \
	"${compare[@]}" "${reverse[@]}" ./app race
expect "a race: the order of atomics" 1 \
	'first +\[0\]: 11\.10[0-9]* first, 8 second, [0-9]+ ULP, stored by block \(7,0,0\), thread \(0,0,0\)' \
	"${compare[@]}" "${reverse[@]}" ./app race
expect "where the memory was made" 1 'memory 0, 400 bytes by cudaMalloc in races \(app\.cu:[0-9]+\)' \
	"${compare[@]}" "${reverse[@]}" ./app race
expect "integers are never within a tolerance" 1 '1 of 100 int elements differ$' \
	"${compare[@]}" "${reverse[@]}" --tolerance 1e9abs ./app race

expect "a changed input" 1 'first +\[77\]: 155 first, 156 second, 65536 ULP' ./other 2 ./app axpy
expect "each launch is compared" 1 'first +\[77\]: 193\.5 first, 194\.5 second, 65536 ULP' \
	./other 2 ./app axpy
expect "one element of a thousand" 1 '4000 bytes by cudaMallocManaged in axpys .*: 1 of 1000 float' \
	./other 2 ./app axpy
expect "the histogram" 1 '^    ULP   2\^15-2\^16: 1$' ./other 2 ./app axpy
for t in 65536 65536ulp 1abs 1e-2rel 1ulp,1abs; do
	expect "within $t" 0 '2 within the tolerance, 0 different' ./other 2 --tolerance $t ./app axpy
done
for t in 65535 65535ulp 0.99abs 5e-3rel; do
	expect "beyond $t" 1 'different$' ./other 2 --tolerance $t ./app axpy
done
expect "as another type" 1 'of 1000 int elements differ' ./other 2 --type int ./app axpy
expect "as another type, by number" 1 'of 2000 int16 elements differ' ./other 2 --type 0=int16 ./app axpy

expect "addresses in memory are the same in every run" 0 '1 equal, 0 different' \
	"${compare[@]}" "${reverse[@]}" ./app chain
expect "a pointer elsewhere" 1 '64 of 128 pointer elements differ' ./other 2 --type 0=pointer ./app chain
expect "more than one asks for at once" 1 'first +\[524288\]: .*stored by block \(2048,0,0\), thread \(0,0,0\)' \
	./other 1 ./app fill
expect "a managed variable" 1 'variable average, 8 bytes: 1 of 1 double' \
	./other 4 --type average=double ./app divide
expect "double" 1 'first +\[0\]: -1.5 first, -0.75 second' ./other 4 ./app divide
expect "infinity against a number" 1 'first +\[0\]: -1.5 first, -inf second' ./other 0 ./app divide
expect "NaN against a number is beyond any tolerance" 1 'worst +\[3\]: 0 first, NaN .*second' \
	./other 0 --tolerance 1e300abs ./app divide
expect "a graph is one launch" 0 '^1 launch compared .*1 equal' "${compare[@]}" "${reverse[@]}" ./app graph
expect "graphs that differ" 1 'first +\[0\]: 64 first, 62 second' ./other 31 ./app graph
expect "fresh memory is zero, and errors are the program's" 0 '^fresh memory holds 0$' \
	"${compare[@]}" "${reverse[@]}" ./app again
if "${compare[@]}" "${reverse[@]}" ./app again | grep -q 'not there'; then
	fail "the program sees no error of the recorder's"
else
	pass "the program sees no error of the recorder's"
fi

# every kind of memory that a launch can write
"$cudasim" cc -g "$here/memories.cu" -o memories || fail "the program of memories builds"
# A report as one line.
cat >flat <<'SH'
#!/bin/sh
"$@" >flat.output 2>&1
status=$?
tr '\n' ' ' <flat.output
exit $status
SH
chmod +x flat
for what in row:cudaMallocArray image:cudaMallocArray volume:cudaMalloc3DArray \
	layers:cudaMalloc3DArray levels:cudaMallocMipmappedArray pinned:cudaMallocHost \
	mapped:cudaHostAlloc registered:cudaHostRegister managed:managed variable:variable \
	"managed memory:cudaMallocManaged" driver:cuMemAlloc; do
	expect "memory: ${what%:*} that differs" 1 \
		"(bytes by|variable) ${what#*:}.*: 1 of (64|4096) float .*first +\[5\]: 5 first, 6 second, 2097152 ULP" \
		./flat ./other 1 ./memories "${what%:*}"
	expect "memory: ${what%:*} that is the same" 0 ' 0 different$' \
		./other 0 ./memories "${what%:*}"
done
expect "memory: an array of integers" 1 '1 of 64 uint16 elements differ.*first +\[5\]: 5 first, 6 second' \
	./flat ./other 1 ./memories shorts
expect "memory: what the host writes is not the launch's" 0 '1 equal, 0 different$' ./other 0 ./memories clock
expect "memory: nor is what is copied there" 0 '1 equal, 0 different$' ./other 0 ./memories copied
expect "memory: the host has taken it back" 0 '1 equal, 0 different$' ./other 0 ./memories gone
expect "memory: the heap is not compared, which is said" 0 '1 equal.*not compared: memory that kernels got from malloc' \
	./flat ./other 1 ./memories heap
expect "memory: an array in a recording" 0 'recorded 2 launches' \
	"${compare[@]}" --record array.rec ./memories layers
expect "memory: an array against a recording" 1 'first +\[5\]: 6 simulated, 5 recorded, 2097152 ULP$' \
	env APP_ARGUMENT=1 "${compare[@]}" --against array.rec ./memories layers

expect "one run launches more" 1 'the second run ends after 2 launches, the first run continues' \
	./other 2 ./app launches
expect "the other run launches more" 1 'the first run ends after 3 launches' ./other 5 ./app launches
expect "other launches" 1 \
	'launch 0 is count<<<\(1,1,1\), \(32,1,1\), 0>>> in the first run and count<<<\(1,1,1\), \(16,1,1\), 0>>>' \
	./other 16 ./app threads
expect "another error" 1 'ended with CUDA error 0 in the first run and 700 in the second run' \
	./other 1 ./app fault
expect "a run that dies" 1 "second run's process was ended by signal 6 .* after 2 launches" \
	./other 1 ./app abort
expect "kernels by name" 0 '^3 launches compared .*: 0 equal, 0 different, 3 not looked at' \
	"${compare[@]}" "${reverse[@]}" --kernel axpy ./app launches
echo 4 >four
expect "both read the same input" 0 '^4 launches compared .*4 equal' \
	bash -c '"$0" compare --with X=1 ./app stdin <four' "$cudasim"

# --json parsed back
./other 2 --json ./app axpy >report.json 2>/dev/null
if python3 - <<'PY'
import json
r = json.load(open('report.json'))
assert (r['launches'], r['equal'], r['different'], r['different_integers']) == (2, 0, 2, 0)
m = r['results'][0]['memories'][0]
assert (m['type'], m['compared'], m['different'], m['sampled']) == ('float', 1000, 1, False)
assert m['first'] == m['worst'] and m['first']['index'] == 77 and m['first']['ulp'] == 65536
assert (m['first']['first'], m['first']['second']) == ('155', '156')
assert m['first']['owner']['thread'] == [77, 0, 0]
assert r['data'] == {'floating_point': {'launches': 0, 'equal': 0},
	'both': {'launches': 2, 'equal': 0}, 'other': {'launches': 0, 'equal': 0}}, r['data']
assert m['ulp'] == {'2^15-2^16': 1} and r['ulp'] == {'2^15-2^16': 2}
PY
then pass "JSON"; else fail "JSON" "$(cat report.json)"; fi

# recordings
expect "a recording" 0 'recorded 2 launches on a simulated NVIDIA H200, [0-9]+ bytes' \
	"${compare[@]}" --record axpy.rec ./app axpy
expect "against a recording" 0 '^2 launches compared \(simulated, recorded\): 2 equal' \
	"${compare[@]}" --against axpy.rec ./app axpy
expect "against a recording that differs" 1 \
	'first +\[77\]: 156 simulated, 155 recorded, 65536 ULP, stored by block \(0,0,0\), thread \(77,0,0\)' \
	"${compare[@]}" --against axpy.rec ./app axpy 2
expect "against a recording with a tolerance" 0 '2 within the tolerance' \
	"${compare[@]}" --against axpy.rec --tolerance 1abs ./app axpy 2
expect "against another program's recording" 1 'launch 0 is race<<<.*simulated run and axpy<<<' \
	"${compare[@]}" --against axpy.rec ./app race
expect "addresses in a recording" 0 'recorded 1 launch on' "${compare[@]}" --record chain.rec ./app chain
expect "addresses against a recording" 0 '1 equal' "${compare[@]}" --against chain.rec ./app chain
expect "a recording of much memory" 0 'recorded 1 launch on' "${compare[@]}" --record fill.rec ./app fill
size=$(stat -c %s fill.rec)
if [ "$size" -lt $((4 << 20)) ]; then pass "it is smaller than the memory"
else fail "it is smaller than the memory" "$size bytes"; fi
expect "much memory against its recording" 0 '1 equal' "${compare[@]}" --against fill.rec ./app fill
expect "what no sample shows is told by its hash" 1 'different' \
	"${compare[@]}" --against fill.rec ./app fill 1
expect "a limited recording" 0 'recorded 3 launches on' \
	"${compare[@]}" --record limited.rec --limit 1K ./app launches
expect "a limited recording is compared by hashes" 0 '3 equal' \
	"${compare[@]}" --against limited.rec ./app launches
"${compare[@]}" --record limited2.rec --limit 1 ./app fill >/dev/null 2>&1
expect "a limited recording that differs" 1 'differs in 1 chunk whose bytes the recording does not have' \
	"${compare[@]}" --against limited2.rec ./app fill 1
expect "a kernel in a recording" 2 'give --kernel as it was given' \
	"${compare[@]}" --against axpy.rec --kernel none ./app axpy

# what an H200 computed: recorded there with CUDASIM=0 cudasim compare --record, from
# samples/matmul built with --gpu=sm_90
"$cudasim" cc "$here/../../samples/matmul/matmul.cu" -o matmul || fail "the sample builds"
expect "against an H200's recording" 0 '^1 launch compared \(simulated, recorded\): 1 equal' \
	"${compare[@]}" --against "$here/h200/matmul.rec" ./matmul
"$cudasim" cc -fmad=false "$here/../../samples/matmul/matmul.cu" -o unfused || fail "the sample builds"
expect "against an H200's recording, without fused products" 1 '^1 launch compared .* 1 different' \
	"${compare[@]}" --against "$here/h200/matmul.rec" ./unfused

# recordings that cannot be read
bad=0
size=$(stat -c %s axpy.rec)
for n in 0 1 8 30 100 400 $((size / 2)) $((size - 12)) $((size - 1)); do
	head -c $n axpy.rec >cut.rec
	output=$(timeout 100 "${compare[@]}" --against cut.rec ./app axpy 2>&1)
	status=$?
	if [ $status -ne 2 ] || ! grep -qE 'cut\.rec: (the recording is cut short|this is not a recording)' <<<"$output"; then
		fail "a recording cut after $n bytes" "status $status: $output"
		bad=1
	fi
done
[ $bad = 1 ] || pass "recordings that are cut short"
printf '\xff\xff' | overwrite axpy.rec $((size / 2))
cp axpy.rec version.rec
printf '\x63' | overwrite version.rec 16
expect "another version" 2 'has version 99, this cudasim reads versions 1 to 2' \
	"${compare[@]}" --against version.rec ./app axpy
expect "no recording" 2 'this is not a recording' "${compare[@]}" --against app ./app axpy
expect "a recording that is not there" 2 "cannot read 'none.rec'" \
	"${compare[@]}" --against none.rec ./app axpy
expect "a recording where none can be" 2 "cannot write '/proc/none/a.rec'" \
	"${compare[@]}" --record /proc/none/a.rec ./app axpy

# what cannot be compared
expect "a program that uses no CUDA" 2 "recorded nothing: '/bin/true' exited with status 0" \
	"${compare[@]}" --with X=1 /bin/true
expect "a program that is not there" 2 "cannot run './none'" "${compare[@]}" ./none
expect "no program" 2 'no program to run' "${compare[@]}" --json
expect "an unknown option" 2 "no option '--frob'" "${compare[@]}" --frob ./app
expect "no value" 2 'needs a value' "${compare[@]}" --tolerance
expect "a wrong tolerance" 2 "'4x' is not a tolerance" "${compare[@]}" --tolerance 4x ./app
expect "half an ULP" 2 "is not a tolerance" "${compare[@]}" --tolerance 0.5ulp ./app
expect "a wrong type" 2 'no type of this name' "${compare[@]}" --type quad ./app
expect "two things at once" 2 'only one of' "${compare[@]}" --record a --against b ./app
expect "help" 0 '^usage: cudasim compare' "$cudasim" help compare
finish
