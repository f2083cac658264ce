/* SPDX-License-Identifier: Apache-2.0 */
/* blob.h - finds the struct cudasim_blob in what host code registers. */
#ifndef CUDASIM_FORMATS_BLOB_H
#define CUDASIM_FORMATS_BLOB_H

#include "cudasim/abi.h"

/* data: what the structure of __cudaRegisterFatBinary() points to, of a loaded object; or NULL. NULL
 * where that is no blob of this version: another compiler's fat binary, an earlier version's blob. */
const struct cudasim_blob *blob_find(const void *data);

/* The fat binary for a GPU, NULL where there is none. blob may be NULL. */
const void *blob_gpu_code(const struct cudasim_blob *blob);

#endif
