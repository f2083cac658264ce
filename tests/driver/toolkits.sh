#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each version of the CUDA toolkit that lies in the user's cache (`cudasim fetch-toolkit --version VERSION`); the
# others are skipped. What the programs in toolkits/ are to print was worked out by hand from their text.
# Versions may be named behind the arguments of all tests here; then only these are tried.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
unset CUDASIM_TOOLKIT CUDA_HOME CUDA_PATH
only=("${@:4}")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cudasim

# prints NAME FILE COMMAND...: the command prints what is in the file.
prints() {
	local name=$1 wanted=$2 output
	shift 2
	output=$(timeout 300 "$@" 2>&1)
	if [ "$output" = "$(cat "$wanted")" ]; then
		pass "$name"
	else
		fail "$name" "$(diff <(echo "$output") "$wanted")"
	fi
}

try_version() {
	local version=$1 number major=${1%.*} minor=${1#*.} tree
	number=$((major * 1000 + minor * 10))
	export CUDASIM_TOOLKIT=$version
	expect "$version: doctor" 0 "CUDA $version, tested, by CUDASIM_TOOLKIT" "$cudasim" doctor
	expect "$version: nvcc --version" 0 "release $version, V$version\." "$cudasim" nvcc --version
	expect "$version: versions.cu builds" 0 '' "$cudasim" cc "$here/toolkits/versions.cu" -o versions -lnvrtc
	expect "$version: versions.cu" 0 \
		"nvcc $version, in a kernel $number, headers $number and $number, runtime $number, NVRTC $version, driver new" \
		./versions
	expect "$version: library.cu builds" 0 '' "$cudasim" cc "$here/toolkits/library.cu" -o library
	prints "$version: library.cu" "$here/toolkits/library.expected" ./library
	[ "$major" = 12 ] || return
	expect "$version: forms_12.cu builds" 0 '' "$cudasim" cc "$here/toolkits/forms_12.cu" -o forms
	prints "$version: forms_12.cu" "$here/toolkits/forms_12.expected" ./forms
	expect "$version: for a GPU" 1 "--gpu needs a toolkit of CUDA 13, and .* is of $version" \
		"$cudasim" cc --gpu "$here/toolkits/versions.cu" -o gpu
	tree=$("$cudasim" toolkit-path)
	for library in '-l:libcudart.so' '-l:libcudart_static.a'; do
		expect "$version: g++ $library" 0 '' g++ "$here/toolkits/host_12.cpp" -o host "-I$tree/include" \
			"-L$tree/lib64" "$library" "-Wl,-rpath,$tree/lib64"
		expect "$version: a program of g++ $library" 0 'advice -1, guard 1' ./host
	done
}

tried=0
while read -r version state; do
	[ ${#only[@]} = 0 ] || [[ " ${only[*]} " == *" $version "* ]] || continue
	if [ -f "$cache/toolkit-$version/include/cuda_runtime.h" ]; then
		try_version "$version"
		tried=$((tried + 1))
	else
		pass "$version # SKIP not fetched${state:+ ($state)}"
	fi
done < <("$cudasim" fetch-toolkit --list)

export CUDASIM_TOOLKIT=$scratch/old
mkdir -p old/include/cuda/std old/nvvm/libdevice old/bin
touch old/include/cuda_runtime.h old/include/cuda/std/version old/nvvm/libdevice/libdevice.10.bc
echo '#define CUDA_VERSION 12030' >old/include/cuda.h
expect "a version before the first" 1 'old contains CUDA 12\.3, but CUDA 12\.4 to 13\.x is needed' \
	"$cudasim" cc "$here/toolkits/versions.cu"
echo '#define CUDA_VERSION 14000' >old/include/cuda.h
expect "a version behind the last" 1 'old contains CUDA 14\.0, but CUDA 12\.4 to 13\.x is needed' \
	"$cudasim" cc "$here/toolkits/versions.cu"
echo '#define CUDA_VERSION 13990' >old/include/cuda.h
expect "a version that nobody tried" 0 'CUDA 13\.99, not tested' "$cudasim" doctor
rmdir old/bin
expect "a toolkit without tools" 1 'MISSING .*no folder bin in .*old' "$cudasim" doctor
export XDG_CACHE_HOME=$scratch/cache
CUDASIM_TOOLKIT=12.4 expect "a version that is not there" 1 'fetch-toolkit --version 12\.4. fetches it' \
	"$cudasim" cc "$here/toolkits/versions.cu"
expect "fetch-toolkit lists" 0 '^12\.4$' "$cudasim" fetch-toolkit --list
expect "fetch-toolkit knows its versions" 1 'no CUDA 11\.8 here; there are 12\.4 12\.5 ' \
	"$cudasim" fetch-toolkit --version 11.8
expect "a version is needed" 1 'needs a version' "$cudasim" fetch-toolkit --version
finish
