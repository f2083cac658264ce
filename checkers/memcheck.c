/* SPDX-License-Identifier: Apache-2.0 */
/* memcheck.c - accesses to memory that is not there for them.
 *
 * While it watches, allocations lie apart (cudasim_memory_apart()): what runs over the end of
 * one meets nobody's memory, not the next one; freed memory stays freed for long. So a launch
 * can go on behind a finding wherever there is memory to go on with. Which object an address
 * was computed from is known where the code names it (an array that is indexed): bounds().
 * Where only a pointer is there, an access that strides over the gap into another allocation
 * remains unseen.
 *
 * A fault that no access has explained (a trap, a failed assert, a stack that is full) is
 * reported, too. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/access.h"
#include "checkers/allocation.h"
#include "checkers/finding.h"
#include "checkers/memory_map.h"

enum { NULL_PAGE = 4096 };
#define QUARANTINE (1ull << 30)

/* ---- start, and what memory there is ---------------------------------------- */

static bool start(void)
{
	cudasim_memory_apart(checker_options.padding, QUARANTINE);
	return memory_map_start();
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	return checker_launch(launch) ? CUDASIM_WANT_ACCESS | CUDASIM_WANT_STACK : 0;
}

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	memory_map_add(memory->address, memory->size, MEMORY_LIVE);
}

static void freed(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	memory_map_free(memory->address);
}

/* A module's variables on a device, once that device has them. */
static void add_variables(const struct cudasim_module *module, uint32_t device)
{
	char *base = module->variables_base ? module->variables_base[device] : NULL;
	struct memory_range range;
	if (!base || !module->n_variables)
		return;
	if (memory_map_state((uint64_t)(uintptr_t)(base + module->variables[0].offset), &range))
		return; /* were added before */
	for (uint64_t i = 0; i < module->n_variables; i++) {
		const struct cudasim_variable *v = &module->variables[i];
		void *address = base + v->offset;
		if (v->flags & CUDASIM_VARIABLE_MANAGED) {
			/* The slot is read by the code, the storage by the program. */
			memory_map_add(address, sizeof(void *), MEMORY_CONSTANT);
			memcpy(&address, address, sizeof address);
		}
		memory_map_add(address, v->size, v->flags & CUDASIM_VARIABLE_CONSTANT
						 ? MEMORY_CONSTANT : MEMORY_LIVE);
	}
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct cudasim_module *const *modules;
	size_t n;
	(void)tool;
	pthread_mutex_lock(&lock);
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++)
		add_variables(modules[i], launch->device);
	pthread_mutex_unlock(&lock);
}

/* ---- words ------------------------------------------------------------------ */

static const char *space_word(enum cudasim_space space)
{
	switch (space) {
	case CUDASIM_SPACE_SHARED: return "__shared__";
	case CUDASIM_SPACE_LOCAL: return "__local__";
	case CUDASIM_SPACE_CONSTANT: return "__constant__";
	default: return "__global__";
	}
}

static const char *verb_word(uint32_t what)
{
	if (what & CUDASIM_ACCESS_ATOMIC)
		return "atomic";
	return what & CUDASIM_ACCESS_STORE ? "write" : "read";
}

static void add_line(struct finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_line(struct finding *f, const char *format, ...)
{
	size_t n = strlen(f->detail);
	va_list list;
	if (n + 2 >= sizeof f->detail)
		return;
	if (n)
		f->detail[n++] = '\n';
	va_start(list, format);
	vsnprintf(f->detail + n, sizeof f->detail - n, format, list);
	va_end(list);
}

/* Where the address lies as seen from the range [start, start + size). */
static void add_place(struct finding *f, uint64_t a, uint64_t begin, uint64_t size,
		      const char *what)
{
	uint64_t end = begin + size;
	if (a >= end)
		add_line(f, "and is %" PRIu64 " bytes after %s at 0x%" PRIx64 " of size %" PRIu64
			 " bytes", a - end + 1, what, begin, size);
	else if (a < begin)
		add_line(f, "and is %" PRIu64 " bytes before %s at 0x%" PRIx64 " of size %" PRIu64
			 " bytes", begin - a, what, begin, size);
	else
		add_line(f, "and is inside %s at 0x%" PRIx64 " of size %" PRIu64 " bytes", what,
			 begin, size);
}

/* The access that bounds() has told of last: it follows. */
static _Thread_local struct {
	const struct cudasim_site *site;
	const void *by_bounds; /* its address */
} reported;

/* Launches and places that findings were told of, so that the fault that follows is not told
 * twice; it comes on another pthread with some engines. A place in the table has the last one. */
static _Atomic uint64_t told_of[1024];

static uint64_t told_key(uint64_t launch, const struct cudasim_site *site)
{
	return (launch << 40 ^ (uint64_t)(uintptr_t)site) * 0x9e3779b97f4a7c15u | 1;
}

static void set_told(uint64_t launch, const struct cudasim_site *site)
{
	uint64_t key = told_key(launch, site);
	atomic_store_explicit(&told_of[key >> 54], key, memory_order_relaxed);
}

static bool is_told(uint64_t launch, const struct cudasim_site *site)
{
	uint64_t key = told_key(launch, site);
	return atomic_load_explicit(&told_of[key >> 54], memory_order_relaxed) == key;
}

static bool told_by_bounds(const struct cudasim_access *access)
{
	bool told = reported.by_bounds && reported.by_bounds == access->address &&
		    reported.site == access->site;
	reported.by_bounds = NULL;
	return told;
}

static enum cudasim_verdict tell(struct finding *f, struct cudasim_thread *thread,
				 const struct cudasim_access *access)
{
	f->tool = CHECKER_MEMCHECK;
	f->severity = FINDING_ERROR;
	f->launch = thread->block->launch;
	f->thread = thread;
	finding_side_of(&f->side, thread);
	if (access) {
		f->side.site = access->site;
		f->side.what = access->what & 0xff;
		f->side.size = access->size;
		if (!*f->title)
			snprintf(f->title, sizeof f->title,
				 "Invalid %s %s of size %" PRIu64 " bytes",
				 space_word(access->space), verb_word(access->what), access->size);
	}
	reported.site = f->side.site;
	set_told(f->launch->id, f->side.site);
	return finding_report(f);
}

/* ---- global memory ----------------------------------------------------------- */

struct object_query {
	uint64_t address;
	bool found, writable;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object_query *q = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + p->p_vaddr;
		if (q->address < low || q->address >= low + p->p_memsz)
			continue;
		if (p->p_type == PT_LOAD) {
			q->found = true;
			q->writable = q->writable || p->p_flags & PF_W;
		} else if (p->p_type == PT_GNU_RELRO) {
			q->found = true;
			q->writable = false;
			return 1;
		}
	}
	return 0;
}

/* Constants that the compiler has put beside the code: strings, tables, vtables. The device's
 * own descriptors and tables stand there, too, never anything that can be written. */
static bool is_constant_data(uint64_t address)
{
	struct object_query q = {.address = address};
	dl_iterate_phdr(look_at_object, &q);
	return q.found && !q.writable;
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

static void describe_global(struct finding *f, struct cudasim_thread *thread, uint64_t a,
			    uint64_t size, bool write)
{
	struct memory_range range;
	struct allocation near;
	bool inside;
	enum memory_state state = memory_map_state(a, &range);
	f->address = (const void *)(uintptr_t)a;
	if (a < NULL_PAGE) {
		f->kind = "null-pointer";
		f->address = NULL;
		add_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
		add_line(f, "and is a null pointer%s", a ? " with an offset" : "");
		return;
	}
	if (state == MEMORY_FREED) {
		f->kind = "use-after-free";
		add_line(f, "Access to 0x%" PRIx64 " is in memory that has been freed", a);
		add_place(f, a, range.start, range.end - range.start, "the allocation");
		return;
	}
	if (state == MEMORY_CONSTANT && write) {
		f->kind = "write-to-constant";
		add_line(f, "Access to 0x%" PRIx64 " writes to memory that kernels may only read", a);
		return;
	}
	f->kind = "out-of-bounds";
	if (state != MEMORY_NONE) { /* begins inside, ends behind */
		add_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
		add_line(f, "and its last %" PRIu64 " bytes are after the allocation at 0x%" PRIx64
			 " of size %" PRIu64 " bytes", a + size - range.end, range.start,
			 range.end - range.start);
		return;
	}
	bool known = allocation_find(f->address, &near, &inside) && !near.freed;
	if (stack_owner(thread, a)) {
		f->kind = "local-of-other-thread";
		f->address = NULL;
		add_line(f, "Access to 0x%" PRIx64 " is in the local memory of another thread", a);
		return;
	}
	if (!known && is_host_memory(a)) {
		f->kind = "host-pointer";
		f->address = NULL;
		add_line(f, "Access to 0x%" PRIx64 " is in host memory that the device cannot access",
			 a);
		return;
	}
	add_line(f, "Access to 0x%" PRIx64 " is out of bounds", a);
	if (known)
		add_place(f, a, (uint64_t)(uintptr_t)near.memory.address, near.memory.size,
			  "the nearest allocation");
	else
		f->address = NULL;
}

__attribute__((noinline, cold))
static enum cudasim_verdict bad_global(struct cudasim_thread *thread,
				       const struct cudasim_access *access)
{
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	bool write = access->what & CUDASIM_ACCESS_STORE;
	const struct cudasim_launch *launch = thread->block->launch;
	uint64_t params = (uint64_t)(uintptr_t)launch->params;
	if (a >= params && a + access->size <= params + launch->kernel->params_size)
		return CUDASIM_GO;
	if (told_by_bounds(access))
		return CUDASIM_GO;
	if ((!write && is_constant_data(a)) || in_cluster(thread, a, access->size))
		return CUDASIM_GO;
	struct finding f = {0};
	describe_global(&f, thread, a, access->size, write);
	return tell(&f, thread, access);
}

/* ---- shared and local memory -------------------------------------------------- */

/* Whether the bytes at the offset are of one variable of the kernel's, or of the dynamic part. */
static bool fits_shared(const struct cudasim_block *block, uint64_t offset, uint64_t size)
{
	const struct cudasim_kernel *kernel = block->launch->kernel;
	if (offset >= block->dynamic_shared_offset)
		return offset + size <= block->dynamic_shared_offset +
					(uint64_t)block->dynamic_shared_bytes;
	for (uint32_t i = 0; i < kernel->n_shared; i++) {
		const struct cudasim_shared *s = &kernel->shared[i];
		if (offset >= s->offset && offset + size <= (uint64_t)s->offset + s->size)
			return true;
	}
	return false;
}

__attribute__((noinline, cold))
static enum cudasim_verdict bad_shared(struct cudasim_thread *thread,
				       const struct cudasim_access *access, uint64_t offset)
{
	const struct cudasim_block *block = thread->block;
	const struct cudasim_kernel *kernel = block->launch->kernel;
	uint64_t end = block->dynamic_shared_offset + (uint64_t)block->dynamic_shared_bytes;
	struct finding f = {.kind = "out-of-bounds"};
	if (told_by_bounds(access) ||
	    in_cluster(thread, (uint64_t)(uintptr_t)access->address, access->size))
		return CUDASIM_GO;
	add_line(&f, "Access to 0x%" PRIx64 " is out of bounds", offset);
	const struct cudasim_shared *nearest = NULL;
	for (uint32_t i = 0; i < kernel->n_shared; i++)
		if (kernel->shared[i].size && kernel->shared[i].offset <= offset &&
		    (!nearest || kernel->shared[i].offset > nearest->offset))
			nearest = &kernel->shared[i];
	if (offset + access->size > end && block->dynamic_shared_bytes)
		add_line(&f, "and is behind the %u bytes of dynamic shared memory of this launch",
			 block->dynamic_shared_bytes);
	else if (nearest)
		add_place(&f, offset + (offset < nearest->offset + (uint64_t)nearest->size
					? access->size - 1 : 0), nearest->offset, nearest->size,
			  "the nearest __shared__ variable");
	else if (!block->dynamic_shared_bytes)
		add_line(&f, "and the launch gave no dynamic shared memory");
	return tell(&f, thread, access);
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
	add_line(&f, "Access to 0x%" PRIx64 " is in the frame of a function that has returned", a);
	return tell(&f, thread, access);
}

__attribute__((noinline, cold))
static enum cudasim_verdict misaligned(struct cudasim_thread *thread,
				       const struct cudasim_access *access)
{
	struct finding f = {.kind = "misaligned"};
	struct allocation near;
	bool inside;
	bool shared = access->space == CUDASIM_SPACE_SHARED;
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	add_line(&f, "Access to 0x%" PRIx64 " is misaligned",
		 shared ? a - (uint64_t)(uintptr_t)thread->block->shared : a);
	if (access->space == CUDASIM_SPACE_GLOBAL &&
	    allocation_find(access->address, &near, &inside)) {
		f.address = access->address;
		add_place(&f, a, (uint64_t)(uintptr_t)near.memory.address, near.memory.size,
			  "the nearest allocation");
	}
	add_line(&f, "The GPU needs a multiple of %u", access->alignment);
	return tell(&f, thread, access);
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
	if (__builtin_expect(fits_shared(thread->block, offset, access->size), 1))
		return CUDASIM_GO;
	return bad_shared(thread, access, offset);
}

enum cudasim_verdict memcheck_local(struct cudasim_thread *thread,
				    const struct cudasim_access *access)
{
	return check_local(thread, access);
}

/* The array that the code names is left, whatever lies there. */
static enum cudasim_verdict on_bounds(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_bounds *bounds)
{
	const struct cudasim_access *access = &bounds->access;
	uint64_t a = (uint64_t)(uintptr_t)access->address;
	uint64_t base = (uint64_t)(uintptr_t)bounds->variable;
	uint64_t shared = (uint64_t)(uintptr_t)thread->block->shared;
	struct finding f = {.kind = "out-of-bounds"};
	(void)tool;
	if (access->declared_space == 3) { /* NVVM's number of shared memory */
		a -= shared;
		base -= shared;
	}
	/* Only its last bytes may be outside. */
	uint64_t at = a < base || a >= base + bounds->variable_bytes ? a : a + access->size - 1;
	add_line(&f, "Access to 0x%" PRIx64 " is out of bounds", a);
	add_place(&f, at, base, bounds->variable_bytes, "the variable that it names");
	enum cudasim_verdict verdict = tell(&f, thread, access);
	reported.by_bounds = access->address;
	return verdict;
}

/* ---- what else goes wrong ------------------------------------------------------ */

static void bad_free(void *tool, const struct cudasim_memory *memory)
{
	struct finding f = {
		.tool = CHECKER_MEMCHECK, .severity = FINDING_ERROR, .address = memory->address,
	};
	struct memory_range range;
	uint64_t a = (uint64_t)(uintptr_t)memory->address;
	enum memory_state state = memory_map_state(a, &range);
	(void)tool;
	if (state == MEMORY_FREED && range.start == a) {
		f.kind = "double-free";
		add_line(&f, "0x%" PRIx64 " has been freed before", a);
	} else {
		f.kind = "invalid-free";
		if (state == MEMORY_LIVE && range.start != a)
			add_line(&f, "0x%" PRIx64 " is %" PRIu64 " bytes into an allocation, not its "
				 "begin", a, a - range.start);
		else if (state == MEMORY_LIVE)
			add_line(&f, "0x%" PRIx64 " was allocated in another way", a);
		else
			add_line(&f, "0x%" PRIx64 " was not allocated", a);
	}
	snprintf(f.title, sizeof f.title, "%s %s", memory->thread
		 ? "Malloc/Free Error encountered: " : "",
		 !strcmp(f.kind, "double-free") ? "Double free" : "Invalid pointer to free");
	memmove(f.title, f.title + (f.title[0] == ' '), strlen(f.title) + (f.title[0] != ' '));
	if (memory->thread) {
		struct cudasim_access at = {.site = memory->site};
		tell(&f, memory->thread, &at);
		return;
	}
	f.side = (struct finding_side){.host = true, .function = memory->function};
	if (memory->function)
		snprintf(f.title, sizeof f.title, "%s on CUDA API call to %s",
			 !strcmp(f.kind, "double-free") ? "Double free" : "Invalid free",
			 memory->function);
	finding_report(&f);
}

static void on_fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		     const struct cudasim_fault *fault)
{
	static const struct {
		const char *kind, *title;
	} words[] = {
		[CUDASIM_FAULT_ADDRESS] = {"out-of-bounds", "Illegal address"},
		[CUDASIM_FAULT_MISALIGNED] = {"misaligned", "Misaligned address"},
		[CUDASIM_FAULT_STACK] = {"stack-overflow", "Stack overflow"},
		[CUDASIM_FAULT_TRAP] = {"trap", "Trace/breakpoint trap"},
		[CUDASIM_FAULT_ILLEGAL] = {"illegal-instruction", "Illegal instruction"},
		[CUDASIM_FAULT_ASSERT] = {"assert", "Device-side assert"},
		[CUDASIM_FAULT_TIMEOUT] = {NULL, NULL},
		[CUDASIM_FAULT_DEADLOCK] = {NULL, NULL}, /* synccheck's */
		[CUDASIM_FAULT_HEAP] = {NULL, NULL},     /* bad_free() */
		[CUDASIM_FAULT_BARRIER] = {NULL, NULL},
		[CUDASIM_FAULT_MASK] = {NULL, NULL},
	};
	(void)tool;
	if (!words[fault->kind].kind || !checker_launch(launch))
		return;
	/* By ourselves, for --destroy-on-device-error: that finding has been told. */
	if (fault->kind == CUDASIM_FAULT_TRAP && fault->message &&
	    strstr(fault->message, "a tool has ended the launch"))
		return;
	if ((fault->kind == CUDASIM_FAULT_ADDRESS || fault->kind == CUDASIM_FAULT_MISALIGNED) &&
	    is_told(launch->id, fault->site))
		return;
	struct finding f = {
		.tool = CHECKER_MEMCHECK, .severity = FINDING_ERROR, .kind = words[fault->kind].kind,
		.launch = launch, .thread = thread, .address = fault->address,
	};
	snprintf(f.title, sizeof f.title, "%s", words[fault->kind].title);
	if (thread)
		finding_side_of(&f.side, thread);
	f.side.kernel = launch->kernel;
	f.side.launch_id = launch->id;
	f.side.site = fault->site;
	if (fault->kind == CUDASIM_FAULT_ASSERT && fault->message)
		snprintf(f.detail, sizeof f.detail, "%s", fault->message);
	finding_report(&f);
}

/* ---- copies and sets ------------------------------------------------------------ */

static void bad_copy(const struct cudasim_copy *copy, uint64_t a, uint64_t size, bool write)
{
	struct finding f = {
		.tool = CHECKER_MEMCHECK, .severity = FINDING_ERROR,
		.side = {.host = true, .function = copy->function},
		.address = (const void *)(uintptr_t)a,
	};
	struct memory_range range;
	enum memory_state state = memory_map_state(a, &range);
	f.kind = state == MEMORY_FREED ? "use-after-free" : "out-of-bounds";
	snprintf(f.title, sizeof f.title, "Invalid %s of size %" PRIu64 " bytes by %s",
		 write ? "write" : "read", size, copy->function ? copy->function : "a copy");
	add_line(&f, "Access to 0x%" PRIx64 " is %s", a,
		 state == MEMORY_FREED ? "in memory that has been freed" : "out of bounds");
	if (state != MEMORY_NONE)
		add_place(&f, state == MEMORY_FREED ? a : a + size - 1, range.start,
			  range.end - range.start, "the allocation");
	finding_report(&f);
}

/* One side, row by row. The host's own memory is nobody's: it is not looked at. */
static void check_rows(const struct cudasim_copy *copy, const void *base, uint64_t pitch,
		       uint64_t slice, bool write)
{
	struct memory_range range;
	uint64_t a = (uint64_t)(uintptr_t)base;
	if (!copy->width || !memory_map_state(a, &range))
		return;
	for (uint64_t z = 0; z < copy->depth; z++)
		for (uint64_t y = 0; y < copy->height; y++) {
			uint64_t row = a + z * slice + y * pitch;
			if (memory_map_fits(row, copy->width, false))
				continue;
			bad_copy(copy, row, copy->width, write);
			return;
		}
}

static void on_copy(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	check_rows(copy, copy->to, copy->to_pitch, copy->to_slice, true);
	if (copy->kind == CUDASIM_COPY)
		check_rows(copy, copy->from, copy->from_pitch, copy->from_slice, false);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "memcheck",
	.want = want,
	.launch_begin = launch_begin,
	.bounds = on_bounds,
	.fault = on_fault,
	.allocated = allocated,
	.freed = freed,
	.bad_free = bad_free,
	.copy = on_copy,
};

const struct checker memcheck = {
	.tool = CHECKER_MEMCHECK, .name = "memcheck", .observer = &observer, .start = start,
};
