/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin_format.h - NVIDIA's fat binary as far as it is read here: a header, then entries, each
 * with a header of its own and its payload. Seen in what CUDA 13's fatbinary writes. */
#ifndef CUDASIM_FORMATS_FATBIN_FORMAT_H
#define CUDASIM_FORMATS_FATBIN_FORMAT_H

#include <stdint.h>

#define FATBIN_MAGIC 0xba55ed50u

struct fatbin_header {
	uint32_t magic;
	uint16_t version, size; /* size: bytes of this header */
	uint64_t bytes;         /* of all entries */
};

struct fatbin_entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t payload_bytes;
	uint32_t compressed_bytes; /* 0: it is not */
	uint32_t unknown[2];
	uint32_t architecture; /* 90 */
	uint32_t more[2];
	uint32_t flags;
};
enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };
enum { FATBIN_SPECIFIC = 1 << 20 }; /* sm_90a: for this architecture only */

#endif
