# SPDX-License-Identifier: Apache-2.0
# A CMake project, unmodified, by pointing at our nvcc. SOURCE is beside this script.
source=$(realpath "$(dirname "$0")")/cmake
. "$(dirname "$0")/lib.sh"

if ! command -v cmake >/dev/null; then
	echo '1..0 # SKIP no cmake here'
	exit 0
fi
nvcc=$("$cudasim" nvcc-path)/nvcc

# build FOLDER ARGUMENT...: configures and builds there
build() {
	local folder=$1
	shift
	cmake -S "$source" -B "$folder" -DCMAKE_CUDA_COMPILER="$nvcc" "$@" &&
		cmake --build "$folder" --verbose
}
export -f build
export source nvcc

# run NAME FOLDER: the program that was built
run() { expect "$1" 0 '^6 12 18 total 50 piece 7 devices 1$' "$2/program"; }

expect 'with make' 0 'Built target program' bash -c 'build "$@"' build make -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release
run 'the program' make
# Configured again, CMake tells what it knows.
expect 'the compiler is known' 0 "compiler NVIDIA $release\." cmake "$PWD/make"
expect 'the default architecture' 0 'architectures 90$' cmake "$PWD/make"
expect "the toolkit's version" 0 "toolkit $release\." cmake "$PWD/make"
expect 'ctest' 0 '100% tests passed' env --chdir=make ctest
expect 'nothing is compiled twice' 0 '^0$' bash -c 'cmake --build make --verbose | grep -c " -c " || true'
expect 'the dependency files name the headers' 0 'area\.cuh' find make -name '*.d' -exec cat {} +

# Ninja takes response files, and dependencies by -MD -MT -MF.
if command -v ninja >/dev/null; then
	expect 'with ninja, a debug build for several architectures' 0 'program' bash -c 'build "$@"' build ninja -G Ninja \
		-DCMAKE_BUILD_TYPE=Debug '-DCMAKE_CUDA_ARCHITECTURES=80;90-real;90-virtual' \
		-DCMAKE_CUDA_USE_RESPONSE_FILE_FOR_OBJECTS=ON -DCMAKE_NINJA_FORCE_RESPONSE_FILE=ON
	run 'its program' ninja
	expect 'ninja has read the dependencies' 0 'area\.cuh' ninja -C ninja -t deps
fi
expect 'shared device libraries, from the environment' 0 'Built target program' \
	env CUDACXX="$nvcc" bash -c "cmake -S '$source' -B shared -DBUILD_SHARED_LIBS=ON \
	-DCMAKE_CUDA_ARCHITECTURES=all-major -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared && cmake --build shared"
run 'the program of it' shared
finish
