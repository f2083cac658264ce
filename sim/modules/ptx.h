/* SPDX-License-Identifier: Apache-2.0 */
/* ptx.h - PTX that a program loads or links, compiled by `cudasim cc` as a child process. */
#ifndef CUDASIM_SIM_PTX_H
#define CUDASIM_SIM_PTX_H

#include <driver_types.h>
#include <stddef.h>

struct ptx_piece {
	const char *text; /* ends with NUL */
	const char *name; /* for messages; NULL: "application ptx input" */
};

/* Compiles the pieces, linked with each other, to an image (formats/image.h), a string that the
 * caller frees; ret NULL: looks for errors only, and not for what is defined nowhere. *log: what the
 * compiler said, as ptxas says it, the caller's to free; never NULL on success.
 *   cudaErrorInvalidPtx               the log says why
 *   cudaErrorUnsupportedPtxVersion    .version is newer than what is known
 *   cudaErrorInvalidSource            two pieces define one name
 *   cudaErrorNotSupported             PTX made by NVIDIA's NVVM compiler
 *   cudaErrorJitCompilerNotFound      cudasim cc cannot be run
 *   cudaErrorMemoryAllocation */
cudaError_t ptx_compile(const struct ptx_piece *pieces, size_t n, char **ret, char **log);

#endif
