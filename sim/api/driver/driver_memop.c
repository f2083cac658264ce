/* SPDX-License-Identifier: Apache-2.0 */
/* driver_memop.c - words in memory that streams wait for and write: one at a time, in batches,
 * and as nodes of graphs. */
#include "driver_api.h"

#include "context.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "copy_submit.h"
#include "graph_api.h"
#include "hash.h"
#include "memory.h"
#include "observer.h"

/* An H200's limit: more answer CUDA_ERROR_INVALID_VALUE. */
enum { MOST_WORDS = 255 };

/* What a work has: its own copy of the operations. */
struct batch {
	atomic_uint refs;
	struct device *device;
	unsigned n, flags;
	CUstreamBatchMemOpParams words[];
};

static void ref_batch(void *state)
{
	atomic_fetch_add(&((struct batch *)state)->refs, 1);
}

static void unref_batch(void *state)
{
	if (atomic_fetch_sub(&((struct batch *)state)->refs, 1) == 1)
		free(state);
}

/* ---- doing it --------------------------------------------------------------------------- */

static bool is_long(CUstreamBatchMemOpType operation)
{
	return operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
	       operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

static bool is_wait(CUstreamBatchMemOpType operation)
{
	return operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
	       operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool has_come(const CUstreamBatchMemOpParams *word)
{
	const void *address = DEVICE(word->waitValue.address);
	bool wide = is_long(word->operation);
	uint64_t now = wide ? __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE)
			    : __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
	uint64_t value = wide ? word->waitValue.value64 : word->waitValue.value;
	uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
	switch (word->waitValue.flags & 3) {
	case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic */
		return wide ? (int64_t)(now - value) >= 0
			    : (int32_t)((uint32_t)now - (uint32_t)value) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & value;
	default: /* CU_STREAM_WAIT_VALUE_NOR */
		return ~(now | value) & mask;
	}
}

/* Most waits are short; a long one leaves the processor to others. */
static void wait_word(const CUstreamBatchMemOpParams *word, struct device *device)
{
	enum { PATIENCE = 1000 };
	const struct timespec pause = {.tv_nsec = 100000};
	for (unsigned i = 0; !has_come(word) && !atomic_load(&device->sticky); i++) {
		if (i < PATIENCE)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

/* Tools hear of it as of a set, so that they know the memory as written, of an operation that was
 * not announced: who waits for a word or looks at it meanwhile does not race with this. */
static void tell_written(const CUstreamBatchMemOpParams *word)
{
	struct cudasim_copy what = copy_1d(DEVICE(word->writeValue.address), NULL,
					   is_long(word->operation) ? 8 : 4);
	what.kind = CUDASIM_SET;
	what.value = word->writeValue.value;
	what.value_bytes = 4;
	what.direction = cudaMemcpyDeviceToDevice;
	what.async = true;
	what.id = UINT64_MAX;
	what.function = is_long(word->operation) ? "cuStreamWriteValue64" : "cuStreamWriteValue32";
	observe_copy(&what);
}

static void do_word(const CUstreamBatchMemOpParams *word, struct device *device)
{
	switch (word->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		wait_word(word, device);
		break;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		tell_written(word);
		__atomic_store_n((uint32_t *)DEVICE(word->writeValue.address),
				 word->writeValue.value, __ATOMIC_RELEASE);
		break;
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		tell_written(word);
		__atomic_store_n((uint64_t *)DEVICE(word->writeValue.address),
				 word->writeValue.value64, __ATOMIC_RELEASE);
		break;
	default: /* a barrier */
		atomic_thread_fence(memory_order_seq_cst);
	}
}

static bool is_barrier(CUstreamBatchMemOpType operation)
{
	return operation == CU_STREAM_MEM_OP_BARRIER;
}

/* A graph may outlive the memory that its words are in. */
static void run_batch(struct operation *operation, void *state)
{
	const struct batch *batch = state;
	struct allocation a;
	(void)operation;
	for (unsigned i = 0; i < batch->n && !atomic_load(&batch->device->sticky); i++) {
		const CUstreamBatchMemOpParams *word = &batch->words[i];
		if (is_barrier(word->operation) ||
		    memory_lookup(DEVICE(word->waitValue.address), &a))
			do_word(word, batch->device);
		else
			device_fail(batch->device, cudaErrorIllegalAddress);
	}
}

/* ---- checking ----------------------------------------------------------------------------- */

static cudaError_t check_word(const CUstreamBatchMemOpParams *word)
{
	struct allocation a;
	unsigned most;
	switch (word->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		most = CU_STREAM_WAIT_VALUE_NOR;
		break;
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		most = CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
		break;
	case CU_STREAM_MEM_OP_BARRIER:
		return word->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU
			       ? cudaErrorInvalidValue
			       : cudaSuccess;
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: /* as the device's attribute says */
		return cudaErrorNotSupported;
	default:
		return cudaErrorInvalidValue;
	}
	/* Both have their members at one place. */
	CUdeviceptr address = word->waitValue.address;
	if (is_wait(word->operation) && word->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH)
		return cudaErrorNotSupported;
	if (word->waitValue.flags > most || !address ||
	    address % (is_long(word->operation) ? 8 : 4) || !memory_lookup(DEVICE(address), &a) ||
	    a.pool) /* an H200 wants no pool's memory */
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t driver_words(const CUstreamBatchMemOpParams *words, unsigned n, unsigned flags,
			 struct device *device, struct work *ret)
{
	static const struct step quick = {run_batch, ref_batch, unref_batch, false};
	static const struct step slow = {run_batch, ref_batch, unref_batch, true};
	bool waits = false;
	if (flags || (n && !words) || n > MOST_WORDS)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++) {
		cudaError_t error = check_word(&words[i]);
		if (error)
			return error;
		waits = waits || is_wait(words[i].operation);
	}
	struct batch *batch = malloc(sizeof *batch + n * sizeof *words);
	if (!batch)
		return cudaErrorMemoryAllocation;
	batch->refs = 1;
	batch->device = device;
	batch->n = n;
	batch->flags = flags;
	for (unsigned i = 0; i < n; i++)
		batch->words[i] = words[i];
	*ret = (struct work){
		.kind = WORK_STEP, .device = device, .step = {waits ? &slow : &quick, batch}};
	return cudaSuccess;
}

void driver_words_of(const struct work *work, CUDA_BATCH_MEM_OP_NODE_PARAMS *ret)
{
	struct batch *batch = work->step.state;
	*ret = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = (CUcontext)context_primary(batch->device),
					       .count = batch->n,
					       .paramArray = batch->words,
					       .flags = batch->flags};
}

/* ---- streams -------------------------------------------------------------------------------- */

/* For tools: what waits for a word is after the last operation that was to write it, as far as
 * that was submitted first. */
static pthread_mutex_t writers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash writers; /* from addresses to operations' numbers */

static void note_writer(const CUstreamBatchMemOpParams *words, unsigned n, uint64_t operation)
{
	pthread_mutex_lock(&writers_lock);
	for (unsigned i = 0; i < n; i++)
		if (!is_wait(words[i].operation) && !is_barrier(words[i].operation))
			hash_put(&writers, DEVICE(words[i].writeValue.address),
				 (void *)(uintptr_t)operation);
	pthread_mutex_unlock(&writers_lock);
}

static void announce_writers(const CUstreamBatchMemOpParams *words, unsigned n,
			     const struct stream *stream)
{
	for (unsigned i = 0; i < n; i++) {
		struct cudasim_order_event order = {
			.kind = CUDASIM_ORDER_STREAM_AFTER,
			.device = stream->device->ordinal,
			.stream = stream->legacy ? 0 : stream->id,
		};
		if (!is_wait(words[i].operation))
			continue;
		pthread_mutex_lock(&writers_lock);
		order.after = (uintptr_t)hash_get(&writers, DEVICE(words[i].waitValue.address));
		pthread_mutex_unlock(&writers_lock);
		if (order.after)
			observe_order(&order);
	}
}

/* Takes the work over. */
static cudaError_t submit_now(struct stream *stream, const CUstreamBatchMemOpParams *words,
			      unsigned n, const struct work *work)
{
	struct operation *operation;
	announce_writers(words, n, stream);
	cudaError_t error = stream_submit(stream, work, NULL, &operation);
	if (error)
		return error;
	note_writer(words, n, operation->id);
	operation_unref(operation);
	return cudaSuccess;
}

static cudaError_t submit(CUstream handle, const CUstreamBatchMemOpParams *words, unsigned n,
			  unsigned flags)
{
	struct stream *stream;
	struct work work;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return error;
	error = driver_words(words, n, flags, stream->device, &work);
	if (!error && stream_capturing(stream))
		error = capture_add_node(stream,
					 (enum cudaGraphNodeType)CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
					 &work, NULL, NULL);
	else if (!error)
		error = submit_now(stream, words, n, &work);
	stream_unref(stream);
	return error;
}

CUresult CUDAAPI cuStreamBatchMemOp(CUstream s, unsigned n, CUstreamBatchMemOpParams *words,
				    unsigned flags)
{
	API_BEGIN;
	DRIVER_CONTEXT;
	return (CUresult)API_END(submit(s, words, n, flags));
}

#define WORD(name, type, operation_, member, value_)                                               \
	CUresult CUDAAPI name(CUstream s, CUdeviceptr address, type value, unsigned flags)         \
	{                                                                                          \
		API_BEGIN;                                                                         \
		DRIVER_CONTEXT;                                                                    \
		CUstreamBatchMemOpParams word = {.member = {.operation = operation_,               \
							    .address = address,                    \
							    .value_ = value,                       \
							    .flags = flags}};                      \
		return (CUresult)API_END(submit(s, &word, 1, 0));                                  \
	}
WORD(cuStreamWaitValue32, cuuint32_t, CU_STREAM_MEM_OP_WAIT_VALUE_32, waitValue, value)
WORD(cuStreamWaitValue64, cuuint64_t, CU_STREAM_MEM_OP_WAIT_VALUE_64, waitValue, value64)
WORD(cuStreamWriteValue32, cuuint32_t, CU_STREAM_MEM_OP_WRITE_VALUE_32, writeValue, value)
WORD(cuStreamWriteValue64, cuuint64_t, CU_STREAM_MEM_OP_WRITE_VALUE_64, writeValue, value64)
