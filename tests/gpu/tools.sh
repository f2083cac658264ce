#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With CUDASIM=0 `cudasim debug` and `cudasim check` are the vendor's tools, arguments and
# exit status handed on, or say that those are not there. `cudasim profile` needs no compiler.
#
#   tools.sh CUDASIM FAKE-LIBCUDART
set -u
cudasim=$1
fake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/empty"
for tool in cuda-gdb compute-sanitizer; do
	printf '#!/bin/sh\nprintf "%%s:" "$0" | sed "s,.*/,,"; printf "<%%s>" "$@"; exit 7\n' >"$work/bin/$tool"
	chmod +x "$work/bin/$tool"
done
n=0
result() { # NAME EXPECTED GOT
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf '# expected %s\n#      got %s\n' "$2" "$3"
	fi
}
run() {
	out=$("$@" 2>&1)
	status=$?
	printf '%s %s' "$status" "$out"
}
export CUDASIM=0
result "debug is cuda-gdb" "7 cuda-gdb:<-batch><-ex><info cuda kernels><--args><./app><a b>" \
	"$(PATH=$work/bin:$PATH run "$cudasim" debug -batch -ex 'info cuda kernels' --args ./app 'a b')"
result "check is compute-sanitizer" "7 compute-sanitizer:<--tool><racecheck><./app><>" \
	"$(PATH=$work/bin:$PATH run "$cudasim" check --tool racecheck ./app '')"
if [ ! -x /usr/local/cuda/bin/cuda-gdb ]; then
	result "cuda-gdb is not there" \
		"1 cudasim: CUDASIM=0: cuda-gdb of the CUDA toolkit was not found; unset CUDASIM to use the simulator's own" \
		"$(unset CUDA_HOME; PATH=$work/empty run "$cudasim" debug ./app)"
fi
if [ ! -x /usr/local/cuda/bin/compute-sanitizer ]; then
	result "compute-sanitizer is not there" \
		"1 cudasim: CUDASIM=0: compute-sanitizer of the CUDA toolkit was not found; unset CUDASIM to use the simulator's own" \
		"$(unset CUDA_HOME; PATH=$work/empty run "$cudasim" check ./app)"
fi
export CUDASIM_LIBCUDART=$fake
result "a profile of device 1" "0 cudasim profile 1
name Fake GPU 1
memory 3221225472 100663296
attribute 1 102" "$(run "$cudasim" profile --device 1 | head -4)"
result "no such device" "1 cudasim: there is no device 5" "$(run "$cudasim" profile --device 5)"
result "a wrong option" "1 cudasim: profile: '--devise' is not an option or lacks its value; see cudasim profile --help" \
	"$(run "$cudasim" profile --devise 5)"
result "no driver" "1 cudasim: this machine has no driver for NVIDIA GPUs (libcuda.so.1)" \
	"$(FAKE_COUNT_ERROR=35 FAKE_DRIVER=0 run "$cudasim" profile)"
echo "1..$n"
