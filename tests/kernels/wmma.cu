/* SPDX-License-Identifier: Apache-2.0 */
/* wmma.cu - tensor cores by mma.h: each shape and type, fragments loaded, changed element by
 * element, multiplied and stored, in both layouts, from global and shared memory; which lane
 * holds which element; and a product of larger matrices. The numbers are small and whole, so
 * that "right" is what the host computes exactly. */
#include "case.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <string>
#include <type_traits>

using namespace nvcuda;
using row = wmma::row_major;
using col = wmma::col_major;

template <class T> struct stored {
	using type = T;
};
template <> struct stored<wmma::precision::tf32> {
	using type = float;
};

template <class L> __host__ __device__ constexpr bool is_row()
{
	return std::is_same<L, row>::value;
}

/* c = 2 * a * b + c, of one fragment each; the stride is larger than the matrix. */
template <int M, int N, int K, class T, class A, class LA, class LB, bool SHARED>
__global__ void multiply(const typename stored<T>::type *a, const typename stored<T>::type *b, A *c, int ld,
			 wmma::layout_t layout)
{
	using S = typename stored<T>::type;
	__shared__ __align__(32) S copy[2][32 * 48];
	wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, A> fc;
	if (SHARED) {
		for (int i = threadIdx.x; i < 32 * ld; i += 32) {
			copy[0][i] = a[i];
			copy[1][i] = b[i];
		}
		__syncwarp();
		a = copy[0];
		b = copy[1];
	}
	wmma::load_matrix_sync(fa, a, ld);
	wmma::load_matrix_sync(fb, b, ld);
	wmma::load_matrix_sync(fc, c, ld, layout);
	for (int i = 0; i < fa.num_elements; i++)
		fa.x[i] = fa.x[i] + fa.x[i];
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, ld, layout);
}

template <class T> static T number(int v)
{
	return (T)(float)v;
}

template <int M, int N, int K, class T, class A, class LA, class LB, bool SHARED>
static bool is_right(wmma::layout_t layout)
{
	using S = typename stored<T>::type;
	const int ld = 48, rows = 32;
	std::vector<S> a(rows * ld), b(rows * ld);
	std::vector<A> c(rows * ld);
	std::vector<int> x(M * K), y(K * N), z(M * N);
	bool is_unsigned = std::is_same<T, unsigned char>::value;
	for (int i = 0; i < M; i++)
		for (int k = 0; k < K; k++)
			a[is_row<LA>() ? i * ld + k : k * ld + i] =
				number<S>(x[i * K + k] = (i * 7 + k * 3) % 11 - (is_unsigned ? 0 : 5));
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++)
			b[is_row<LB>() ? k * ld + j : j * ld + k] =
				number<S>(y[k * N + j] = (k * 5 + j * 13) % 9 - (is_unsigned ? 0 : 4));
	bool by_rows = layout == wmma::mem_row_major;
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			c[by_rows ? i * ld + j : j * ld + i] = number<A>(z[i * N + j] = i - j);
	memory<S> da(a), db(b);
	memory<A> dc(c);
	multiply<M, N, K, T, A, LA, LB, SHARED><<<1, 32>>>(da.there, db.there, dc.there, ld, layout);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(c.data(), dc.there, c.size() * sizeof(A), cudaMemcpyDeviceToHost));
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			int sum = z[i * N + j];
			for (int k = 0; k < K; k++)
				sum += 2 * x[i * K + k] * y[k * N + j];
			if ((double)(float)c[by_rows ? i * ld + j : j * ld + i] != sum)
				return false;
		}
	return true;
}

template <int M, int N, int K, class T, class A> static void try_all(const char *name)
{
	say(name, "%d%d%d%d%d%d", is_right<M, N, K, T, A, row, row, false>(wmma::mem_row_major),
	    is_right<M, N, K, T, A, row, col, false>(wmma::mem_row_major),
	    is_right<M, N, K, T, A, col, row, false>(wmma::mem_col_major),
	    is_right<M, N, K, T, A, col, col, false>(wmma::mem_col_major),
	    is_right<M, N, K, T, A, row, col, true>(wmma::mem_col_major),
	    is_right<M, N, K, T, A, col, row, true>(wmma::mem_row_major));
}

/* Where in memory each lane's elements are: those of a matrix that holds its indices. */
template <class F, class T> __global__ void places(const T *from, int ld, float *to)
{
	F f;
	wmma::load_matrix_sync(f, from, ld);
	for (int i = 0; i < f.num_elements; i++)
		to[threadIdx.x * 16 + i] = (float)f.x[i];
}

template <class F, class T> static void show_places(const char *name, int ld)
{
	std::vector<T> indices(512);
	for (int i = 0; i < 512; i++)
		indices[i] = number<T>(i % 128);
	memory<T> from(indices);
	memory<float> to(512);
	places<F, T><<<1, 32>>>(from.there, ld, to.there);
	CHECK(cudaDeviceSynchronize());
	std::vector<float> all(512);
	CHECK(cudaMemcpy(all.data(), to.there, 2048, cudaMemcpyDeviceToHost));
	say(name, "%d elements, hash %016llx", (int)F::num_elements,
	    (unsigned long long)hash_of(all.data(), 512));
}

/* A product of square matrices, a warp for each tile, K in steps through shared memory. */
__global__ void tiled(const half *a, const half *b, float *c, int n)
{
	__shared__ __align__(32) half ta[4][16][16], tb[16][16];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int first = (blockIdx.y * 4 + warp) * 16, column = blockIdx.x * 16;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int k = 0; k < n; k += 16) {
		for (int i = lane; i < 256; i += 32)
			ta[warp][i / 16][i % 16] = a[(first + i / 16) * n + k + i % 16];
		for (int i = threadIdx.x; i < 256; i += 128)
			tb[i / 16][i % 16] = b[(k + i / 16) * n + column + i % 16];
		__syncthreads();
		wmma::fragment<wmma::matrix_a, 16, 16, 16, half, row> fa;
		wmma::fragment<wmma::matrix_b, 16, 16, 16, half, row> fb;
		wmma::load_matrix_sync(fa, &ta[warp][0][0], 16);
		wmma::load_matrix_sync(fb, &tb[0][0], 16);
		wmma::mma_sync(sum, fa, fb, sum);
		__syncthreads();
	}
	wmma::store_matrix_sync(c + first * n + column, sum, n, wmma::mem_row_major);
}

static void try_tiled()
{
	const int n = 128;
	std::vector<half> a(n * n), b(n * n);
	std::vector<float> c(n * n);
	unsigned state = 1;
	for (int i = 0; i < n * n; i++) {
		state = state * 1664525 + 1013904223;
		a[i] = __float2half((float)(int)(state >> 16) / 65536 - 0.5f);
		state = state * 1664525 + 1013904223;
		b[i] = __float2half((float)(int)(state >> 16) / 65536 - 0.5f);
	}
	memory<half> da(a), db(b);
	memory<float> dc(n * n);
	tiled<<<dim3(n / 16, n / 64), 128>>>(da.there, db.there, dc.there, n);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(c.data(), dc.there, n * n * 4, cudaMemcpyDeviceToHost));
	show("tiled", c.data(), n * n);
}

/* ldmatrix, movmatrix, stmatrix of four matrices whose elements are their own numbers. */
__global__ void matrices(unsigned *out)
{
	__shared__ __align__(16) unsigned short s[256];
	int lane = threadIdx.x;
	for (int i = lane; i < 256; i += 32)
		s[i] = (unsigned short)(i * 257);
	__syncwarp();
	unsigned at = (unsigned)__cvta_generic_to_shared(s + lane * 8), r[4], q[4], p[2], one, moved;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
		     : "=r"(p[0]), "=r"(p[1]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(one) : "l"(s + (lane ^ 3) * 8));
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r[2]));
	for (int i = 0; i < 4; i++) {
		out[i * 32 + lane] = r[i];
		out[(4 + i) * 32 + lane] = q[i];
	}
	out[8 * 32 + lane] = p[0] ^ p[1] << 1;
	out[9 * 32 + lane] = one;
	out[10 * 32 + lane] = moved;
	__syncwarp();
	asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
		     :: "r"(at), "r"(r[1]), "r"(r[0]), "r"(r[3]), "r"(r[2]) : "memory");
	__syncwarp();
	for (int i = 0; i < 4; i++)
		out[(11 + i) * 32 + lane] = s[i * 64 + lane] | (unsigned)s[i * 64 + 32 + lane] << 16;
	__syncwarp();
	asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
		     :: "r"(at), "r"(q[1]), "r"(q[0]) : "memory");
	__syncwarp();
	out[15 * 32 + lane] = s[lane] | (unsigned)s[96 + lane] << 16;
}

int main()
{
	try_all<16, 16, 16, half, float>("half, 16x16x16");
	try_all<32, 8, 16, half, float>("half, 32x8x16");
	try_all<8, 32, 16, half, half>("half to half, 8x32x16");
	try_all<16, 16, 16, half, half>("half to half, 16x16x16");
	try_all<16, 16, 16, __nv_bfloat16, float>("bfloat16, 16x16x16");
	try_all<32, 8, 16, __nv_bfloat16, float>("bfloat16, 32x8x16");
	try_all<8, 32, 16, __nv_bfloat16, float>("bfloat16, 8x32x16");
	try_all<16, 16, 8, wmma::precision::tf32, float>("tf32, 16x16x8");
	try_all<8, 8, 4, double, double>("double, 8x8x4");
	try_all<16, 16, 16, signed char, int>("signed char, 16x16x16");
	try_all<32, 8, 16, unsigned char, int>("unsigned char, 32x8x16");
	try_all<8, 32, 16, signed char, int>("signed char, 8x32x16");
	show_places<wmma::fragment<wmma::matrix_a, 16, 16, 16, half, row>, half>("a, half, 16x16x16", 16);
	show_places<wmma::fragment<wmma::matrix_b, 16, 16, 16, half, row>, half>("b, half, 16x16x16", 16);
	show_places<wmma::fragment<wmma::matrix_b, 32, 8, 16, half, col>, half>("b, half, 32x8x16", 16);
	show_places<wmma::fragment<wmma::matrix_a, 32, 8, 16, half, col>, half>("a, half, 32x8x16", 32);
	show_places<wmma::fragment<wmma::matrix_b, 8, 32, 16, half, row>, half>("b, half, 8x32x16", 32);
	show_places<wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, row>, float>("a, tf32", 8);
	show_places<wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, row>, signed char>("b, char, 8x32x16", 32);
	show_places<wmma::fragment<wmma::matrix_a, 8, 8, 4, double, row>, double>("a, double", 4);
	try_tiled();
	memory<unsigned> out(512);
	matrices<<<1, 32>>>(out.there);
	CHECK(cudaDeviceSynchronize());
	std::vector<unsigned> all(512);
	CHECK(cudaMemcpy(all.data(), out.there, 2048, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++)
		show(("matrices " + std::to_string(i)).c_str(), &all[i * 32], 32);
	return 0;
}
