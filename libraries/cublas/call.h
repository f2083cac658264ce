/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - one call of cuBLAS: its handle, its operands, its status.
 *
 * A call waits for its stream, copies what it reads to the host, has the system's BLAS or
 * LAPACK compute, and copies back what it has written, all with the CUDA runtime's own calls:
 * so streams, checkers and bounds of allocations are what they are for any copy. Matrices are
 * stored by columns, here without a gap between them; vectors have the increment 1 here.
 *
 * cublas_api.h is not needed to build this: enumerations are int, their values are its values. */
#ifndef CUDASIM_CUBLAS_CALL_H
#define CUDASIM_CUBLAS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <driver_types.h>

enum status {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 3,
	INVALID_VALUE = 7,
	MAPPING_ERROR = 11,
	EXECUTION_FAILED = 13,
	INTERNAL_ERROR = 14,
	NOT_SUPPORTED = 15,
};
enum operation { OP_N, OP_T, OP_C };
enum fill { FILL_LOWER, FILL_UPPER, FILL_FULL };
enum side { SIDE_LEFT, SIDE_RIGHT };
enum pointer_mode { POINTERS_HOST, POINTERS_DEVICE };

struct handle {
	uint64_t magic;
	cudaStream_t stream;
	int pointer_mode, atomics_mode, math_mode, sm_target;
};

/* What a function does with an operand. */
enum use { IN = 1, OUT = 2, INOUT = 3 };

enum { MOST_OPERANDS = 8, MOST_LISTS = 3 };

struct call {
	struct handle *handle;
	const char *name; /* the function's, for messages */
	enum status status;
	int n;
	struct operand {
		char *host, *device;
		size_t element; /* bytes */
		int rows, columns;
		int64_t ld;     /* on the device, in elements */
		enum fill fill; /* a triangle with its diagonal: the rest is not touched */
		bool reversed;  /* a vector with a negative increment */
		enum use use;
	} operands[MOST_OPERANDS];
	void *lists[MOST_LISTS]; /* of call_pointers() */
	int n_lists;
};

/* Begin a call. False, and the status is set, where the handle is none, or its stream is being
 * captured, which is not simulated. */
bool call_begin(struct call *call, void *handle, const char *name);
/* Unless the condition holds the call fails with CUBLAS_STATUS_INVALID_VALUE. */
bool call_want(struct call *call, bool condition);
bool call_fail(struct call *call, enum status status);
bool call_ok(const struct call *call);

/* Operands on the host, until call_flush(), MOST_OPERANDS at most; NULL, and the status is set, where they cannot be
 * had, or the call has failed before. What is not IN is all 0. */
void *call_matrix(struct call *call, const void *device, size_t element, int rows, int columns,
		  int64_t ld, enum use use);
void *call_triangle(struct call *call, const void *device, size_t element, int n, int64_t ld,
		    enum fill fill, enum use use);
void *call_vector(struct call *call, const void *device, size_t element, int n, int increment,
		  enum use use);
/* A scalar, from where the pointer mode says that it lies. */
bool call_scalar(struct call *call, const void *from, void *to, size_t bytes);
/* A result, to there: cuBLAS waits for it where that is the host. */
bool call_result(struct call *call, void *to, const void *from, size_t bytes);
/* The n pointers of an array on the device, until call_end(), MOST_LISTS times at most; NULL, and
 * the status is set, where they cannot be had. */
void *call_pointers(struct call *call, const void *device, int n);
/* Anything else on the device. */
bool call_read(struct call *call, const void *device, void *to, size_t bytes);
bool call_write(struct call *call, void *device, const void *from, size_t bytes);

/* Write back what was not only read and free it all: for the next ones of a batch. */
bool call_flush(struct call *call);
/* The same, and the status. */
int call_end(struct call *call);

/* Largest of 1 and n: what leading dimensions have to be at least. */
static inline int at_least_1(int n)
{
	return n > 1 ? n : 1;
}

#endif
