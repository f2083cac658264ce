/* SPDX-License-Identifier: Apache-2.0 */
/* cublas.cu - libcublas's functions, with small integers: so each result is exact, and the same on a
 * GPU. A line tells a sum of a result's elements with weights, and an element. The functions are
 * declared here: a toolkit need not have cublas_v2.h.
 *
 * Flags: -lcublas */
#include <cstdio>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>
#include <vector>

extern "C" {
int cublasCreate_v2(void **);
int cublasDestroy_v2(void *);
int cublasSetStream_v2(void *, cudaStream_t);
int cublasSetPointerMode_v2(void *, int);
int cublasGetPointerMode_v2(void *, int *);
int cublasSetVector(int, int, const void *, int, void *, int);
int cublasGetVector(int, int, const void *, int, void *, int);
int cublasSetMatrix(int, int, int, const void *, int, void *, int);
int cublasGetMatrix(int, int, int, const void *, int, void *, int);
const char *cublasGetStatusName(int);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
		 const void *, void *, int, int, int, int);
int cublasGemmStridedBatchedEx(void *, int, int, int, int, int, const void *, const void *, int, int, long long,
			       const void *, int, int, long long, const void *, void *, int, int, long long, int, int,
			       int);
int cublasGemmBatchedEx(void *, int, int, int, int, int, const void *, const void *const *, int, int,
			const void *const *, int, int, const void *, void *const *, int, int, int, int, int);
int cublasHgemm(void *, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
		void *, int);
int cublasSgemmEx(void *, int, int, int, int, int, const float *, const void *, int, int, const void *, int, int,
		  const float *, void *, int, int);
int cublasDotEx(void *, int, const void *, int, int, const void *, int, int, void *, int, int);
int cublasAxpyEx(void *, int, const void *, int, const void *, int, int, void *, int, int, int);
int cublasScalEx(void *, int, const void *, int, void *, int, int, int);
int cublasNrm2Ex(void *, int, const void *, int, int, void *, int, int);
int cublasIamaxEx(void *, int, const void *, int, int, int *);
}

enum { N, T, C }; /* operations */
enum { LOWER, UPPER };
enum { LEFT, RIGHT };
enum { NON_UNIT, UNIT };

static void *handle;

/* ---- elements ----------------------------------------------------------------- */

template <class E> struct is_complex { static const bool value = false; };
template <> struct is_complex<cuComplex> { static const bool value = true; };
template <> struct is_complex<cuDoubleComplex> { static const bool value = true; };

static void make(float &to, int re, int) { to = re; }
static void make(double &to, int re, int) { to = re; }
static void make(cuComplex &to, int re, int im) { to = make_cuComplex(re, im); }
static void make(cuDoubleComplex &to, int re, int im) { to = make_cuDoubleComplex(re, im); }
static void make(__half &to, int re, int) { to = __float2half(re); }
static void make(__nv_bfloat16 &to, int re, int) { to = __float2bfloat16(re); }
static void make(signed char &to, int re, int) { to = re; }
static void make(int &to, int re, int) { to = re; }
static double real(float x) { return x; }
static double real(double x) { return x; }
static double real(cuComplex x) { return x.x; }
static double real(cuDoubleComplex x) { return x.x; }
static double real(__half x) { return __half2float(x); }
static double real(__nv_bfloat16 x) { return __bfloat162float(x); }
static double real(int x) { return x; }
static double imaginary(cuComplex x) { return x.y; }
static double imaginary(cuDoubleComplex x) { return x.y; }
template <class E> static double imaginary(E) { return 0; }

template <class E> static E value(int re, int im = 0)
{
	E e;
	make(e, re, im);
	return e;
}

static unsigned seed;
static int random_small()
{
	seed = seed * 1664525u + 1013904223u;
	return (int)(seed >> 24) % 7 - 3;
}

/* An array on the device: n elements, from -3 to 3. */
template <class E> struct array {
	E *d;
	size_t n;
	explicit array(size_t count) : n(count)
	{
		std::vector<E> h(n);
		for (auto &e : h) {
			int re = random_small();
			make(e, re, random_small());
		}
		cudaMalloc(&d, n * sizeof(E));
		cudaMemcpy(d, h.data(), n * sizeof(E), cudaMemcpyHostToDevice);
	}
	array(const array &) = delete;
	~array() { cudaFree(d); }
	std::vector<E> host() const
	{
		std::vector<E> h(n);
		cudaMemcpy(h.data(), d, n * sizeof(E), cudaMemcpyDeviceToHost);
		return h;
	}
	void set(size_t i, E e) { cudaMemcpy(d + i, &e, sizeof e, cudaMemcpyHostToDevice); }
};

template <class E> static void tell(const char *type, const char *what, int status, const array<E> &a)
{
	double re = 0, im = 0;
	auto h = a.host();
	for (size_t i = 0; i < h.size(); i++) {
		re += real(h[i]) * (double)(i % 13 + 1);
		im += imaginary(h[i]) * (double)(i % 11 + 1);
	}
	printf("%s%s: %d %.0f %.0f\n", type, what, status, re, im);
}

template <class E> static void tell(const char *type, const char *what, int status, const E &result)
{
	printf("%s%s: %d %.0f %.0f\n", type, what, status, real(result), imaginary(result));
}

/* ---- for each type -------------------------------------------------------------- */

#define COMMON(P, I, E, PR, R) \
	extern "C" { \
	int cublas##P##axpy_v2(void *, int, const E *, const E *, int, E *, int); \
	int cublas##P##copy_v2(void *, int, const E *, int, E *, int); \
	int cublas##P##swap_v2(void *, int, E *, int, E *, int); \
	int cublas##P##scal_v2(void *, int, const E *, E *, int); \
	int cublasI##I##amax_v2(void *, int, const E *, int, int *); \
	int cublasI##I##amin_v2(void *, int, const E *, int, int *); \
	int cublas##PR##asum_v2(void *, int, const E *, int, R *); \
	int cublas##PR##nrm2_v2(void *, int, const E *, int, R *); \
	int cublas##P##gemv_v2(void *, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##gbmv_v2(void *, int, int, int, int, int, const E *, const E *, int, const E *, int, const E *, \
			       E *, int); \
	int cublas##P##trmv_v2(void *, int, int, int, int, const E *, int, E *, int); \
	int cublas##P##trsv_v2(void *, int, int, int, int, const E *, int, E *, int); \
	int cublas##P##tbmv_v2(void *, int, int, int, int, int, const E *, int, E *, int); \
	int cublas##P##tbsv_v2(void *, int, int, int, int, int, const E *, int, E *, int); \
	int cublas##P##tpmv_v2(void *, int, int, int, int, const E *, E *, int); \
	int cublas##P##tpsv_v2(void *, int, int, int, int, const E *, E *, int); \
	int cublas##P##symv_v2(void *, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##syr_v2(void *, int, int, const E *, const E *, int, E *, int); \
	int cublas##P##syr2_v2(void *, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##gemm_v2(void *, int, int, int, int, int, const E *, const E *, int, const E *, int, const E *, \
			       E *, int); \
	int cublas##P##symm_v2(void *, int, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##syrk_v2(void *, int, int, int, int, const E *, const E *, int, const E *, E *, int); \
	int cublas##P##syr2k_v2(void *, int, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, \
				int); \
	int cublas##P##syrkx(void *, int, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##trmm_v2(void *, int, int, int, int, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##trsm_v2(void *, int, int, int, int, int, int, const E *, const E *, int, E *, int); \
	int cublas##P##geam(void *, int, int, int, int, const E *, const E *, int, const E *, const E *, int, E *, int); \
	int cublas##P##dgmm(void *, int, int, int, const E *, int, const E *, int, E *, int); \
	int cublas##P##tpttr(void *, int, int, const E *, E *, int); \
	int cublas##P##trttp(void *, int, int, const E *, int, E *); \
	int cublas##P##gemmBatched(void *, int, int, int, int, int, const E *, const E *const *, int, const E *const *, \
				   int, const E *, E *const *, int, int); \
	int cublas##P##gemmStridedBatched(void *, int, int, int, int, int, const E *, const E *, int, long long, \
					  const E *, int, long long, const E *, E *, int, long long, int); \
	int cublas##P##gemvStridedBatched(void *, int, int, int, const E *, const E *, int, long long, const E *, int, \
					  long long, const E *, E *, int, long long, int); \
	int cublas##P##gemvBatched(void *, int, int, int, const E *, const E *const *, int, const E *const *, int, \
				   const E *, E *const *, int, int); \
	int cublas##P##trsmBatched(void *, int, int, int, int, int, int, const E *, const E *const *, int, E *const *, \
				   int, int); \
	int cublas##P##getrfBatched(void *, int, E *const *, int, int *, int *, int); \
	int cublas##P##getrsBatched(void *, int, int, int, const E *const *, int, const int *, E *const *, int, int *, \
				    int); \
	int cublas##P##getriBatched(void *, int, const E *const *, int, const int *, E *const *, int, int *, int); \
	int cublas##P##matinvBatched(void *, int, const E *const *, int, E *const *, int, int *, int); \
	} \
	static void vectors_##P() \
	{ \
		const E two = value<E>(2), odd = value<E>(-1, 3); \
		int at = 0; \
		R r = 0; \
		array<E> x(40), y(60); \
		tell(#P, "axpy", cublas##P##axpy_v2(handle, 10, &odd, x.d, 3, y.d, 2), y); \
		tell(#P, "axpy negative", cublas##P##axpy_v2(handle, 10, &odd, x.d, -3, y.d, 2), y); \
		tell(#P, "axpy none", cublas##P##axpy_v2(handle, 0, &odd, x.d, 3, y.d, 2), y); \
		tell(#P, "axpy still", cublas##P##axpy_v2(handle, 4, &two, x.d, 0, y.d, 1), 0); \
		tell(#P, "copy", cublas##P##copy_v2(handle, 9, x.d, -2, y.d, 3), y); \
		tell(#P, "swap", cublas##P##swap_v2(handle, 9, x.d, 2, y.d, -3), y); \
		tell(#P, "scal", cublas##P##scal_v2(handle, 13, &two, x.d, 2), x); \
		x.set(7, value<E>(50, -60)); \
		tell(#P, "amax", cublasI##I##amax_v2(handle, 20, x.d, 1, &at), at); \
		for (int i = 0; i < 20; i++) \
			x.set(i, value<E>(5 + i % 4, -6)); \
		tell(#P, "amin", cublasI##I##amin_v2(handle, 17, x.d + 1, 1, &at), at); \
		tell(#P, "amax of none", cublasI##I##amax_v2(handle, 0, x.d, 1, &at), at); \
		tell(#P, "asum", cublas##PR##asum_v2(handle, 20, x.d, 2, &r), r); \
		for (int i = 0; i < 20; i++) \
			x.set(i, value<E>(i == 3 ? 3 : i == 5 ? 4 : 0, i == 7 ? 0 : 0)); \
		tell(#P, "nrm2", cublas##PR##nrm2_v2(handle, 20, x.d, 1, &r), r); \
		cublasSetPointerMode_v2(handle, 1); \
		array<E> factor(1), sum(1); \
		array<R> norm(1); \
		factor.set(0, odd); \
		tell(#P, "axpy, pointers on the device", cublas##P##axpy_v2(handle, 10, factor.d, x.d, 1, y.d, 2), y); \
		tell(#P, "nrm2, pointers on the device", cublas##PR##nrm2_v2(handle, 20, x.d, 1, norm.d), norm); \
		cublasSetPointerMode_v2(handle, 0); \
	} \
	static void matrix_vector_##P() \
	{ \
		const E two = value<E>(2), odd = value<E>(-1, 3), none = value<E>(0); \
		for (int op = N; op <= C; op++) { \
			array<E> a(60), x(20), y(20); \
			const char *name[] = {"gemv N", "gemv T", "gemv C"}; \
			tell(#P, name[op], cublas##P##gemv_v2(handle, op, 5, 6, &odd, a.d, 9, x.d, 2, &two, y.d, -3), y); \
			const char *banded[] = {"gbmv N", "gbmv T", "gbmv C"}; \
			tell(#P, banded[op], cublas##P##gbmv_v2(handle, op, 6, 6, 1, 2, &odd, a.d, 5, x.d, 1, &none, y.d, 1), \
			     y); \
		} \
		for (int i = 0; i < 12; i++) { \
			int fill = i / 6, op = i / 2 % 3, diag = i % 2; \
			array<E> a(60), x(20); \
			char name[40]; \
			sprintf(name, "trmv %d %d %d", fill, op, diag); \
			tell(#P, name, cublas##P##trmv_v2(handle, fill, op, diag, 6, a.d, 8, x.d, 2), x); \
			sprintf(name, "tbmv %d %d %d", fill, op, diag); \
			tell(#P, name, cublas##P##tbmv_v2(handle, fill, op, diag, 6, 2, a.d, 4, x.d, 1), x); \
			sprintf(name, "tpmv %d %d %d", fill, op, diag); \
			tell(#P, name, cublas##P##tpmv_v2(handle, fill, op, diag, 6, a.d, x.d, 1), x); \
			if (!diag) \
				continue; \
			sprintf(name, "trsv %d %d", fill, op); \
			tell(#P, name, cublas##P##trsv_v2(handle, fill, op, UNIT, 5, a.d, 8, x.d, 2), x); \
			sprintf(name, "tbsv %d %d", fill, op); \
			tell(#P, name, cublas##P##tbsv_v2(handle, fill, op, UNIT, 5, 1, a.d, 4, x.d, 1), x); \
			sprintf(name, "tpsv %d %d", fill, op); \
			tell(#P, name, cublas##P##tpsv_v2(handle, fill, op, UNIT, 5, a.d, x.d, 1), x); \
		} \
		for (int fill = LOWER; fill <= UPPER; fill++) { \
			array<E> a(60), x(20), y(20); \
			tell(#P, fill ? "symv upper" : "symv lower", \
			     cublas##P##symv_v2(handle, fill, 6, &odd, a.d, 7, x.d, 1, &two, y.d, 2), y); \
			tell(#P, fill ? "syr upper" : "syr lower", cublas##P##syr_v2(handle, fill, 6, &odd, x.d, 1, a.d, 7), \
			     a); \
			tell(#P, fill ? "syr2 upper" : "syr2 lower", \
			     cublas##P##syr2_v2(handle, fill, 6, &odd, x.d, 1, y.d, -2, a.d, 7), a); \
		} \
	} \
	static void matrices_##P() \
	{ \
		const E two = value<E>(2), odd = value<E>(-1, 3), none = value<E>(0), one = value<E>(1); \
		for (int i = 0; i < 9; i++) { \
			array<E> a(100), b(100), c(100); \
			char name[40]; \
			sprintf(name, "gemm %d %d", i / 3, i % 3); \
			tell(#P, name, cublas##P##gemm_v2(handle, i / 3, i % 3, 5, 6, 7, &odd, a.d, 8, b.d, 9, &two, c.d, 7), \
			     c); \
		} \
		array<E> a(100), b(100), c(100); \
		tell(#P, "gemm without depth", cublas##P##gemm_v2(handle, N, N, 5, 6, 0, &odd, a.d, 8, b.d, 9, &two, c.d, 7), \
		     c); \
		tell(#P, "gemm by 0", cublas##P##gemm_v2(handle, N, N, 5, 6, 3, &none, a.d, 8, b.d, 9, &none, c.d, 7), c); \
		for (int i = 0; i < 4; i++) { \
			char name[40]; \
			sprintf(name, "symm %d %d", i / 2, i % 2); \
			tell(#P, name, cublas##P##symm_v2(handle, i / 2, i % 2, 5, 6, &odd, a.d, 7, b.d, 8, &two, c.d, 9), c); \
			sprintf(name, "syrk %d %d", i / 2, i % 2); \
			tell(#P, name, cublas##P##syrk_v2(handle, i / 2, i % 2, 5, 6, &odd, a.d, 7, &two, c.d, 9), c); \
			sprintf(name, "syr2k %d %d", i / 2, i % 2); \
			tell(#P, name, cublas##P##syr2k_v2(handle, i / 2, i % 2, 5, 6, &odd, a.d, 7, b.d, 8, &none, c.d, 9), c); \
			sprintf(name, "syrkx %d %d", i / 2, i % 2); \
			tell(#P, name, cublas##P##syrkx(handle, i / 2, i % 2, 5, 6, &odd, a.d, 7, b.d, 8, &two, c.d, 9), c); \
		} \
		for (int i = 0; i < 24; i++) { \
			int side = i / 12, fill = i / 6 % 2, op = i / 2 % 3, diag = i % 2; \
			array<E> l(100), r(100), to(100); \
			char name[40]; \
			sprintf(name, "trmm %d %d %d %d", side, fill, op, diag); \
			tell(#P, name, cublas##P##trmm_v2(handle, side, fill, op, diag, 4, 5, &odd, l.d, 6, r.d, 7, to.d, 8), \
			     to); \
			sprintf(name, "trsm %d %d %d", side, fill, op); \
			if (diag) \
				tell(#P, name, cublas##P##trsm_v2(handle, side, fill, op, UNIT, 4, 5, &two, l.d, 6, r.d, 7), r); \
		} \
		for (int i = 0; i < 9; i++) { \
			char name[40]; \
			sprintf(name, "geam %d %d", i / 3, i % 3); \
			tell(#P, name, cublas##P##geam(handle, i / 3, i % 3, 5, 6, &odd, a.d, 7, &two, b.d, 8, c.d, 9), c); \
		} \
		tell(#P, "geam, one alone", cublas##P##geam(handle, T, N, 5, 6, &one, a.d, 7, &none, (E *)0, 5, c.d, 9), c); \
		tell(#P, "dgmm left", cublas##P##dgmm(handle, LEFT, 5, 6, a.d, 7, b.d, 2, c.d, 9), c); \
		tell(#P, "dgmm right", cublas##P##dgmm(handle, RIGHT, 5, 6, a.d, 7, b.d, 1, c.d, 9), c); \
		tell(#P, "tpttr", cublas##P##tpttr(handle, LOWER, 6, a.d, c.d, 8), c); \
		tell(#P, "trttp", cublas##P##trttp(handle, UPPER, 6, a.d, 8, c.d), c); \
	} \
	static void batches_##P() \
	{ \
		const E two = value<E>(2), odd = value<E>(-1, 3), one = value<E>(1); \
		array<E> a(300), b(300), c(300); \
		tell(#P, "gemmStridedBatched", cublas##P##gemmStridedBatched(handle, N, T, 4, 5, 3, &odd, a.d, 5, 30, b.d, 6, \
			20, &two, c.d, 7, 50, 4), c); \
		tell(#P, "gemvStridedBatched", cublas##P##gemvStridedBatched(handle, T, 4, 5, &odd, a.d, 5, 30, b.d, 2, 20, \
			&two, c.d, 1, 50, 4), c); \
		std::vector<E *> pa, pb, pc; \
		for (int i = 0; i < 3; i++) { \
			pa.push_back(a.d + 40 * i); \
			pb.push_back(b.d + 50 * i); \
			pc.push_back(c.d + 60 * i); \
		} \
		E **da, **db, **dc; \
		cudaMalloc(&da, 3 * sizeof *da), cudaMalloc(&db, 3 * sizeof *db), cudaMalloc(&dc, 3 * sizeof *dc); \
		cudaMemcpy(da, pa.data(), 3 * sizeof *da, cudaMemcpyHostToDevice); \
		cudaMemcpy(db, pb.data(), 3 * sizeof *db, cudaMemcpyHostToDevice); \
		cudaMemcpy(dc, pc.data(), 3 * sizeof *dc, cudaMemcpyHostToDevice); \
		tell(#P, "gemmBatched", cublas##P##gemmBatched(handle, T, N, 4, 5, 3, &odd, da, 5, db, 6, &two, dc, 7, 3), c); \
		tell(#P, "gemvBatched", cublas##P##gemvBatched(handle, N, 4, 5, &odd, da, 5, db, 1, &two, dc, 2, 3), c); \
		tell(#P, "trsmBatched", cublas##P##trsmBatched(handle, LEFT, LOWER, N, UNIT, 4, 5, &two, da, 5, dc, 7, 3), c); \
		/* Of powers of 2, so that the factors are exact: rows are exchanged. */ \
		static const int entries[] = {1, 2, 4, 2, 8, 4, 4, 4, 8}; \
		for (int i = 0; i < 3; i++) \
			for (int j = 0; j < 9; j++) \
				a.set(40 * i + j, value<E>(entries[(j + i) % 9])); \
		int *pivots, *info, on_host = 77; \
		cudaMalloc(&pivots, 9 * sizeof(int)), cudaMalloc(&info, 3 * sizeof(int)); \
		tell(#P, "matinvBatched", cublas##P##matinvBatched(handle, 3, da, 3, dc, 4, info, 3), 0); \
		tell(#P, "getrfBatched", cublas##P##getrfBatched(handle, 3, da, 3, pivots, info, 3), a); \
		int p[9]; \
		cudaMemcpy(p, pivots, sizeof p, cudaMemcpyDeviceToHost); \
		printf(#P "pivots: %d %d %d %d %d %d %d %d %d\n", p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]); \
		for (int i = 0; i < 3; i++) \
			for (int j = 0; j < 6; j++) \
				b.set(50 * i + j, value<E>(64 * (j + 1))); \
		tell(#P, "getrsBatched", cublas##P##getrsBatched(handle, N, 3, 2, da, 3, pivots, db, 3, &on_host, 3), on_host); \
		tell(#P, "getriBatched", cublas##P##getriBatched(handle, 3, da, 3, pivots, dc, 4, info, 3), 0); \
		tell(#P, "invalid", cublas##P##gemm_v2(handle, N, N, -1, 5, 3, &one, a.d, 5, b.d, 6, &one, c.d, 7), 0); \
		tell(#P, "short rows", cublas##P##gemm_v2(handle, N, N, 6, 5, 3, &one, a.d, 5, b.d, 6, &one, c.d, 7), 0); \
		tell(#P, "no handle", cublas##P##gemm_v2(NULL, N, N, 4, 5, 3, &one, a.d, 5, b.d, 6, &one, c.d, 7), 0); \
		cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(pivots), cudaFree(info); \
	}

COMMON(S, s, float, S, float)
COMMON(D, d, double, D, double)
COMMON(C, c, cuComplex, Sc, float)
COMMON(Z, z, cuDoubleComplex, Dz, double)

/* ---- real, and complex ---------------------------------------------------------- */

#define REAL(P, E) \
	extern "C" { \
	int cublas##P##dot_v2(void *, int, const E *, int, const E *, int, E *); \
	int cublas##P##rot_v2(void *, int, E *, int, E *, int, const E *, const E *); \
	int cublas##P##rotm_v2(void *, int, E *, int, E *, int, const E *); \
	int cublas##P##ger_v2(void *, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##spmv_v2(void *, int, int, const E *, const E *, const E *, int, const E *, E *, int); \
	int cublas##P##sbmv_v2(void *, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##spr_v2(void *, int, int, const E *, const E *, int, E *); \
	int cublas##P##spr2_v2(void *, int, int, const E *, const E *, int, const E *, int, E *); \
	} \
	static void real_##P() \
	{ \
		const E three = 3, two = 2, none = 0, one = 1, turn[] = {-1, 2, 3, -1, 2}; \
		E sum = 0; \
		array<E> x(40), y(40), a(60); \
		tell(#P, "dot", cublas##P##dot_v2(handle, 10, x.d, -2, y.d, 3, &sum), sum); \
		tell(#P, "dot of none", cublas##P##dot_v2(handle, 0, x.d, 2, y.d, 3, &sum), sum); \
		tell(#P, "rot", cublas##P##rot_v2(handle, 10, x.d, 1, y.d, 2, &none, &one), y); \
		tell(#P, "rotm", cublas##P##rotm_v2(handle, 10, x.d, 1, y.d, 2, turn), y); \
		tell(#P, "ger", cublas##P##ger_v2(handle, 5, 6, &three, x.d, 2, y.d, -1, a.d, 8), a); \
		for (int fill = LOWER; fill <= UPPER; fill++) { \
			tell(#P, fill ? "spmv upper" : "spmv lower", \
			     cublas##P##spmv_v2(handle, fill, 6, &three, a.d, x.d, 1, &two, y.d, 2), y); \
			tell(#P, fill ? "sbmv upper" : "sbmv lower", \
			     cublas##P##sbmv_v2(handle, fill, 6, 2, &three, a.d, 4, x.d, 1, &two, y.d, 2), y); \
			tell(#P, fill ? "spr upper" : "spr lower", cublas##P##spr_v2(handle, fill, 6, &three, x.d, 1, a.d), a); \
			array<E> small(20); \
			tell(#P, fill ? "spr2 upper" : "spr2 lower", \
			     cublas##P##spr2_v2(handle, fill, 6, &three, x.d, 1, small.d, 1, a.d), a); \
		} \
	}
REAL(S, float)
REAL(D, double)

#define COMPLEX(P, E, PR, R) \
	extern "C" { \
	int cublas##P##dotu_v2(void *, int, const E *, int, const E *, int, E *); \
	int cublas##P##dotc_v2(void *, int, const E *, int, const E *, int, E *); \
	int cublas##PR##scal_v2(void *, int, const R *, E *, int); \
	int cublas##P##geru_v2(void *, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##gerc_v2(void *, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##hemv_v2(void *, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##hbmv_v2(void *, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##hpmv_v2(void *, int, int, const E *, const E *, const E *, int, const E *, E *, int); \
	int cublas##P##her_v2(void *, int, int, const R *, const E *, int, E *, int); \
	int cublas##P##her2_v2(void *, int, int, const E *, const E *, int, const E *, int, E *, int); \
	int cublas##P##hpr_v2(void *, int, int, const R *, const E *, int, E *); \
	int cublas##P##hpr2_v2(void *, int, int, const E *, const E *, int, const E *, int, E *); \
	int cublas##P##hemm_v2(void *, int, int, int, int, const E *, const E *, int, const E *, int, const E *, E *, int); \
	int cublas##P##herk_v2(void *, int, int, int, int, const R *, const E *, int, const R *, E *, int); \
	int cublas##P##her2k_v2(void *, int, int, int, int, const E *, const E *, int, const E *, int, const R *, E *, int); \
	int cublas##P##herkx(void *, int, int, int, int, const E *, const E *, int, const E *, int, const R *, E *, int); \
	} \
	static void complex_##P() \
	{ \
		const E odd = value<E>(-1, 3), two = value<E>(2); \
		const R by = 3, and_by = 2; \
		E sum = value<E>(0); \
		array<E> x(40), y(40), a(100), b(100), c(100); \
		tell(#P, "dotu", cublas##P##dotu_v2(handle, 10, x.d, -2, y.d, 3, &sum), sum); \
		tell(#P, "dotc", cublas##P##dotc_v2(handle, 10, x.d, -2, y.d, 3, &sum), sum); \
		tell(#P, "scal by a real", cublas##PR##scal_v2(handle, 10, &by, x.d, 2), x); \
		tell(#P, "geru", cublas##P##geru_v2(handle, 5, 6, &odd, x.d, 2, y.d, -1, a.d, 8), a); \
		tell(#P, "gerc", cublas##P##gerc_v2(handle, 5, 6, &odd, x.d, 2, y.d, -1, b.d, 8), b); \
		for (int fill = LOWER; fill <= UPPER; fill++) { \
			array<E> m(100), v(40), w(40); \
			tell(#P, fill ? "hemv upper" : "hemv lower", \
			     cublas##P##hemv_v2(handle, fill, 6, &odd, m.d, 7, v.d, 1, &two, w.d, 2), w); \
			tell(#P, fill ? "hbmv upper" : "hbmv lower", \
			     cublas##P##hbmv_v2(handle, fill, 6, 2, &odd, m.d, 4, v.d, 1, &two, w.d, 2), w); \
			tell(#P, fill ? "hpmv upper" : "hpmv lower", \
			     cublas##P##hpmv_v2(handle, fill, 6, &odd, m.d, v.d, 1, &two, w.d, 2), w); \
			tell(#P, fill ? "her upper" : "her lower", cublas##P##her_v2(handle, fill, 6, &by, v.d, 1, m.d, 7), m); \
			tell(#P, fill ? "her2 upper" : "her2 lower", \
			     cublas##P##her2_v2(handle, fill, 6, &odd, v.d, 1, y.d, 2, m.d, 7), m); \
			tell(#P, fill ? "hpr upper" : "hpr lower", cublas##P##hpr_v2(handle, fill, 6, &by, v.d, 1, m.d), m); \
			tell(#P, fill ? "hpr2 upper" : "hpr2 lower", \
			     cublas##P##hpr2_v2(handle, fill, 6, &odd, v.d, 1, y.d, 2, m.d), m); \
		} \
		for (int i = 0; i < 4; i++) { \
			int op = i % 2 ? C : N; \
			array<E> m(100), l(100), to(100); \
			char name[40]; \
			sprintf(name, "hemm %d %d", i / 2, i % 2); \
			tell(#P, name, cublas##P##hemm_v2(handle, i / 2, i % 2, 5, 6, &odd, m.d, 7, l.d, 8, &two, to.d, 9), to); \
			sprintf(name, "herk %d %d", i / 2, op); \
			tell(#P, name, cublas##P##herk_v2(handle, i / 2, op, 5, 6, &by, m.d, 7, &and_by, to.d, 9), to); \
			sprintf(name, "her2k %d %d", i / 2, op); \
			tell(#P, name, cublas##P##her2k_v2(handle, i / 2, op, 5, 6, &odd, m.d, 7, l.d, 8, &and_by, to.d, 9), to); \
			array<E> fresh(100); \
			sprintf(name, "herkx %d %d", i / 2, op); \
			tell(#P, name, cublas##P##herkx(handle, i / 2, op, 5, 6, &two, m.d, 7, m.d, 7, &and_by, fresh.d, 9), \
			     fresh); \
		} \
	}
COMPLEX(C, cuComplex, Cs, float)
COMPLEX(Z, cuDoubleComplex, Zd, double)

/* ---- types told at run time ------------------------------------------------------- */

enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72 };

template <class F, class P, class S>
static void product(const char *name, int factor, int to, int compute, int scalar_re)
{
	const S two = value<S>(scalar_re), one = value<S>(1);
	array<F> a(128), b(128);
	array<P> c(128);
	tell(name, " GemmEx", cublasGemmEx(handle, T, N, 8, 8, 8, &two, a.d, factor, 8, b.d, factor, 12, &one, c.d, to, 8,
		compute, -1), c);
	tell(name, " GemmStridedBatchedEx", cublasGemmStridedBatchedEx(handle, T, N, 4, 4, 4, &two, a.d, factor, 4, 16, b.d,
		factor, 4, 32, &one, c.d, to, 4, 16, 3, compute, -1), c);
}

static void mixed()
{
	product<signed char, int, int>("int8", CUDA_R_8I, CUDA_R_32I, COMPUTE_32I, 2);
	product<__half, __half, __half>("half in half", CUDA_R_16F, CUDA_R_16F, COMPUTE_16F, 2);
	product<__half, __half, float>("half in float", CUDA_R_16F, CUDA_R_16F, COMPUTE_32F, 2);
	product<__half, float, float>("half to float", CUDA_R_16F, CUDA_R_32F, COMPUTE_32F, 2);
	product<__nv_bfloat16, float, float>("bfloat16 to float", CUDA_R_16BF, CUDA_R_32F, COMPUTE_32F, 2);
	product<float, float, float>("float", CUDA_R_32F, CUDA_R_32F, COMPUTE_32F, 2);
	product<double, double, double>("double", CUDA_R_64F, CUDA_R_64F, COMPUTE_64F, 2);
	product<cuComplex, cuComplex, cuComplex>("complex", CUDA_C_32F, CUDA_C_32F, COMPUTE_32F, 2);
	product<float, double, double>("float to double", CUDA_R_32F, CUDA_R_64F, COMPUTE_64F, 2);
	const __half two = __float2half(2), one = __float2half(1);
	const float by = 2;
	array<__half> a(64), b(64), c(64), d(64);
	array<float> s(64);
	tell("", "Hgemm", cublasHgemm(handle, N, T, 6, 7, 5, &two, a.d, 8, b.d, 8, &one, c.d, 8), c);
	tell("", "SgemmEx", cublasSgemmEx(handle, N, T, 6, 7, 5, &by, a.d, CUDA_R_16F, 8, b.d, CUDA_R_16F, 8, &by, s.d,
		CUDA_R_32F, 8), s);
	__half sum = one;
	int at = 0;
	tell("", "DotEx", cublasDotEx(handle, 20, a.d, CUDA_R_16F, 1, b.d, CUDA_R_16F, 2, &sum, CUDA_R_16F, CUDA_R_32F), sum);
	tell("", "AxpyEx", cublasAxpyEx(handle, 20, &by, CUDA_R_32F, a.d, CUDA_R_16F, 1, d.d, CUDA_R_16F, 2, CUDA_R_32F), d);
	tell("", "ScalEx", cublasScalEx(handle, 20, &by, CUDA_R_32F, d.d, CUDA_R_16F, 1, CUDA_R_32F), d);
	d.set(11, value<__half>(99));
	tell("", "IamaxEx", cublasIamaxEx(handle, 20, d.d, CUDA_R_16F, 1, &at), at);
	for (int i = 0; i < 20; i++)
		d.set(i, value<__half>(i == 3 ? 3 : i == 5 ? 4 : 0));
	tell("", "Nrm2Ex", cublasNrm2Ex(handle, 20, d.d, CUDA_R_16F, 1, &sum, CUDA_R_16F, CUDA_R_32F), sum);
}

/* ---- handles and copies -------------------------------------------------------------- */

__global__ void add_one(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += 1;
}

static void copies()
{
	float from[12], to[12] = {0};
	for (int i = 0; i < 12; i++)
		from[i] = (float)i;
	array<float> d(24);
	tell("", "SetVector", cublasSetVector(6, 4, from, 2, d.d, 3), d);
	tell("", "SetMatrix", cublasSetMatrix(2, 3, 4, from, 4, d.d, 5), d);
	int status = cublasGetMatrix(2, 3, 4, d.d, 5, to, 3);
	printf("GetMatrix: %d %.0f %.0f %.0f %.0f %.0f\n", status, to[0], to[1], to[3], to[4], to[7]);
	status = cublasGetVector(3, 4, d.d, 5, to, 2);
	printf("GetVector: %d %.0f %.0f %.0f\n", status, to[0], to[2], to[4]);
	printf("SetVector without bytes: %d\n", cublasSetVector(6, 0, from, 2, d.d, 3));
	printf("SetMatrix of short rows: %d\n", cublasSetMatrix(4, 3, 4, from, 2, d.d, 5));
	int mode = 5;
	status = cublasGetPointerMode_v2(handle, &mode);
	printf("GetPointerMode: %d %d\n", status, mode);
	printf("names: %s %s\n", cublasGetStatusName(0), cublasGetStatusName(7));
	/* In its stream's order: the kernel before, the kernel after. */
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	cublasSetStream_v2(handle, stream);
	const float two = 2;
	array<float> x(1000);
	add_one<<<4, 256, 0, stream>>>(x.d, 1000);
	status = cublasSscal_v2(handle, 1000, &two, x.d, 1);
	add_one<<<4, 256, 0, stream>>>(x.d, 1000);
	cudaStreamSynchronize(stream);
	tell("", "between kernels", status, x);
	cublasSetStream_v2(handle, 0);
	cudaStreamDestroy(stream);
}

int main()
{
	printf("create: %d\n", cublasCreate_v2(&handle));
	vectors_S(), vectors_D(), vectors_C(), vectors_Z();
	matrix_vector_S(), matrix_vector_D(), matrix_vector_C(), matrix_vector_Z();
	matrices_S(), matrices_D(), matrices_C(), matrices_Z();
	batches_S(), batches_D(), batches_C(), batches_Z();
	real_S(), real_D(), complex_C(), complex_Z();
	mixed();
	copies();
	printf("destroy: %d\n", cublasDestroy_v2(handle));
	printf("last: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
