/* SPDX-License-Identifier: Apache-2.0 */
/* handle.h - cuBLAS's handles. */
#ifndef CUDASIM_CUBLAS_HANDLE_H
#define CUDASIM_CUBLAS_HANDLE_H

#include "call.h"

/* What a cublasHandle_t points at; NULL where it is none. */
struct handle *handle_of(void *handle);

#endif
