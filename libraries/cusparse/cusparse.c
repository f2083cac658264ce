/* SPDX-License-Identifier: Apache-2.0 */
/* cusparse.c - what libcusparse answers without a handle. */
#include "version.h"

enum { INVALID_VALUE = 3 };

static const struct library_version version = {12, 6, 3};

/* By status. */
static const struct {
	const char *name, *text;
} errors[] = {
	{"CUSPARSE_STATUS_SUCCESS", "success"},
	{"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
	{"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
	{"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
	{"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
	{"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
	{"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
	{"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
	{"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
	{"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
	{"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
	{"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
enum { N_ERRORS = sizeof errors / sizeof *errors };

const char *sim_cusparseGetErrorName(unsigned status);
const char *sim_cusparseGetErrorName(unsigned status)
{
	return status < N_ERRORS ? errors[status].name : "unrecognized error code";
}

const char *sim_cusparseGetErrorString(unsigned status);
const char *sim_cusparseGetErrorString(unsigned status)
{
	return status < N_ERRORS ? errors[status].text : "unrecognized error code";
}

int sim_cusparseGetProperty(int property, int *ret);
int sim_cusparseGetProperty(int property, int *ret)
{
	return library_property(version, property, ret, INVALID_VALUE);
}
