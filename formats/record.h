/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - the form of a recording: what each kernel launch of a program left in
 * memory. recorder/ writes it, `cudasim compare` reads it.
 *
 * A recording is a sequence of frames: kind and number of payload bytes (two 32-bit
 * words), then the payload. Numbers are little-endian; a text is its length (32 bits)
 * and its bytes. The first frame is HEADER, the last one END: a recording without it is
 * cut short.
 *
 * Memory that the program allocates, and each __device__ variable, gets a number, in
 * order, and is looked at in chunks. Of each chunk that is not as it was after the launch
 * before (fresh memory is zero; of the host's own, pinned memory: as it was when the launch
 * began) the recording has two hashes: of the bytes as they are, and with each aligned
 * 64-bit word that is an address inside the program's memory replaced by memory (an
 * allocation by its order, a variable by its name) and offset, for addresses differ between
 * runs. A chunk is the same in two runs if either hash is. 0 is the hash of a chunk that is
 * all zero.
 *
 * Bytes themselves come as DATA frames, with the places of such addresses. In a file
 * there are all changed bytes of a launch where these are few (RECORD_FULL_BYTES), else
 * samples, RECORD_SAMPLE_BYTES at a time. Through a socket there are none: the reader
 * asks for what it wants after each LAUNCH_END, with struct record_request, until it
 * sends RECORD_GO. */
#ifndef CUDASIM_FORMATS_RECORD_H
#define CUDASIM_FORMATS_RECORD_H

#include <stdint.h>

#define RECORD_MAGIC "cudasimR"
#define RECORD_VERSION 2u
#define RECORD_OLDEST                                                                              \
	1u /* that is read: without elements of memory, and nothing of pinned memory */

enum record_kind {
	/* magic 8 bytes, version u32, simulated u32, device text, program text */
	RECORD_HEADER = 1,
	/* number u32 (0.., one more each time), kind u32 (enum record_memory), size u64,
	 * chunk u64 (a power of two, bytes), name text (the CUDA function, or the
	 * variable), place text (where the host made it; may be empty), element text (its
	 * type by the name that --type knows, where the allocation tells it; else empty) */
	RECORD_MEMORY,
	/* number u32; the memory is freed */
	RECORD_FREE,
	/* index u64 (0.., one more each time), stream u32 (0 the default one, others by
	 * first use), grid 3 u32, block 3 u32, dynamic shared bytes u64, watched u32 (0:
	 * memory was not looked at), kernel text (mangled), n u32, then n times: parameter
	 * u32, offset in it u32, memory number u32 that it points into */
	RECORD_LAUNCH,
	/* of the launch begun: memory number u32, n u32, then n times: chunk index u32,
	 * hash u64, hash without addresses u64 */
	RECORD_CHUNKS,
	/* memory number u32, offset u64, n u32, n_pointers u32, n bytes, then n_pointers
	 * times: byte within these bytes u32, memory number u32, offset u64 */
	RECORD_DATA,
	/* error i32: a cudaError_t; flags u32 (RECORD_LIMITED, RECORD_HEAP) */
	RECORD_LAUNCH_END,
	/* what a run that looks for owners tells: question u32, found u32, block 3 u32,
	 * thread 3 u32, place text */
	RECORD_OWNER,
	/* launches u64 */
	RECORD_END,
};

enum record_memory {
	RECORD_DEVICE,
	RECORD_MANAGED,
	RECORD_VARIABLE,
	RECORD_HOST,  /* pinned, mapped or registered */
	RECORD_ARRAY, /* that surfaces can write: its texels, row after row without gaps */
	RECORD_N_MEMORIES,
};

/* Flag of LAUNCH_END: the file has reached its limit, and this launch (and later ones) has
 * no DATA and, for each memory that changed, one chunk index RECORD_WHOLE whose hash is
 * that of all its chunks' hashes. */
enum {
	RECORD_LIMITED = 1,
	/* Threads have called malloc(). Only the simulator tells. */
	RECORD_HEAP = 2,
};
#define RECORD_WHOLE UINT32_MAX

enum {
	RECORD_MIN_CHUNK = 4096,        /* bytes */
	RECORD_MAX_CHUNKS = 4096,       /* of one memory: larger ones have larger chunks */
	RECORD_MAX_FRAME = 16 << 20,    /* payload bytes */
	RECORD_MAX_DATA = 1 << 20,      /* bytes of one DATA frame */
	RECORD_MAX_TEXT = 1 << 16,
	RECORD_MAX_MEMORIES = 1 << 22,
	RECORD_FULL_BYTES = 256 << 10,  /* of a launch in a file */
	RECORD_SAMPLE_BYTES = 64,
	RECORD_MAX_SAMPLES = 2048,      /* of a launch */
};

enum record_request_kind { RECORD_GO = 1, RECORD_READ };
/* From the reader to a recorder that waits after LAUNCH_END. READ is answered by one
 * DATA frame; n is at most RECORD_MAX_DATA. */
struct record_request {
	uint32_t kind, memory;
	uint64_t offset, n;
};

/* One hash of two; the order matters. */
static inline uint64_t record_fold(uint64_t a, uint64_t b)
{
	uint64_t x = (a << 23 | a >> 41) * UINT64_C(0xd6e8feb86659fd93) + b;
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xc2b2ae3d27d4eb4f);
	return x ^ x >> 32;
}

#endif
