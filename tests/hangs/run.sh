# SPDX-License-Identifier: Apache-2.0
# usage: run.sh CUDASIM SCRATCH SOURCE_ROOT: what becomes of programs that hang, and of those that do not.
. "$3/tests/driver/lib.sh"
"$cudasim" cc -std=c++20 -g "$3/tests/hangs/hangs.cu" -o hangs 2>log || echo "hangs.cu does not build: $(cat log)"
export CUDASIM_HANG=1

# case_of NAME OUTPUT LINES...: OUTPUT is the error that is printed ("-": it never ends), each of
# LINES an extended regular expression that a line of stderr matches. Without LINES stderr is empty.
case_of() {
	local name=$1 output=$2 why= line status
	shift 2
	timeout -s KILL 20 "${command[@]}" ./hangs "$name" "${arguments[@]}" >"$way.$name.out" 2>"$way.$name.err"
	status=$?
	sed -i '/CUDASIM_SCHEDULE=random/d' "$way.$name.err"
	[ "$status $(cat "$way.$name.out")" = "0 $output" ] || why="status $status, prints $(cat "$way.$name.out")"
	[ $# -gt 0 ] || [ ! -s "$way.$name.err" ] || why="$why; says something"
	for line; do
		grep -qE -- "$line" "$way.$name.err" || why="$why; no line '$line'"
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
	case_of flag 702 "$ended" 'block \([0-3],0,0\) and 3 more that stand like it, 64 threads' 'threads 0-63: .*waits for never which is 0 ' &
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
		case_of $name 0 "$explained" 'it goes on waiting' &
	done
	wait
}

{
	way=loops command=(env); hangs; innocents; waits
	case_of sleeping 702 "$ended" 'waits for never which is 0 '
	for name in copied callback; do case_of $name 0 "$explained" & done
	case_of queue 0 &
	wait
	# What looks at a clock, or counts, is not proven to wait for ever; a limit of time ends it.
	command=(env CUDASIM_TIMEOUT=3)
	case_of clock 702 "$explained" 'waits for never which is 0 ' 'longer than CUDASIM_TIMEOUT' &
	case_of counting 702 "$explained" 'waits for never which is 0 ' 'longer than CUDASIM_TIMEOUT' &
	case_of arrivals 702 "$explained" 'mbarrier in shared memory at 0x400: 64 of 128 arrivals' 'threads 64-127: ended' &
	wait
	command=(env CUDASIM_HANG=1)
	(arguments=(2500000); case_of compute 0)
	way=checked command=("$cudasim" check --tool memcheck --error-exitcode 0)
	for name in lock_in_warp transaction flag; do
		timeout -s KILL 30 "${command[@]}" ./hangs $name >out 2>&1
		grep -q '^702' out && echo "ok checked $name" || echo "not ok checked $name $(tr '\n' '|' <out)"
	done
	way=one command=(env CUDASIM_WORKERS=1); hangs; innocents
	way=fibers command=(env CUDASIM_ENGINE=fibers); hangs; innocents
	way=watched command=(env CUDASIM_BODY=watched); hangs; innocents; waits
	way=reverse command=(env CUDASIM_SCHEDULE=reverse); hangs; innocents
	way=pthreads command=(env CUDASIM_ENGINE=pthreads); hangs; innocents
} >results
while read -r result; do
	case $result in
	'ok '*) pass "${result#ok }" ;;
	*) fail "$(cut -d' ' -f3,4 <<<"$result")" "$result" ;;
	esac
done <results

# The debugger stops, as by Ctrl-C.
CUDASIM_HANG=1 expect 'the debugger stops' 0 'received signal SIGINT' timeout 60 "$cudasim" debug -batch -ex run -ex bt --args ./hangs lock_in_warp
expect 'CUDASIM_HANG=0' 137 '^$' env CUDASIM_HANG=0 timeout -s KILL 4 ./hangs flag
finish
