# SPDX-License-Identifier: Apache-2.0
# usage: run.sh CUDASIM SCRATCH SOURCE_ROOT: what becomes of programs that hang, and of those that do not.
. "$3/tests/driver/lib.sh"
"$cudasim" cc -std=c++20 -g "$3/tests/hangs/hangs.cu" -o hangs 2>log || echo "hangs.cu does not build: $(cat log)"
export CUDASIM_HANG=1
source=$3/tests/hangs/hangs.cu

# case_of NAME OUTPUT LINES...: OUTPUT is the error that is printed ("-": it never ends), each of
# LINES an extended regular expression that a line of stderr matches ("any": whether there is one
# depends on the machine). Without LINES stderr is empty.
case_of() {
	local name=$1 output=$2 why= line status
	shift 2
	timeout -s KILL 20 "${command[@]}" ./hangs "$name" "${arguments[@]}" >"$way.$name.out" 2>"$way.$name.err"
	status=$?
	sed -i '/CUDASIM_SCHEDULE=random/d' "$way.$name.err"
	[ "$status $(cat "$way.$name.out")" = "0 $output" ] || why="status $status, prints $(cat "$way.$name.out")"
	[ $# -gt 0 ] || [ ! -s "$way.$name.err" ] || why="$why; says something"
	for line; do
		[ "$line" = any ] || grep -qE -- "$line" "$way.$name.err" || why="$why; no line '$line'"
	done
	if [ -z "$why" ]; then
		echo "ok $way $name"
	else
		echo "not ok $way $name $why: $(tr '\n' '|' <"$way.$name.err")"
	fi
}

arguments=()
ended='deadlock: all threads wait or spin for what nothing can change \(cudaErrorLaunchTimeout\)'
explained='no thread has made progress for 1 seconds'
hangs() {
	case_of lock_in_warp 702 "$ended" 'threads (0|31): in __syncwarp of warp 0 for lanes 0xffffffff, lock_in_warp.*; missing: threads (1-31|0-30)$' \
		'threads (1-31|0-30): in a loop, lock_in_warp \(.*hangs.cu:[0-9]+\), waits for lock_word which is 1 ' &
	case_of lock_in_loop 702 "$ended" 'waits for lock_word which is 1 ' &
	case_of transaction 702 "$ended" 'threads 0-63: .*waits for the mbarrier in shared memory at 0x400: 1 of 1 arrivals, 16 bytes still to come' &
	wait
	# Whose loops count, or read a clock on the way to a sleep, which changes nothing.
	case_of counting 702 "$ended" 'waits for never which is 0 ' &
	case_of sleeping 702 "$ended" 'waits for never which is 0 ' &
	case_of arrivals 702 "$ended" 'mbarrier in shared memory at 0x400: 64 of 128 arrivals' 'threads 64-127: ended' &
	wait
	# In a random order the table may meet all of them at the vote.
	for name in voting at_barriers; do
		case_of $name 702 "$ended" "$([ "$way" = random ] && echo 'wait_(voting|at_barriers) ' || echo 'waits for never which is 0 ')" &
	done
	wait
	[ "$way" != loops ] || case_of flag 702 "$ended" 'CUDASIM_BODY=watched, or under cudasim check, this also reports who wrote'
	case_of flag 702 "$ended" 'block \([0-3],0,0\) and 3 more in the same state, 64 threads' 'threads 0-63: .*waits for never which is 0 ' &
	case_of two_locks 702 "$ended" 'waits for locks, 4 bytes into it, which is 1' 'waits for locks which is 1' \
		'threads 1-31: at __syncthreads \(31 of 32 threads\), .*; missing: threads 0$' &
	wait
}
innocents() {
	for name in lock_in_warp_alone lock_in_loop_given_back arrivals_of_all transaction_of_nothing two_locks_given_back; do
		case_of $name 0
	done
}
waits() {
	for name in pinned pinned_by_main streams; do
		case_of $name 0 "$explained" 'it continues to wait' &
	done
	wait
}

{
	way=loops command=(env); hangs; innocents; waits
	for name in copied callback; do case_of $name 0 "$explained" & done
	case_of queue 0 &
	wait
	# A loop that a clock may end is not proven to wait for ever; a limit of time ends it.
	command=(env CUDASIM_TIMEOUT=3)
	case_of clock 702 "$explained" 'waits for never which is 0 ' 'longer than CUDASIM_TIMEOUT'
	# These end by themselves, by a count or a clock, with memory as it was.
	command=(env)
	for name in then_look for_a_time; do case_of $name 0 any & done
	wait
	arguments=(10000)
	for name in so_often walk in_rounds by_pointer; do case_of $name 0 & done
	wait
	arguments=()
	command=(env CUDASIM_HANG=1)
	(arguments=(2500000); case_of compute 0)
	way=checked command=("$cudasim" check --tool memcheck --error-exitcode 0)
	for name in lock_in_warp transaction flag; do
		timeout -s KILL 30 "${command[@]}" ./hangs $name >out 2>&1
		grep -q '^702' out && echo "ok checked $name" || echo "not ok checked $name $(tr '\n' '|' <out)"
	done
	# Who wrote there last is known of watched bodies.
	way=writers
	takes=$(grep -n 'atomicCAS(&locks\[own\]' "$source" | cut -d: -f1)
	four=$(grep -n 'atomicCAS(lock, 0, 9)' "$source" | cut -d: -f1)
	for name in lock_in_warp arrivals flag two_locks transaction four; do
		command=(env CUDASIM_BODY=watched)
		case $name in
		lock_in_warp) lines=('waits for lock_word which is 1 \(0x1\), last written by thread (0|31) of block \(0,0,0\) \(.*hangs.cu:18\)$') ;;
		arrivals) lines=('64 of 128 arrivals, last written by thread (63|0|32) of block \(0,0,0\) \(.*hangs.cu:51\)$') ;;
		flag) lines=('waits for never which is 0 \(0x0\), written by no thread of this launch$') ;;
		two_locks) lines=("locks which is 1 \(0x1\), last written by thread 0 of block \(0,0,0\) \(.*hangs.cu:$takes\)\$" \
			"locks, 4 bytes into it, which is 1 \(0x1\), last written by thread 0 of block \(1,0,0\) \(.*hangs.cu:$takes\)\$") ;;
		transaction) lines=('16 bytes still to come, last written by thread 0 of block \(0,0,0\) ') ;;
		four) lines=("lock_of_four, 4 bytes into it, which is 9 \(0x9\), last written by thread 0 of block \(1,0,0\) \(.*hangs.cu:$four\)\$") ;;
		esac
		case_of $name 702 "$ended" "${lines[@]}" &
		wait
	done
	way=one command=(env CUDASIM_WORKERS=1); hangs; innocents
	way=fibers command=(env CUDASIM_ENGINE=fibers); hangs; innocents
	way=watched command=(env CUDASIM_BODY=watched); hangs; innocents; waits
	way=reverse command=(env CUDASIM_SCHEDULE=reverse); hangs; innocents
	way=pthreads command=(env CUDASIM_ENGINE=pthreads); hangs; innocents
	way=random command=(env CUDASIM_SCHEDULE=random:7); hangs; innocents
} >results
while read -r result; do
	case $result in
	'ok '*) pass "${result#ok }" ;;
	*) fail "$(cut -d' ' -f3,4 <<<"$result")" "$result" ;;
	esac
done <results

# synccheck says who spins, and who waits for them.
timeout -s KILL 30 "$cudasim" check --tool synccheck --error-exitcode 0 ./hangs lock_in_warp >out 2>&1
if grep -qE 'Block \(0,0,0\): threads (0|31) wait at an operation of warp 0 with mask 0xffffffff at .*hangs.cu:[0-9]+ for threads (1-31|0-30)$' out &&
	grep -qE 'Block \(0,0,0\): threads (1-31|0-30) spin in a loop at .*hangs.cu:[0-9]+$' out; then
	pass 'synccheck'
else
	fail 'synccheck' "$(tr '\n' '|' <out)"
fi

# Device functions that are called directly.
"$cudasim" cc -std=c++17 -g --extended-lambda "$3/tests/hangs/direct.cu" -o direct -lcmocka 2>log || echo "direct.cu does not build: $(cat log)"
CMOCKA_MESSAGE_OUTPUT=TAP timeout -s KILL 30 ./direct >out 2>&1
grep -q '^ok 1 - another_thread_sets_it' out && grep -qE "$explained" out && pass 'called, and set later' ||
	fail 'called, and set later' "$(tr '\n' '|' <out)"
grep -q '^not ok 2 - nobody_sets_it' out && grep -qE "$ended" out &&
	grep -qE 'threads 0: in a loop, spin \(.*direct.cu:[0-9]+\), waits for never which is 0' out &&
	pass 'called, and never set' || fail 'called, and never set' "$(tr '\n' '|' <out)"

# Blocks wait at grid barriers on one stack each: some 500 KiB, against 5,000 where each of the 1,024
# threads has one. With several workers on a busy machine they may leave their loops, rarely.
"$cudasim" cc -O2 "$3/tests/hangs/grid_sync.cu" -o grid_sync 2>log || echo "grid_sync.cu does not build: $(cat log)"
for workers in 1 2; do
	least=99999
	for i in 1 2 3 4 5; do
		kib=$(CUDASIM_WORKERS=$workers timeout -s KILL 60 ./grid_sync) && [ "$kib" -lt "$least" ] && least=$kib
		[ "$least" -lt 2000 ] && break
	done
	[ "$least" -lt 2000 ] && pass "grid barriers, workers: $workers" ||
		fail "grid barriers, workers: $workers" "took $least KiB"
done

# The debugger stops, as by Ctrl-C.
CUDASIM_HANG=1 expect 'the debugger stops' 0 'received signal SIGINT' timeout 60 "$cudasim" debug -batch -ex run -ex bt --args ./hangs lock_in_warp
expect 'CUDASIM_HANG=0' 137 '^$' env CUDASIM_HANG=0 timeout -s KILL 4 ./hangs flag
finish
