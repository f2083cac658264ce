/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - libcudasim-recorder.so: writes down what each launch leaves in memory.
 *
 * It is loaded before the CUDA runtime (LD_PRELOAD), so that the program's calls come
 * here first (intercept.c) and go on to the runtime that the program would have had:
 * libcudasim simulating, libcudasim on a GPU, or libcudart.so of a program that nvcc
 * built. One mechanism serves all three, and sees only what CUDA's own interface shows.
 *
 *   CUDASIM_RECORD=FILE | fd:N   where to; without it nothing is done
 *
 * During a recorded run launches are done one after the other, each waited for, and
 * memory is zero when it is allocated, so that bytes nobody wrote are the same in every
 * run. Rejected: writing from within libcudasim (it could not record what nvcc built);
 * asking the simulator what was stored (the GPU cannot be asked). */
#ifndef CUDASIM_RECORDER_RECORDER_H
#define CUDASIM_RECORDER_RECORDER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record.h"

/* ---- memory.c: what the program has allocated ------------------------------- */

/* Why it does not ask cudasim_memory_find(): behind the recorder there may be NVIDIA's runtime,
 * which has no such function, and a recording names memory by numbers that are the same in every
 * run. */

struct memory {
	uint32_t number;
	enum record_memory kind;
	uint64_t address, size; /* of an ARRAY its handle */
	uint64_t chunk; /* bytes of one, the last may be shorter */
	uint32_t n_chunks;
	uint64_t *hashes; /* of each chunk as last seen; NULL once freed */
	const char *name; /* lives as long as this */
	uint64_t key; /* the same in every run: of allocations by order, of variables by name */
	bool freed;
	bool borrowed; /* the host's, registered: it may be gone without a word */
	uint64_t
		owner; /* of an ARRAY: the handle that is freed, its own or the mipmapped array's */
};

/* Adds memory that has just been made, and writes its frame; element: see RECORD_MEMORY.
 * Only between record_enter() and record_leave(), like all of this section. */
struct memory *memory_add(enum record_memory kind, uint64_t address, uint64_t size,
			  const char *name, const char *place, const char *element);
void memory_remove(uint64_t address);
/* Arrays whose owner this is. */
void memory_remove_arrays(uint64_t owner);
void memory_remove_all(void);
/* The live memory that holds address, or NULL; never an array. */
struct memory *memory_find(uint64_t address);
struct memory *memory_get(uint32_t number);
/* Live memories by ascending address, and live arrays by number. */
struct memory *const *memory_all(size_t *n);
struct memory *const *memory_arrays(size_t *n);
/* Addresses of all memory but arrays lie in [*low, *high). */
void memory_bounds(uint64_t *low, uint64_t *high);
uint64_t memory_chunk_bytes(const struct memory *m, uint32_t chunk);

/* ---- write.c: frames --------------------------------------------------------- */

/* Builds one frame at a time; write_end() sends it. A recording that cannot be written
 * ends the process with one line and status 2: half a recording would be compared. */
void write_open(const char *where);
bool write_is_open(void);
bool write_is_live(void); /* a socket, whose reader asks */
uint64_t write_total(void); /* bytes so far */
void write_begin(enum record_kind kind);
void write_u32(uint32_t n);
void write_u64(uint64_t n);
void write_bytes(const void *bytes, size_t n);
void write_text(const char *text);
void write_end(void);
void write_flush(void);
/* The next request; GO where the reader has gone. */
struct record_request write_wait(void);
void write_close(void);
/* In a child of fork(): what is buffered is the parent's. */
void write_abandon(void);

/* ---- chunk_hash.c ------------------------------------------------------------------ */

/* 64-bit hashes of n bytes: as they are, and with addresses replaced (see record.h).
 * Both are 0 exactly where all bytes are 0. */
void chunk_hash(const void *bytes, size_t n, uint64_t *plain, uint64_t *normal);
/* ---- snapshot.c ---------------------------------------------------------------- */

/* What a launch is, as the program gave it. */
struct launch {
	const char *kernel; /* mangled; "cudaGraphLaunch" for graphs */
	const void *stub; /* NULL for graphs */
	dim3 grid, block;
	uint64_t shared;
	cudaStream_t stream;
	void **arguments; /* may be NULL */
};

/* Before a launch: what the host has put into its own memory is not the launch's. */
void snapshot_host(void);
/* Writes the launch, after it is done: error is what it ended with. */
void snapshot_launch(const struct launch *launch, uint64_t index, uint32_t stream, bool watched,
		     int error);

/* ---- array.c: CUDA arrays ------------------------------------------------------- */

/* All texels of an array, row after row without gaps; valid until the next call. NULL where
 * they cannot be read. */
const unsigned char *array_read(const struct memory *m);

/* ---- owner.c: who stored it? -------------------------------------------------- */

/* Reads CUDASIM_RECORD_OWNERS: "launch:memory:offset:bytes,...". */
void owner_start(void);
bool owner_is_on(void);
/* Around a launch: index is that of the launch that begins. */
void owner_launch(uint64_t index);
void owner_finish(void);
/* The program is simulated: let the simulator tell of malloc(). */
void owner_watch_heap(void);
/* Whether a thread has called malloc() since the last call of this. */
bool owner_saw_heap(void);

/* ---- place.c --------------------------------------------------------------------- */

/* Where the program called CUDA: "main (app.cu:12)", of the innermost caller outside the
 * toolkit's headers and this library; "app+0x1234" without debug information. The text
 * lives as long as the process. */
const char *place_of_caller(void);

/* ---- intercept.c ----------------------------------------------------------------- */

/* The runtime's own functions, behind ours. */
struct real {
	cudaError_t (*memcpy)(void *, const void *, size_t, enum cudaMemcpyKind);
	cudaError_t (*memset)(void *, int, size_t);
	cudaError_t (*device_synchronize)(void);
	cudaError_t (*stream_synchronize)(cudaStream_t);
	cudaError_t (*stream_is_capturing)(cudaStream_t, enum cudaStreamCaptureStatus *);
	cudaError_t (*peek_at_last_error)(void);
	cudaError_t (*get_last_error)(void);
	cudaError_t (*get_symbol_address)(void **, const void *);
	cudaError_t (*get_symbol_size)(size_t *, const void *);
	cudaError_t (*func_get_param_info)(const void *, size_t, size_t *, size_t *);
	cudaError_t (*malloc_host)(void **, size_t);
	cudaError_t (*memcpy_3d)(const struct cudaMemcpy3DParms *);
	cudaError_t (*array_get_info)(struct cudaChannelFormatDesc *, struct cudaExtent *,
				      unsigned *, cudaArray_t);
	cudaError_t (*get_mipmapped_array_level)(cudaArray_t *, cudaMipmappedArray_const_t,
						 unsigned);
};
extern struct real real;
/* The program is simulated: the host reads device memory directly. */
extern bool record_simulated;

/* Begin and end what is told of a call; false: nothing is, because nothing is recorded, or
 * because the runtime itself has made the call. */
bool record_enter(void);
void record_leave(void);
/* Around calls of ours, and the runtime's own, that are not told. */
void record_hide(void);
void record_show(void);
/* A call has made memory or, error telling, not; returns error. */
cudaError_t record_made(cudaError_t error, enum record_memory kind, void *address, size_t size,
			const char *function);
/* The same of the host's own memory that it has registered. */
cudaError_t record_borrowed(cudaError_t error, void *address, size_t size, const char *function);
/* Before memory is freed: afterwards another thread may get the address. */
void record_gone(const void *address);
/* The function of this name that the program would have had. */
void *record_next(const char *name);

/* That, as a pointer of our own declaration's type. */
#define NAME_OF(function) #function
#define NEXT(function)                                                                             \
	__extension__({                                                                            \
		static __typeof__(&function) next_;                                                \
		if (!next_)                                                                        \
			*(void **)&next_ = record_next(NAME_OF(function));                         \
		next_;                                                                             \
	})

/* The runtime's function, unrecorded. */
#define CALL(function, ...)                                                                        \
	__extension__({                                                                            \
		record_hide();                                                                     \
		__auto_type result_ = NEXT(function)(__VA_ARGS__);                                 \
		record_show();                                                                     \
		result_;                                                                           \
	})

/* One line on stderr, and the process ends with status 2. */
__attribute__((noreturn, format(printf, 1, 2))) void record_die(const char *format, ...);

#endif
