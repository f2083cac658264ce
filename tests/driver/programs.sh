#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Small programs built in the ways that makefiles build theirs, and run.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >main.cu <<'CU'
#include <cstdio>
extern __device__ int shared_value;
__device__ int twice(int);
__global__ void kernel(int *p) { p[threadIdx.x] = twice(threadIdx.x) + shared_value; }
void launch_other(int *p);
int main()
{
	int *p, h[32];
	cudaMalloc(&p, sizeof h);
	kernel<<<1, 32>>>(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[31]);
	launch_other(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[31]);
	return 0;
}
CU
cat >other.cu <<'CU'
__device__ int shared_value = 100;
__device__ int twice(int x) { return x * 2; }
static __global__ void kernel(int *p) { p[threadIdx.x] = twice(threadIdx.x) + 1000; }
void launch_other(int *p) { kernel<<<1, 32>>>(p); }
CU
cat >whole.cu <<'CU'
#include <cstdio>
#if __NVCC__ != 1 || __CUDACC__ != 1
#error not as nvcc
#endif
static __device__ __managed__ int managed = 7;
__managed__ float numbers[4] = {1, 2, 3, 4};
__global__ void kernel() { managed += 1; numbers[2] *= 2; }
extern "C" int from_c(void);
int main()
{
	int before = managed;
	kernel<<<1, 1>>>();
	cudaDeviceSynchronize();
	printf("%d %d %g %d\n", before, managed, numbers[2], from_c());
	return 0;
}
CU
cat >wraps.cu <<'CU'
#include <cstdio>
__global__ void square(int *a) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = i * i; }
int main()
{
	int n = 1 << 17, *a = new int[n], *there;
	cudaMalloc(&there, n * sizeof(int));
	square<<<n / 256, 256>>>(there);
	cudaMemcpy(a, there, n * sizeof(int), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i += 1)
		if (a[i] != i * i)
			return printf("%d: %d, not %d\n", i, a[i], i * i);
	puts("all agree");
	return 0;
}
CU
cat >tower.cu <<'CU'
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
int main()
{
	thrust::device_vector<int> v(100, 3);
	return *thrust::max_element(v.begin(), v.end()) - 3;
}
CU
cat >part.c <<'C'
int from_c(void) { return 5; }
C
cat >library.cu <<'CU'
__global__ void add(int *p) { *p += 3; }
extern "C" int add_three(int x)
{
	int *p;
	cudaMalloc(&p, sizeof *p);
	cudaMemcpy(p, &x, sizeof x, cudaMemcpyHostToDevice);
	add<<<1, 1>>>(p);
	cudaMemcpy(&x, p, sizeof x, cudaMemcpyDeviceToHost);
	cudaFree(p);
	return x;
}
CU
cat >user.cpp <<'CPP'
#include <cstdio>
extern "C" int add_three(int);
int main() { printf("%d\n", add_three(4)); return 0; }
CPP
cat >dialect.cu <<'CU'
// What nvcc takes and clang does not: mended, built and run.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void aligned(int *p)
{
	__shared__ alignas(128) int s[32];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	p[threadIdx.x] = s[31 - threadIdx.x] + (int)((size_t)s % 128);
}
#define UNROLLED #pragma unroll 2
__global__ void external(int *p)
{
	extern __shared__ int one;
	one = 0;
	UNROLLED
	for (int i = 0; i < 3; i++)
		one++;
	*p = one;
}
__global__ void barrier(int *p)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int total;
	if (threadIdx.x == 0) {
		init(&bar, blockDim.x);
		total = 0;
	}
	__syncthreads();
	atomicAdd(&total, 1);
	bar.arrive_and_wait();
	p[threadIdx.x] = total;
}
__global__ void builtin(unsigned *p, unsigned short *s, float2 *f, float *g)
{
	p[threadIdx.x] = __reduce_add_sync(~0u, threadIdx.x);
	__nv_atomic_fetch_max(p + 32, threadIdx.x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	atomicAdd(f, make_float2(1, 2));
	if (threadIdx.x == 0) {
		atomicCAS(s, (unsigned short)7, (unsigned short)9);
		*g = __ldcs(g + 1) + min(1, 2u);
	}
}
int main()
{
	int *p;
	cudaMallocManaged(&p, 4096);
	aligned<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	printf("%d %d", p[0], p[31]);
	external<<<1, 1, 4>>>(p);
	cudaDeviceSynchronize();
	printf(" %d", p[0]);
	barrier<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	printf(" %d", p[5]);
	unsigned short *s = (unsigned short *)(p + 40);
	float2 *f = (float2 *)(p + 42);
	float *g = (float *)(p + 46);
	*s = 7;
	*f = make_float2(0, 0);
	g[1] = 2.5f;
	p[32] = 0;
	builtin<<<1, 32>>>((unsigned *)p, s, f, g);
	cudaDeviceSynchronize();
	int i = 3;
	double d = max(1.5f, 2.5) + min(i, 7);
	printf(" %d %d %d %g %g %g %g\n", p[3], p[32], *s, f->x, f->y, *g, d);
	return cudaGetLastError();
}
CU
cat >openmp.cu <<'CU'
#include <omp.h>
#include <cstdio>
__global__ void kernel() {}
int main()
{
	int n = 0;
#pragma omp parallel reduction(+ : n) num_threads(3)
	n += omp_get_thread_num() + 1;
	kernel<<<1, 1>>>();
	printf("%d\n", n);
	return cudaDeviceSynchronize();
}
CU
cat >Makefile <<'MAKE'
CUDA_HOME ?= /usr/local/cuda
NVCC = $(CUDA_HOME)/bin/nvcc
prog: user.o library.o
	g++ $^ -o $@ -L$(CUDA_HOME)/lib64 -lcudart
%.o: %.cu
	$(NVCC) -O2 -arch=sm_90 -c $< -o $@
%.o: %.cpp
	g++ -I$(CUDA_HOME)/include -c $< -o $@
MAKE

cc=("$cudasim" cc)
# The numbers: 31 * 2 + 100, and 31 * 2 + 1000.
both='^162$'
expect "whole program with a C file and managed variables" 0 '^7 8 6 5$' \
	"${cc[@]}" whole.cu part.c -o whole -run
# 31 - 0 and 31 - 31; 3; 32 threads; 0 + ... + 31; 31; 9; 32 times 1 and 2; 2.5 + 1; 2.5 + 3.
expect "nvcc's dialect" 0 '^31 0 3 32 496 31 9 32 64 3.5 5.5$' "${cc[@]}" dialect.cu -o dialect -run
if "$cudasim" doctor | grep -q '^found *OpenMP'; then
	cat >chunks.cu <<'CU'
#include <cstdio>
__global__ void kernel() {}
int main()
{
	int sum = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	kernel<<<1, 1>>>();
	printf("%d\n", sum + cudaDeviceSynchronize());
}
CU
	expect "OpenMP's dynamic chunks" 0 '^4950$' "${cc[@]}" -Xcompiler -fopenmp chunks.cu -o chunks -run
	expect "OpenMP" 0 '^6$' "${cc[@]}" -Xcompiler -fopenmp openmp.cu -o openmp -run
	expect "OpenMP with gcc's library named, too" 0 '^6$' \
		"${cc[@]}" -Xcompiler -fopenmp openmp.cu -lgomp -o openmp-gomp -run
else
	expect "OpenMP without its library" 1 "libomp-$llvm-dev" "${cc[@]}" -Xcompiler -fopenmp openmp.cu
fi
expect "-rdc=true in one step" 0 "$both" "${cc[@]}" -rdc=true main.cu other.cu -o rdc -run
expect "its second kernel" 0 '^1062$' ./rdc
# A structure in dynamic shared memory, which each file that uses it declares: as often as it likes.
cat >pool.h <<'CU'
struct pool { int at[8]; };
extern __shared__ pool the_pool;
CU
cat >pool.cu <<'CU'
#include <cstdio>
#include "pool.h"
extern __shared__ pool the_pool;
__device__ int from(int i) { return the_pool.at[i]; }
extern __shared__ pool the_pool;
__global__ void kernel()
{
	the_pool.at[threadIdx.x] = 3 * threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 2)
		printf("%d\n", from(7 - threadIdx.x));
}
int main() { kernel<<<1, 8, 64>>>(); return cudaDeviceSynchronize(); }
CU
expect "a shared structure that is declared again" 0 '^15$' "${cc[@]}" -rdc=true pool.cu -o pool -run
expect "-dc makes objects" 0 '^$' "${cc[@]}" -dc main.cu other.cu
expect "objects are linked" 0 "$both" "${cc[@]}" main.o other.o -o linked -run
expect "-lib makes an archive" 0 '^$' "${cc[@]}" -lib other.o -o libother.a
expect "device code comes from an archive named by -l" 0 "$both" \
	"${cc[@]}" main.o -L. -lother -o archived -run
expect "-dlink makes an object" 0 '^$' "${cc[@]}" -dlink main.o other.o -o device.o
tree=$("$cudasim" toolkit-path)
expect "g++ links it" 0 '^$' g++ main.o other.o device.o -o by_gxx -L"$tree/lib64" -lcudart_static
expect "and it runs" 0 "$both" ./by_gxx
expect "-shared" 0 '^$' "${cc[@]}" -shared -Xcompiler -fPIC library.cu -o libadd.so
expect "a program with the shared object" 0 '^7$' \
	"${cc[@]}" user.cpp -L. -ladd -Xlinker -rpath,. -o with_so -run
expect "options that only gcc knows" 0 "$both" "${cc[@]}" -rdc=true main.cu other.cu \
	-Xcompiler -flto,-fopt-info-vec,-fpartial-inlining,-mpreferred-stack-boundary=4 -o gcc_only -run
# The driver opened by its name, as newer versions of CCCL do it.
cat >opens.cu <<'CU'
#include <cstdio>
#include <dlfcn.h>
int main()
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
	int (*count)(int *) = init ? (int (*)(int *))dlsym(driver, "cuDeviceGetCount") : NULL;
	int n = 0;
	printf("%d %d", init ? init(0) : -1, count ? count(&n) : -1);
	printf(" %d\n", n);
	return 0;
}
CU
unless_sanitized "whose dlopen() looks where its own library would" \
	expect "libcuda.so.1 by name" 0 '^0 0 1$' env -u LD_LIBRARY_PATH "${cc[@]}" opens.cu -o opens -run
# Programs look for each library's functions in that library: those of NVRTC are not in libcuda.
exported=$(nm -D --defined-only "$(dirname "$cudasim")/sim/libcudasim.so" | grep -c ' nvrtc')
[ "$exported" = 0 ] && pass "libcuda has nothing of NVRTC" || fail "libcuda has nothing of NVRTC" "$exported"
cat >nvrtc.cu <<'CU'
#include <cstdio>
#include <dlfcn.h>
#include <nvrtc.h>
int main()
{
	int major = 0, minor = 0, status = nvrtcVersion(&major, &minor);
	void *by_name = dlsym(dlopen("libnvrtc.so.12", RTLD_NOW), "nvrtcVersion");
	printf("%d: %d.%d, %d\n", status, major, minor, by_name == dlsym(RTLD_DEFAULT, "nvrtcVersion"));
}
CU
unless_sanitized "whose dlopen() looks where its own library would" \
	expect "-lnvrtc" 0 "^0: $release, 1\$" env -u LD_LIBRARY_PATH "${cc[@]}" nvrtc.cu -lnvrtc -o nvrtc -run
# gcc's omp.h and quadmath.h are there without -fopenmp; its nested locks have 16 bytes.
cat >omp.cu <<'CU'
#include <cstdio>
#include <omp.h>
#include <quadmath.h>
int main()
{
	omp_nest_lock_t lock;
	omp_init_nest_lock(&lock);
	printf("%zu %d %d\n", sizeof lock, omp_test_nest_lock(&lock), (int)fabsq(-3));
	return 0;
}
CU
expect "omp.h without -fopenmp" 0 '^16 1 3$' "${cc[@]}" omp.cu -o omp -lgomp -lquadmath -run
expect "make with CUDA_HOME" 0 'nvcc' env CUDA_HOME="$tree" make
expect "what make made runs" 0 '^7$' ./prog
if command -v cmake >/dev/null; then
	mkdir cmake
	cp library.cu user.cpp cmake
	cat >cmake/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES CXX CUDA)
add_executable(program user.cpp library.cu)
CMAKE
	expect "CMake's CUDA language" 0 'Generating done' env PATH="$tree/bin:$PATH" \
		cmake -S cmake -B cmake/build -DCMAKE_CUDA_ARCHITECTURES=90
	expect "cmake --build" 0 'Built target program' cmake --build cmake/build
	expect "what CMake made runs" 0 '^7$' cmake/build/program
fi
expect "nvcc by its real path, as Python's packages call it" 0 "release $release, V$release" \
	"$(realpath "$("$cudasim" nvcc-path)/nvcc")" --version
expect "nvcc on PATH" 0 "release $release, V$release" env PATH="$("$cudasim" nvcc-path):$PATH" nvcc --version
expect "nvcc's wording of errors" 1 "^nvcc fatal   : Unknown option '-x9'" \
	env PATH="$("$cudasim" nvcc-path):$PATH" nvcc -x9
expect "NVCC_PREPEND_FLAGS" 0 '^$' env NVCC_PREPEND_FLAGS='-DA -c' NVCC_APPEND_FLAGS='-o flags.o' \
	"${cc[@]}" whole.cu
[ -f flags.o ] && pass "NVCC_APPEND_FLAGS" || fail "NVCC_APPEND_FLAGS"
expect "products wrap on the host as in kernels" 0 '^all agree' \
	"${cc[@]}" -O3 -run wraps.cu
# Copied into every caller as they are, the functions of Thrust's headers made 1.8 MB; warp
# operations as loops add a fifth, short regions of a warp as straight code as much again, and regions
# behind which lanes may part as vectors an eighth.
"${cc[@]}" -c tower.cu -o tower.o
bytes=$(size -A tower.o | awk '$1 == ".text" { print $2 }')
[ "$bytes" -gt 0 ] && [ "$bytes" -lt 810000 ] && pass "Thrust's code stays small" ||
	fail "Thrust's code stays small" "$bytes bytes"
# A library comes, goes and comes again: its variables begin anew.
cat >late.cu <<'CU'
#include <cstdio>
__managed__ int numbers[3000] = {1, 2, 3};
__device__ int plain = 7;
__global__ static void kernel(int n) { numbers[n] += numbers[0] + plain++; }
extern "C" void call(int n)
{
	kernel<<<1, 1>>>(n);
	int error = cudaDeviceSynchronize();
	printf("%d %d,", error, numbers[n]);
}
CU
cat >loader.cu <<'CU'
#include <cstdio>
#include <dlfcn.h>
int main()
{
	cudaFree(0);
	for (int i = 0; i < 3; i++) {
		void *library = dlopen("./liblate.so", RTLD_NOW | RTLD_LOCAL);
		void (*call)(int) = (void (*)(int))dlsym(library, "call");
		call(2);
		call(2);
		dlclose(library);
		cudaDeviceReset();
	}
	puts(".");
}
CU
"${cc[@]}" -shared -Xcompiler -fPIC late.cu -o liblate.so && "${cc[@]}" loader.cu -o loader -ldl
expect "a library that is opened again" 0 '^0 11,0 20,0 11,0 20,0 11,0 20,\.$' ./loader
expect "-MD" 0 '^$' "${cc[@]}" -MD -c library.cu -o deps.o
expect "its file" 0 '^deps.o:.*library.cu' tr -d '\\\n' <deps.d
expect "--dryrun shows a line for every job" 0 '^#\$ ld -r' "${cc[@]}" --dryrun whole.cu
expect "doctor" 0 '^all there' "$cudasim" doctor
expect "help" 0 'compile and link CUDA' "$cudasim" help
for command in cc debug test env doctor nvcc-path toolkit-path fetch-toolkit help version; do
	expect "help $command" 0 "$command|variables" "$cudasim" help $command
done
expect "help on nothing" 1 "there is no help on 'nothing'" "$cudasim" help nothing
expect "fetch-toolkit's help" 0 'usage: cudasim fetch-toolkit' "$cudasim" fetch-toolkit --help
# What gcc computes once, as it is the same each time.
cat >randoms.cu <<'CU'
#include <cstdio>
#include <random>
extern "C" int n_logs(void);
int main()
{
	std::mt19937 generator;
	std::uniform_real_distribution<float> numbers(0, 1);
	float last;
	for (int i = 0; i < 9000; i++)
		last = numbers(generator);
	puts(last >= 0 && last < 1 && n_logs() < 100 ? "seldom" : "often");
}
CU
cat >logs.c <<'C'
static int n;
int n_logs(void) { return n; }
long double logl(long double x) { n++; return x == 2 ? 1 : 32; }
C
gcc -fno-builtin -c logs.c && "${cc[@]}" -O2 randoms.cu logs.o -o randoms
expect "logarithms of constants" 0 '^seldom$' ./randoms
cat >std.cu <<'CU'
#include <cuda_fp16.h>
__global__ void kernel(__half *p) { *p = __float2half(1.5f); }
int main() { kernel<<<1, 1>>>(0); return 0; }
CU
echo '__global__ void kernel(int *p) { *p = 1; }' >letters.cu
# The letters that nvcc's own headers leave to programs.
expect "macros of one letter" 0 '^$' "${cc[@]}" $(printf -- '-D%s=1 ' A B C D E F G H I J K L M N O P Q R S V W X Y Z) \
	-c letters.cu -o letters.o
# clang includes the toolkit's cuda.h before every source, nvcc does not.
mkdir own
echo 'typedef int own_type; inline __host__ __device__ own_type own(own_type x) { return x + 1; }' >own/cuda.h
cat >own.cu <<'CU'
#include "cuda.h"
__global__ void kernel(own_type *p) { *p = own(4); }
int main()
{
	own_type *p;
	cudaMallocManaged(&p, sizeof *p);
	kernel<<<1, 1>>>(p);
	return cudaDeviceSynchronize() || *p != 5;
}
CU
"${cc[@]}" -Iown own.cu -o own_header
expect "a cuda.h of the program's own" 0 '^$' ./own_header
printf '#include "cuda.h"\n#include <cuda.h>\nint main() { return (int)cuInit(0); }\n' >toolkits.cu
"${cc[@]}" -DN=1024 toolkits.cu -o toolkits
expect "the toolkit's cuda.h" 0 '^$' ./toolkits
# What nvcc takes and clang does not, where #line names a file that is not there.
cat >lines.cu <<'CU'
#line 1 "written.by.a.program"
__global__ void kernel(int *p) { __shared__ alignas(16) int s[4]; s[0] = 3; *p = s[0]; }
CU
expect "lines of another file" 0 '^$' "${cc[@]}" -c lines.cu -o lines.o
echo '__global__ void other(int *p) { *p = nothing; }' >>lines.cu
expect "an error there" 1 '^written.by.a.program:2:38: error: ' "${cc[@]}" -c lines.cu -o lines.o
for std in c++11 c++14 c++17 c++20; do
	expect "-std=$std" 0 '^$' "${cc[@]}" -std=$std -c std.cu -o std.o
done
expect "--keep" 0 '^$' "${cc[@]}" --keep -c library.cu -o kept.o
[ -s library.bc ] && pass "--keep leaves the bitcode" || fail "--keep leaves the bitcode"
compgen -G 'headers-*' >/dev/null && fail "--keep leaves no list of headers" || pass "--keep leaves no list of headers"
expect "the same command makes the same object" 0 '^$' "${cc[@]}" -c library.cu -o kept2.o
cp kept2.o first.o
"${cc[@]}" -c library.cu -o kept2.o
cmp -s first.o kept2.o && pass "bit for bit" || fail "bit for bit"
finish
