/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "memcheck_access.h"

#include <inttypes.h>
#include <link.h>
#include <stdatomic.h>

#include "allocation.h"
#include "memcheck.h"
#include "memory_map.h"
#include "variable.h"

enum { NULL_PAGE = 4096 };

/* ---- global memory ----------------------------------------------------------- */

struct object_query {
	uint64_t address;
	bool found, writable;
	uint64_t low, end; /* what else the answer is right for */
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object_query *q = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + p->p_vaddr, end = low + p->p_memsz;
		if (q->address < low || q->address >= end)
			continue;
		if (p->p_type == PT_LOAD || p->p_type == PT_GNU_RELRO) {
			q->found = true;
			q->writable = p->p_type == PT_LOAD && (q->writable || p->p_flags & PF_W);
			q->low = low;
			q->end = end;
		}
		if (p->p_type == PT_GNU_RELRO)
			return 1;
	}
	return 0;
}

static struct object_query object_at(uint64_t address)
{
	struct object_query q = {.address = address};
	dl_iterate_phdr(look_at_object, &q);
	return q;
}

/* Constants that the compiler has put beside the code: strings, tables, vtables. The device's
 * own descriptors and tables stand there, too, never anything that can be written. A launch's objects
 * stay where they are while it runs, so the answer is kept: asking goes through all objects of the process. */
static bool is_constant_data(const struct cudasim_launch *launch, uint64_t low, uint64_t end)
{
	static _Thread_local struct {
		uint64_t launch, low, end;
	} last __attribute__((tls_model("initial-exec")));
	if (last.launch == launch->id && low >= last.low && end <= last.end)
		return true;
	struct object_query q = object_at(low);
	if (!q.found || q.writable || end > q.end)
		return false;
	last.launch = launch->id;
	last.low = q.low;
	last.end = q.end;
	return true;
}

bool memcheck_is_constant(const struct cudasim_launch *launch, uint64_t low, uint64_t end)
{
	uint64_t params = (uint64_t)(uintptr_t)launch->params;
	return (low >= params && end <= params + launch->kernel->params_size) ||
	       is_constant_data(launch, low, end);
}

/* Memory of the program's that is no device memory: is it readable at all? */
static bool is_host_memory(uint64_t address)
{
	char byte;
	return cudasim_memory_read((const void *)(uintptr_t)address, &byte, 1) == 1;
}

/* Another thread of the block whose stack holds the address, or NULL. */
static struct cudasim_thread *stack_owner(struct cudasim_thread *thread, uint64_t address)
{
	for (uint32_t i = 0; i < cudasim_block_size(thread->block); i++) {
		struct cudasim_thread *t = cudasim_block_thread(thread->block, i);
		uint64_t low, high, used;
		cudasim_thread_stack(t, &low, &high, &used);
		if (t != thread && address >= low && address < high)
			return t;
	}
	return NULL;
}

/* A block of the same cluster whose window holds the bytes. */
static bool in_cluster(struct cudasim_thread *thread, uint64_t address, uint64_t size)
{
	struct cudasim_block *blocks[64];
	const uint32_t *c = thread->block->cluster_nctaid;
	if (c[0] * c[1] * c[2] <= 1)
		return false;
	size_t n = cudasim_blocks(thread->block->launch, blocks, 64);
	for (size_t i = 0; i < n && i < 64; i++) {
		uint64_t low = (uint64_t)(uintptr_t)blocks[i]->shared;
		if (address >= low && address + size <= low + blocks[i]->shared_bytes)
			return true;
	}
	return false;
}

/* Elements of an access's size or a small multiple of it (structures), counted by an index of
 * 32 bits that overflowed: the address lies as far before the one that was meant. */
static bool is_overflow(uint64_t a, uint64_t size, struct allocation *meant)
{
	enum { MULTIPLES = 16 };
	bool inside;
	for (uint64_t k = 1; k <= MULTIPLES; k++)
		if (allocation_find((const void *)(uintptr_t)(a + (k * size << 32)), meant,
				    &inside) &&
		    inside && !meant->freed)
			return true;
	return false;
}

/* Memory that the map knows, or the null pointer. False: state says nothing that explains it. */
static bool describe_known(struct finding *f, enum memory_state state,
			   const struct memory_range *range, uint64_t a, bool write)
{
	if (a < NULL_PAGE) {
		f->kind = "null-pointer";
		f->address = NULL;
		memcheck_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
		memcheck_line(f, "and is a null pointer%s", a ? " with an offset" : "");
		return true;
	}
	if (state == MEMORY_FREED) {
		f->kind = "use-after-free";
		memcheck_line(f, "Access to 0x%" PRIx64 " is in memory that has been freed", a);
		memcheck_place(f, a, range->start, range->end - range->start, "the allocation");
		return true;
	}
	if (state == MEMORY_CONSTANT && write) {
		f->kind = "write-to-constant";
		memcheck_line(f,
			      "Access to 0x%" PRIx64 " writes to memory that kernels may only read",
			      a);
		return true;
	}
	if (state == MEMORY_FORBIDDEN) {
		f->kind = "no-access";
		f->remedy = "cudaMemPoolSetAccess() gives a device access to a pool of host memory";
		memcheck_line(f,
			      "Access to 0x%" PRIx64
			      " is in a host pool's memory, to which no device "
			      "has access",
			      a);
		memcheck_place(f, a, range->start, range->end - range->start, "the allocation");
		return true;
	}
	return false;
}

/* An address that is in no memory of the device. */
static void describe_outside(struct finding *f, struct cudasim_thread *thread, uint64_t a,
			     uint64_t size)
{
	struct allocation near;
	bool inside;
	bool known = allocation_find(f->address, &near, &inside) && !near.freed;
	if (stack_owner(thread, a)) {
		f->kind = "local-of-other-thread";
		f->address = NULL;
		memcheck_line(f, "Access to 0x%" PRIx64 " is in the local memory of another thread",
			      a);
		return;
	}
	if (!known && is_overflow(a, size, &near)) {
		f->address = near.memory.address;
		memcheck_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
		memcheck_place(f, a, (uint64_t)(uintptr_t)near.memory.address, near.memory.size,
			       "an allocation");
		memcheck_line(f,
			      "An index of 32 bits may have overflowed: 2^32 elements further on "
			      "is inside it");
		return;
	}
	if (!known && is_host_memory(a)) {
		f->kind = "host-pointer";
		f->remedy = "Memory of cudaMalloc() or cudaMallocManaged() is the device's, too; "
			    "cudaMemcpy() takes values there";
		f->address = NULL;
		memcheck_line(f,
			      "Access to 0x%" PRIx64
			      " is in host memory that the device cannot access",
			      a);
		return;
	}
	memcheck_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
	if (known)
		memcheck_place(f, a, (uint64_t)(uintptr_t)near.memory.address, near.memory.size,
			       "the nearest allocation");
	else
		f->address = NULL;
}

/* What was there, as the map has it. */
static enum memory_state describe_global(struct finding *f, struct cudasim_thread *thread,
					 uint64_t a, uint64_t size, bool write)
{
	struct memory_range range;
	enum memory_state state = memory_map_state(a, &range);
	f->address = (const void *)(uintptr_t)a;
	if (describe_known(f, state, &range, a, write))
		return state;
	f->kind = "out-of-bounds";
	if (state == MEMORY_NONE) {
		describe_outside(f, thread, a, size);
		return state;
	}
	/* It begins inside and ends behind. */
	memcheck_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
	memcheck_line(f,
		      "and its last %" PRIu64 " bytes are after the allocation at 0x%" PRIx64
		      " of size %" PRIu64 " bytes",
		      a + size - range.end, range.start, range.end - range.start);
	return state;
}

/* Memory whose loss could end the program before its findings are printed: malloc()'s, a host
 * thread's stack. Neighbours of variables are variables, and neighbours of stacks are stacks of
 * other threads of the kernel. */
static bool is_of_host(struct cudasim_thread *thread, uint64_t a)
{
	return !cudasim_memory_is_cuda((const void *)(uintptr_t)a) && !object_at(a).found &&
	       !stack_owner(thread, a) && is_host_memory(a);
}

__attribute__((noinline, cold)) static enum cudasim_verdict
bad_global(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	bool write = access->what & CUDASIM_ACCESS_STORE;
	const struct cudasim_launch *launch = thread->block->launch;
	uint64_t params = (uint64_t)(uintptr_t)launch->params;
	uint64_t workspace = (uint64_t)(uintptr_t)launch->workspace;
	if (a >= params && a + access->size <= params + launch->kernel->params_size)
		return CUDASIM_GO;
	if (a >= workspace && a + access->size <= workspace + launch->workspace_bytes)
		return CUDASIM_GO;
	if (memcheck_told_by_bounds(access))
		return CUDASIM_GO;
	if ((!write && is_constant_data(launch, a, a + access->size)) ||
	    in_cluster(thread, a, access->size))
		return CUDASIM_GO;
	struct finding f = {0};
	enum memory_state state = describe_global(&f, thread, a, access->size, write);
	enum cudasim_verdict verdict = memcheck_tell(&f, thread, access);
	bool harms = write && state == MEMORY_NONE && is_of_host(thread, a);
	return verdict == CUDASIM_GO && harms ? CUDASIM_ABORT : verdict;
}

/* ---- shared and local memory -------------------------------------------------- */

bool memcheck_fits_shared(const struct cudasim_block *block, uint64_t offset, uint64_t size)
{
	const struct cudasim_kernel *kernel = block->launch->kernel;
	if (offset >= block->dynamic_shared_offset)
		return offset + size <=
		       block->dynamic_shared_offset + (uint64_t)block->dynamic_shared_bytes;
	for (uint32_t i = 0; i < kernel->n_shared; i++) {
		const struct cudasim_shared *s = &kernel->shared[i];
		if (offset >= s->offset && offset + size <= (uint64_t)s->offset + s->size)
			return true;
	}
	return false;
}

__attribute__((noinline, cold)) static enum cudasim_verdict
bad_shared(struct cudasim_thread *thread, const struct cudasim_access *access, uint64_t offset)
{
	const struct cudasim_block *block = thread->block;
	uint64_t end = block->dynamic_shared_offset + (uint64_t)block->dynamic_shared_bytes;
	struct finding f = {.kind = "out-of-bounds"};
	if (memcheck_told_by_bounds(access) ||
	    in_cluster(thread, (uint64_t)(uintptr_t)access->address, access->size))
		return CUDASIM_GO;
	memcheck_line(&f, "Access to 0x%" PRIx64 " is out of bounds", offset);
	struct variable nearest = {.words = ""};
	bool named = variable_shared(block, offset, &nearest);
	if (offset + access->size > end && block->dynamic_shared_bytes)
		memcheck_line(&f,
			      "and is after the %u bytes of dynamic shared memory of this launch",
			      block->dynamic_shared_bytes);
	else if (named)
		memcheck_place(&f,
			       offset < nearest.begin + nearest.size ? offset + access->size - 1
								     : offset,
			       nearest.begin, nearest.size, nearest.words);
	else if (!block->dynamic_shared_bytes)
		memcheck_line(&f, "and the launch gave no dynamic shared memory");
	return memcheck_tell(&f, thread, access);
}

/* In the frame of a function that has returned: below the stack pointer. */
static enum cudasim_verdict check_local(struct cudasim_thread *thread,
					const struct cudasim_access *access)
{
	uint64_t low, high, used, a = (uint64_t)(uintptr_t)access->address;
	cudasim_thread_stack(thread, &low, &high, &used);
	if (a >= used || a < low)
		return CUDASIM_GO;
	struct finding f = {.kind = "use-after-return"};
	memcheck_line(&f, "Access to 0x%" PRIx64 " is in the frame of a function that has returned",
		      a);
	return memcheck_tell(&f, thread, access);
}

__attribute__((noinline, cold)) static enum cudasim_verdict
misaligned(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	struct finding f = {.kind = "misaligned"};
	struct allocation near;
	bool inside;
	bool shared = access->space == CUDASIM_SPACE_SHARED;
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	memcheck_line(&f, "Access to 0x%" PRIx64 " is misaligned",
		      shared ? a - (uint64_t)(uintptr_t)thread->block->shared : a);
	if (access->space == CUDASIM_SPACE_GLOBAL &&
	    allocation_find(access->address, &near, &inside)) {
		f.address = access->address;
		memcheck_place(&f, a, (uint64_t)(uintptr_t)near.memory.address, near.memory.size,
			       "the nearest allocation");
	}
	memcheck_line(&f, "The GPU needs a multiple of %u", access->alignment);
	return memcheck_tell(&f, thread, access);
}

/* ---- accesses, from access.c ------------------------------------------------- */

enum cudasim_verdict memcheck_misaligned(struct cudasim_thread *thread,
					 const struct cudasim_access *access)
{
	return misaligned(thread, access);
}

enum cudasim_verdict memcheck_global(struct cudasim_thread *thread,
				     const struct cudasim_access *access, struct shadow_page *page)
{
	const struct memory_range *r = memory_map_find((uint64_t)(uintptr_t)access->address,
						       access->size,
						       access->what & CUDASIM_ACCESS_STORE);
	if (!r)
		return bad_global(thread, access);
	if (page)
		atomic_store_explicit(&page->range, r, memory_order_release);
	return CUDASIM_GO;
}

enum cudasim_verdict memcheck_shared(struct cudasim_thread *thread,
				     const struct cudasim_access *access)
{
	uint64_t offset = (uint64_t)((uintptr_t)access->address - (uintptr_t)thread->block->shared);
	if (__builtin_expect(memcheck_fits_shared(thread->block, offset, access->size), 1))
		return CUDASIM_GO;
	return bad_shared(thread, access, offset);
}

enum cudasim_verdict memcheck_local(struct cudasim_thread *thread,
				    const struct cudasim_access *access)
{
	return check_local(thread, access);
}

/* The array that the code names is left, whatever lies there. */
enum cudasim_verdict memcheck_bounds(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_bounds *bounds)
{
	const struct cudasim_access *access = &bounds->access;
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	uint64_t base = (uint64_t)(uintptr_t)bounds->variable;
	uint64_t shared = (uint64_t)(uintptr_t)thread->block->shared;
	struct finding f = {.kind = "out-of-bounds"};
	(void)tool;
	struct variable named;
	const char *words = access->declared_space == 5 ? "the __local__ variable that it names"
							: "the variable that it names";
	if (access->declared_space == 3) { /* NVVM's number of shared memory */
		a -= shared;
		base -= shared;
		if (variable_shared(thread->block, base, &named))
			words = named.words;
	} else if (variable_global(bounds->variable, &named)) {
		words = named.words;
	}
	/* Only its last bytes may be outside. */
	uint64_t at = a < base || a >= base + bounds->variable_bytes ? a : a + access->size - 1;
	memcheck_line(&f, "Access to 0x%" PRIx64 " is out of bounds", a);
	memcheck_place(&f, at, base, bounds->variable_bytes, words);
	enum cudasim_verdict verdict = memcheck_tell(&f, thread, access);
	memcheck_tell_bounds(access);
	return verdict;
}
