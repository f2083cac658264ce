/* SPDX-License-Identifier: Apache-2.0 */
/* mixed_vector.c - functions of vectors whose element types are told at run time: computed in
 * double, rounded once. */
#include <cblas.h>
#include <complex.h>
#include <library_types.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "value.h"

#define EXPORT(name) sim_cublas##name

struct vector {
	void *host;
	double _Complex *wide; /* malloc()ed */
	int type, n;
};

static bool open_vector(struct call *call, struct vector *v, const void *device, int type, int n,
			int increment, enum use use)
{
	*v = (struct vector){.type = type, .n = n};
	if (!value_bytes(type))
		return call_fail(call, NOT_SUPPORTED);
	v->host = call_vector(call, device, value_bytes(type), n, increment, use);
	v->wide = v->host ? malloc((size_t)n * sizeof *v->wide) : NULL;
	if (!v->wide)
		return call_fail(call, ALLOC_FAILED);
	value_read(v->host, type, (size_t)n, v->wide);
	return true;
}

static void close_vector(struct call *call, struct vector *v, bool writes)
{
	if (writes && call_ok(call))
		value_write(v->wide, (size_t)v->n, v->host, v->type);
	free(v->wide);
}

static double _Complex scalar(struct call *call, const void *from, int type)
{
	char raw[16] = {0};
	double _Complex ret = 0;
	if (!value_bytes(type))
		call_fail(call, NOT_SUPPORTED);
	else if (call_scalar(call, from, raw, value_bytes(type)))
		value_read(raw, type, 1, &ret);
	return ret;
}

static void result(struct call *call, void *to, int type, double _Complex value)
{
	char raw[16] = {0};
	if (!value_bytes(type)) {
		call_fail(call, NOT_SUPPORTED);
		return;
	}
	value_write(&value, 1, raw, type);
	call_result(call, to, raw, value_bytes(type));
}

int EXPORT(AxpyEx)(void *handle, int n, const void *alpha, int alpha_type, const void *x,
		   int x_type, int incx, void *y, int y_type, int incy, int execution)
{
	struct call c;
	struct vector from = {0}, to = {0};
	(void)execution;
	if (!call_begin(&c, handle, "cublasAxpyEx") || n <= 0)
		return call_end(&c);
	double _Complex by = scalar(&c, alpha, alpha_type);
	if (open_vector(&c, &from, x, x_type, n, incx, IN) &&
	    open_vector(&c, &to, y, y_type, n, incy, INOUT))
		cblas_zaxpy(n, &by, from.wide, 1, to.wide, 1);
	close_vector(&c, &from, false);
	close_vector(&c, &to, true);
	return call_end(&c);
}

static int dot(void *handle, int n, const void *x, int x_type, int incx, const void *y, int y_type,
	       int incy, void *to, int type, const char *name, bool conjugated)
{
	struct call c;
	struct vector a = {0}, b = {0};
	double _Complex sum = 0;
	if (!call_begin(&c, handle, name))
		return call_end(&c);
	if (n > 0 && open_vector(&c, &a, x, x_type, n, incx, IN) &&
	    open_vector(&c, &b, y, y_type, n, incy, IN)) {
		if (conjugated)
			cblas_zdotc_sub(n, a.wide, 1, b.wide, 1, &sum);
		else
			cblas_zdotu_sub(n, a.wide, 1, b.wide, 1, &sum);
	}
	close_vector(&c, &a, false);
	close_vector(&c, &b, false);
	result(&c, to, type, sum);
	return call_end(&c);
}

int EXPORT(DotEx)(void *handle, int n, const void *x, int x_type, int incx, const void *y,
		  int y_type, int incy, void *to, int type, int execution)
{
	(void)execution;
	return dot(handle, n, x, x_type, incx, y, y_type, incy, to, type, "cublasDotEx", false);
}

int EXPORT(DotcEx)(void *handle, int n, const void *x, int x_type, int incx, const void *y,
		   int y_type, int incy, void *to, int type, int execution)
{
	(void)execution;
	return dot(handle, n, x, x_type, incx, y, y_type, incy, to, type, "cublasDotcEx", true);
}

int EXPORT(ScalEx)(void *handle, int n, const void *alpha, int alpha_type, void *x, int type,
		   int incx, int execution)
{
	struct call c;
	struct vector v = {0};
	(void)execution;
	if (!call_begin(&c, handle, "cublasScalEx") || n <= 0)
		return call_end(&c);
	double _Complex by = scalar(&c, alpha, alpha_type);
	if (open_vector(&c, &v, x, type, n, incx, INOUT))
		cblas_zscal(n, &by, v.wide, 1);
	close_vector(&c, &v, true);
	return call_end(&c);
}

static int norm(void *handle, int n, const void *x, int x_type, int incx, void *to, int type,
		const char *name, double (*of)(int n, const void *x, int step))
{
	struct call c;
	struct vector v = {0};
	double value = 0;
	if (!call_begin(&c, handle, name))
		return call_end(&c);
	if (n > 0 && open_vector(&c, &v, x, x_type, n, incx, IN))
		value = of(n, v.wide, 1);
	close_vector(&c, &v, false);
	result(&c, to, type, value);
	return call_end(&c);
}

int EXPORT(Nrm2Ex)(void *handle, int n, const void *x, int x_type, int incx, void *to, int type,
		   int execution)
{
	(void)execution;
	return norm(handle, n, x, x_type, incx, to, type, "cublasNrm2Ex", cblas_dznrm2);
}

int EXPORT(AsumEx)(void *handle, int n, const void *x, int x_type, int incx, void *to, int type,
		   int execution)
{
	(void)execution;
	return norm(handle, n, x, x_type, incx, to, type, "cublasAsumEx", cblas_dzasum);
}

int EXPORT(CopyEx)(void *handle, int n, const void *x, int x_type, int incx, void *y, int y_type,
		   int incy)
{
	struct call c;
	size_t bytes = value_bytes(x_type);
	if (!call_begin(&c, handle, "cublasCopyEx") || n <= 0)
		return call_end(&c);
	if (!bytes || x_type != y_type)
		call_fail(&c, NOT_SUPPORTED);
	void *from = call_vector(&c, x, bytes, n, incx, IN),
	     *to = call_vector(&c, y, bytes, n, incy, OUT);
	if (call_ok(&c))
		memcpy(to, from, (size_t)n * bytes);
	return call_end(&c);
}

int EXPORT(SwapEx)(void *handle, int n, void *x, int x_type, int incx, void *y, int y_type,
		   int incy)
{
	struct call c;
	struct vector a = {0}, b = {0};
	if (!call_begin(&c, handle, "cublasSwapEx") || n <= 0)
		return call_end(&c);
	if (x_type != y_type)
		call_fail(&c, NOT_SUPPORTED);
	if (call_ok(&c) && open_vector(&c, &a, x, x_type, n, incx, INOUT) &&
	    open_vector(&c, &b, y, y_type, n, incy, INOUT))
		cblas_zswap(n, a.wide, 1, b.wide, 1);
	close_vector(&c, &a, true);
	close_vector(&c, &b, true);
	return call_end(&c);
}

/* The first of the largest (or smallest) sums of the absolute parts, from 1. */
static int extreme(void *handle, int n, const void *x, int type, int incx, int *to,
		   const char *name, bool largest)
{
	struct call c;
	struct vector v = {0};
	int at = 0;
	double best = 0;
	if (!call_begin(&c, handle, name))
		return call_end(&c);
	if (n > 0 && incx > 0 && open_vector(&c, &v, x, type, n, incx, IN))
		for (int i = 0; i < n; i++) {
			double size = fabs(creal(v.wide[i])) + fabs(cimag(v.wide[i]));
			if (!i || (largest ? size > best : size < best))
				best = size, at = i + 1;
		}
	close_vector(&c, &v, false);
	call_result(&c, to, &at, sizeof at);
	return call_end(&c);
}

int EXPORT(IamaxEx)(void *handle, int n, const void *x, int type, int incx, int *to)
{
	return extreme(handle, n, x, type, incx, to, "cublasIamaxEx", true);
}

int EXPORT(IaminEx)(void *handle, int n, const void *x, int type, int incx, int *to)
{
	return extreme(handle, n, x, type, incx, to, "cublasIaminEx", false);
}
