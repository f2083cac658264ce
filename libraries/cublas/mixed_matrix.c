/* SPDX-License-Identifier: Apache-2.0 */
/* mixed_matrix.c - products of matrices whose element types are told at run time, and of halves.
 *
 * Integers are multiplied as they are; double and complex double as such; all else as float (as
 * complex double where complex), rounded once at the end. So sums of halves in half
 * (CUBLAS_COMPUTE_16F) are nearer to the truth than a GPU's. */
#include <complex.h>
#include <library_types.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "value.h"

#define EXPORT(name) sim_cublas##name

/* cublasComputeType_t's values. */
enum compute {
	COMPUTE_16F = 64,
	COMPUTE_16F_PEDANTIC = 65,
	COMPUTE_32F = 68,
	COMPUTE_32F_PEDANTIC = 69,
	COMPUTE_32F_FAST_16F = 74,
	COMPUTE_32F_FAST_16BF = 75,
	COMPUTE_32F_FAST_TF32 = 77,
	COMPUTE_32F_EMULATED_16BFX9 = 78,
	COMPUTE_64F = 70,
	COMPUTE_64F_PEDANTIC = 71,
	COMPUTE_64F_EMULATED = 79,
	COMPUTE_32I = 72,
	COMPUTE_32I_PEDANTIC = 73,
};

/* The types that go together, as cuBLAS's manual lists them. */
static const struct combination {
	int first, last; /* of compute types */
	int factor, product, scalar;
} combinations[] = {
	{COMPUTE_16F, COMPUTE_16F_PEDANTIC, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
	{COMPUTE_32I, COMPUTE_32I_PEDANTIC, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_C_8I, CUDA_C_32F, CUDA_C_32F},
	{COMPUTE_32F, COMPUTE_32F_PEDANTIC, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{COMPUTE_32F_FAST_16F, COMPUTE_32F_EMULATED_16BFX9, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
	{COMPUTE_32F_FAST_16F, COMPUTE_32F_EMULATED_16BFX9, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{COMPUTE_64F, COMPUTE_64F_PEDANTIC, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
	{COMPUTE_64F, COMPUTE_64F_PEDANTIC, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
	{COMPUTE_64F_EMULATED, COMPUTE_64F_EMULATED, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
	{COMPUTE_64F_EMULATED, COMPUTE_64F_EMULATED, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
};

struct product {
	int transa, transb, m, n, k;
	double _Complex alpha, beta;
	int scalar, a_type, b_type, c_type, lda, ldb, ldc;
};

/* The scalars' type, -1 where the types do not go together. */
static int scalar_type(int a_type, int b_type, int c_type, int compute)
{
	for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
		const struct combination *c = &combinations[i];
		if (compute >= c->first && compute <= c->last && a_type == c->factor &&
		    b_type == c->factor && c_type == c->product)
			return c->scalar;
	}
	return -1;
}

static int rows_of(int op, int rows, int columns)
{
	return op == OP_N ? rows : columns;
}

static void multiply_integers(const struct product *p, const int8_t *a, const int8_t *b, int32_t *c)
{
	size_t lda = (size_t)rows_of(p->transa, p->m, p->k),
	       ldb = (size_t)rows_of(p->transb, p->k, p->n);
	uint32_t alpha = (uint32_t)(int64_t)creal(p->alpha),
		 beta = (uint32_t)(int64_t)creal(p->beta);
	for (size_t j = 0; j < (size_t)p->n; j++)
		for (size_t i = 0; i < (size_t)p->m; i++) {
			uint32_t sum = 0; /* wraps as an int does on a GPU */
			for (size_t l = 0; l < (size_t)p->k; l++)
				sum += (uint32_t)((p->transa == OP_N ? a[l * lda + i]
								     : a[i * lda + l]) *
						  (p->transb == OP_N ? b[j * ldb + l]
								     : b[l * ldb + j]));
			uint32_t *to = (uint32_t *)&c[j * (size_t)p->m + i];
			*to = alpha * sum + (beta ? beta * *to : 0);
		}
}

static void multiply_doubles(const struct product *p, const double *a, int lda, const double *b,
			     int ldb, double *c)
{
	cblas_dgemm(CblasColMajor, blas_operation(p->transa), blas_operation(p->transb), p->m, p->n,
		    p->k, creal(p->alpha), a, lda, b, ldb, creal(p->beta), c, p->m);
}

/* Elements as floats (or complex doubles, where the product is complex). */
static void *widened(struct call *call, const void *raw, int type, size_t n, bool is_complex)
{
	double _Complex *wide = malloc(n * sizeof *wide);
	float *narrow = is_complex ? NULL : malloc(n * sizeof *narrow);
	if (!wide || (!is_complex && !narrow)) {
		free(wide);
		free(narrow);
		call_fail(call, ALLOC_FAILED);
		return NULL;
	}
	value_read(raw, type, n, wide);
	for (size_t i = 0; !is_complex && i < n; i++)
		narrow[i] = (float)creal(wide[i]);
	if (is_complex)
		return wide;
	free(wide);
	return narrow;
}

static bool narrowed(struct call *call, const void *wide, size_t n, void *raw, int type,
		     bool is_complex)
{
	double _Complex *all = is_complex ? NULL : malloc(n * sizeof *all);
	if (!is_complex && !all)
		return call_fail(call, ALLOC_FAILED);
	for (size_t i = 0; !is_complex && i < n; i++)
		all[i] = ((const float *)wide)[i];
	value_write(is_complex ? wide : all, n, raw, type);
	free(all);
	return true;
}

static void multiply_widened(struct call *call, const struct product *p, const void *a, size_t n_a,
			     int lda, const void *b, size_t n_b, int ldb, void *c)
{
	bool is_complex = value_is_complex(p->c_type);
	size_t n_c = (size_t)p->m * (size_t)p->n;
	void *x = widened(call, a, p->a_type, n_a, is_complex),
	     *y = widened(call, b, p->b_type, n_b, is_complex);
	void *z = widened(call, c, p->c_type, n_c, is_complex);
	if (call_ok(call) && is_complex)
		cblas_zgemm(CblasColMajor, blas_operation(p->transa), blas_operation(p->transb),
			    p->m, p->n, p->k, &p->alpha, x, lda, y, ldb, &p->beta, z, p->m);
	else if (call_ok(call))
		cblas_sgemm(CblasColMajor, blas_operation(p->transa), blas_operation(p->transb),
			    p->m, p->n, p->k, (float)creal(p->alpha), x, lda, y, ldb,
			    (float)creal(p->beta), z, p->m);
	if (call_ok(call))
		narrowed(call, z, n_c, c, p->c_type, is_complex);
	free(x);
	free(y);
	free(z);
}

static bool multiply(struct call *call, const struct product *p, const void *A, const void *B,
		     void *C)
{
	int rows_a = rows_of(p->transa, p->m, p->k), columns_a = p->m + p->k - rows_a;
	int rows_b = rows_of(p->transb, p->k, p->n), columns_b = p->k + p->n - rows_b;
	void *c = call_matrix(call, C, value_bytes(p->c_type), p->m, p->n, p->ldc,
			      p->beta == 0 ? OUT : INOUT);
	void *a = call_matrix(call, A, value_bytes(p->a_type), rows_a, columns_a, p->lda, IN);
	void *b = call_matrix(call, B, value_bytes(p->b_type), rows_b, columns_b, p->ldb, IN);
	int lda = at_least_1(rows_a), ldb = at_least_1(rows_b);
	if (!call_ok(call))
		return false;
	if (p->c_type == CUDA_R_32I)
		multiply_integers(p, a, b, c);
	else if (p->c_type == CUDA_R_64F)
		multiply_doubles(p, a, lda, b, ldb, c);
	else
		multiply_widened(call, p, a, (size_t)rows_a * (size_t)columns_a, lda, b,
				 (size_t)rows_b * (size_t)columns_b, ldb, c);
	return call_flush(call);
}

/* Begin, and read the scalars. False where that is all. */
static bool prepare(struct call *call, void *handle, const char *name, struct product *p,
		    const void *alpha, const void *beta, int batches, int compute)
{
	char raw[2][16] = {{0}};
	if (!call_begin(call, handle, name) ||
	    !call_want(call, is_operation(p->transa) && is_operation(p->transb) && p->m >= 0 &&
				     p->n >= 0 && p->k >= 0 && batches >= 0))
		return false;
	p->scalar = scalar_type(p->a_type, p->b_type, p->c_type, compute);
	if (p->scalar < 0)
		return call_fail(call, NOT_SUPPORTED);
	if (!p->m || !p->n || !batches ||
	    !call_scalar(call, alpha, raw[0], value_bytes(p->scalar)) ||
	    !call_scalar(call, beta, raw[1], value_bytes(p->scalar)))
		return false;
	value_read(raw[0], p->scalar, 1, &p->alpha);
	value_read(raw[1], p->scalar, 1, &p->beta);
	return true;
}

static int single(void *handle, const char *name, struct product p, const void *alpha,
		  const void *A, const void *B, const void *beta, void *C, int compute)
{
	struct call c;
	if (prepare(&c, handle, name, &p, alpha, beta, 1, compute))
		multiply(&c, &p, A, B, C);
	return call_end(&c);
}

static int strided(void *handle, const char *name, struct product p, const void *alpha,
		   const char *A, long long stride_a, const char *B, long long stride_b,
		   const void *beta, char *C, long long stride_c, int batches, int compute)
{
	struct call c;
	if (!prepare(&c, handle, name, &p, alpha, beta, batches, compute))
		return call_end(&c);
	long long a = stride_a * (long long)value_bytes(p.a_type),
		  b = stride_b * (long long)value_bytes(p.b_type);
	long long to = stride_c * (long long)value_bytes(p.c_type);
	for (int i = 0; i < batches && call_ok(&c); i++)
		multiply(&c, &p, A + i * a, B + i * b, C + i * to);
	return call_end(&c);
}

static int batched(void *handle, const char *name, struct product p, const void *alpha,
		   const void *const *A, const void *const *B, const void *beta, void *const *C,
		   int batches, int compute)
{
	struct call c;
	if (!prepare(&c, handle, name, &p, alpha, beta, batches, compute))
		return call_end(&c);
	A = call_pointers(&c, A, batches);
	B = call_pointers(&c, B, batches);
	C = call_pointers(&c, C, batches);
	for (int i = 0; i < batches && call_ok(&c); i++)
		multiply(&c, &p, A[i], B[i], C[i]);
	return call_end(&c);
}

#define PRODUCT(a, b, c)                                                                           \
	(struct product)                                                                           \
	{                                                                                          \
		.transa = transa, .transb = transb, .m = m, .n = n, .k = k, .a_type = a,           \
		.b_type = b, .c_type = c, .lda = lda, .ldb = ldb, .ldc = ldc                       \
	}

int EXPORT(GemmEx)(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
		   const void *A, int a_type, int lda, const void *B, int b_type, int ldb,
		   const void *beta, void *C, int c_type, int ldc, int compute, int algorithm)
{
	(void)algorithm;
	return single(handle, "cublasGemmEx", PRODUCT(a_type, b_type, c_type), alpha, A, B, beta, C,
		      compute);
}

int EXPORT(GemmStridedBatchedEx)(void *handle, int transa, int transb, int m, int n, int k,
				 const void *alpha, const void *A, int a_type, int lda,
				 long long stride_a, const void *B, int b_type, int ldb,
				 long long stride_b, const void *beta, void *C, int c_type, int ldc,
				 long long stride_c, int batches, int compute, int algorithm)
{
	(void)algorithm;
	return strided(handle, "cublasGemmStridedBatchedEx", PRODUCT(a_type, b_type, c_type), alpha,
		       A, stride_a, B, stride_b, beta, C, stride_c, batches, compute);
}

int EXPORT(GemmBatchedEx)(void *handle, int transa, int transb, int m, int n, int k,
			  const void *alpha, const void *const *A, int a_type, int lda,
			  const void *const *B, int b_type, int ldb, const void *beta,
			  void *const *C, int c_type, int ldc, int batches, int compute,
			  int algorithm)
{
	(void)algorithm;
	return batched(handle, "cublasGemmBatchedEx", PRODUCT(a_type, b_type, c_type), alpha, A, B,
		       beta, C, batches, compute);
}

int EXPORT(SgemmEx)(void *handle, int transa, int transb, int m, int n, int k, const float *alpha,
		    const void *A, int a_type, int lda, const void *B, int b_type, int ldb,
		    const float *beta, void *C, int c_type, int ldc)
{
	return single(handle, "cublasSgemmEx", PRODUCT(a_type, b_type, c_type), alpha, A, B, beta,
		      C, COMPUTE_32F);
}

int EXPORT(CgemmEx)(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
		    const void *A, int a_type, int lda, const void *B, int b_type, int ldb,
		    const void *beta, void *C, int c_type, int ldc)
{
	return single(handle, "cublasCgemmEx", PRODUCT(a_type, b_type, c_type), alpha, A, B, beta,
		      C, COMPUTE_32F);
}

int EXPORT(Cgemm3mEx)(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
		      const void *A, int a_type, int lda, const void *B, int b_type, int ldb,
		      const void *beta, void *C, int c_type, int ldc)
{
	return single(handle, "cublasCgemm3mEx", PRODUCT(a_type, b_type, c_type), alpha, A, B, beta,
		      C, COMPUTE_32F);
}

int EXPORT(Hgemm)(void *handle, int transa, int transb, int m, int n, int k, const void *alpha,
		  const void *A, int lda, const void *B, int ldb, const void *beta, void *C,
		  int ldc)
{
	return single(handle, "cublasHgemm", PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F), alpha, A,
		      B, beta, C, COMPUTE_16F);
}

int EXPORT(HgemmStridedBatched)(void *handle, int transa, int transb, int m, int n, int k,
				const void *alpha, const void *A, int lda, long long stride_a,
				const void *B, int ldb, long long stride_b, const void *beta,
				void *C, int ldc, long long stride_c, int batches)
{
	return strided(handle, "cublasHgemmStridedBatched",
		       PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F), alpha, A, stride_a, B, stride_b,
		       beta, C, stride_c, batches, COMPUTE_16F);
}

int EXPORT(HgemmBatched)(void *handle, int transa, int transb, int m, int n, int k,
			 const void *alpha, const void *const *A, int lda, const void *const *B,
			 int ldb, const void *beta, void *const *C, int ldc, int batches)
{
	return batched(handle, "cublasHgemmBatched", PRODUCT(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F),
		       alpha, A, B, beta, C, batches, COMPUTE_16F);
}
