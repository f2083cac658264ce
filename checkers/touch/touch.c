/* SPDX-License-Identifier: Apache-2.0 */
/* touch.c - what the host's own code does to memory is seen by closing pages to it.
 *
 * The host and the devices have one address space, and pages can be closed to all of it or
 * to nobody. So pages are closed only while no thread is in a call of the CUDA API and no
 * device has anything to do: the first call opens them. For that to be so when the host goes
 * on after a launch, the launch's call waits until it has ended (a GPU's may end at once,
 * too). A device that waits for the host ends the waiting after PATIENCE; after two of those
 * nothing is waited for any more.
 *
 * What is closed:
 * - Of managed, pinned and registered memory the pages all of whose words are used by work
 *   that the host has not waited for: to all where they are written, to writes where they
 *   are read. A page of which only a part is used stays open, for a system call on the rest
 *   would fail: but for allocations that are smaller than a page. What kernels have used is
 *   known from racecheck's cells; a kernel that may tell the host so (fences and atomics of
 *   the system's scope, volatile accesses) is left out.
 * - All memory of the devices.
 * - Managed and pinned memory that has been freed, of the last FREED allocations, while
 *   memcheck keeps it apart and from being given out again.
 *
 * What is touched is compared byte by byte, at the address of the fault. */
#include "touch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "allocation_table.h"
#include "backtrace.h"
#include "finding.h"
#include "race.h"
#include "vector.h"

/* MAX_WAITS: calls that wait for the sake of device memory alone. MAX_FREED: times that freed
 * memory is closed. */
enum { PAGE = 4096, MAX_TOUCHES = 256, MAX_WAITS = 1024, FREED = 8, MAX_FREED = 1 << 16 };
static const uint64_t patience_ns = 5000000000u;
/* Words of cells that are looked through for a process, and bytes of device memory that are
 * closed: what it costs has an end, and one that is the same in every run. */
static const uint64_t max_words = 1ull << 29, max_bytes = 1ull << 38;

/* Pages that are closed, in ascending order of addresses as they were found. */
struct closed {
	uint64_t start, end;
	bool written; /* else read: closed to writes only */
	bool open;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool at_work, own_order;
static VECTOR(struct closed) closed;
static bool device_closed;
static unsigned n_inside;   /* threads in calls */
static unsigned n_timeouts, n_touches, n_freed;
static atomic_uint n_waits;
static uint64_t n_words, n_bytes;
static atomic_bool submitted;   /* something was, since we last waited */
static atomic_bool host_memory; /* there is some that both can touch */

static bool is_on(enum checker_tool tool)
{
	return checker_options.tools[tool] && (tool != CHECKER_APICHECK || checker_options.api_all);
}

/* ---- opening and closing --------------------------------------------------- */

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void open_all(void)
{
	for (size_t i = 0; i < closed.n; i++)
		if (!closed.at[i].open)
			mprotect(at(closed.at[i].start), closed.at[i].end - closed.at[i].start,
				 PROT_READ | PROT_WRITE);
	closed.n = 0;
	if (device_closed)
		cudasim_device_memory_close(false);
	device_closed = false;
}

static void close_pages(uint64_t start, uint64_t end, bool written)
{
	struct closed *last = closed.n ? &closed.at[closed.n - 1] : NULL;
	if (start >= end)
		return;
	if (last && !last->open && last->end == start && last->written == written) {
		last->end = end;
	} else {
		*vector_add(&closed) =
			(struct closed){.start = start, .end = end, .written = written};
	}
}

/* ---- what the devices use ---------------------------------------------------- */

/* How much of one page is used: words, each counted once. */
struct page {
	uint64_t start; /* 0: none yet */
	uint64_t last;  /* the last word that was counted */
	uint32_t n_used, n_written;
	bool last_written;
};

struct scan {
	const struct allocation *a;
	uint64_t begin, end; /* of the allocation */
	bool apart;          /* no other allocation's bytes share its pages */
	struct page page;
};

static void end_page(struct scan *s)
{
	struct page *p = &s->page;
	if (!p->start)
		return;
	uint64_t from = p->start > s->begin ? p->start : s->begin;
	uint64_t to = p->start + PAGE < s->end ? p->start + PAGE : s->end;
	bool whole = from == p->start && to == p->start + PAGE;
	bool small = s->end - s->begin < PAGE;
	uint64_t words = (to + 3) / 4 - from / 4;
	if (!whole && !s->apart)
		p->n_used = 0;
	if (p->n_written && (p->n_written >= words || small))
		close_pages(p->start, p->start + PAGE, true);
	else if (p->n_used && (p->n_used >= words || small))
		close_pages(p->start, p->start + PAGE, false);
	*p = (struct page){0};
}

static void use(struct scan *s, uint64_t address, bool writes)
{
	struct page *p = &s->page;
	uint64_t page = address & ~(uint64_t)(PAGE - 1), word = address & ~(uint64_t)3;
	if (page != p->start)
		end_page(s);
	if (!p->start || word != p->last) {
		p->start = page;
		p->last = word;
		p->last_written = false;
		p->n_used++;
	}
	if (writes && !p->last_written) {
		p->last_written = true;
		p->n_written++;
	}
}

/* The launch of a record, if the host has to wait for it. */
static bool is_open(struct race_record record)
{
	if (race_segment_released(record.segment)) /* of launches that were waited for */
		return false;
	const struct race_launch *l =
		race_launch_at(race_block_name(race_segment(record.segment)->block)->launch);
	return !atomic_load(&l->talks) && !race_order_waited(l);
}

static bool used_by_kernel(void *data, struct race_record record, uint64_t address)
{
	if (is_open(record))
		use(data, address, record.write);
	return true;
}

/* Pages of copies are closed in one piece. */
static void used_by_copy(void *data, const struct race_copy *copy)
{
	struct scan *s = data;
	for (int i = 0; i < 2; i++) {
		uint64_t from = i ? copy->from : copy->to, to = i ? copy->from_end : copy->to_end;
		if (!from || from >= s->end || to <= s->begin)
			continue;
		from = from < s->begin ? s->begin : from;
		to = to > s->end ? s->end : to;
		/* The allocation's own first and last pages are its own, where it is apart. */
		bool small = s->apart && s->end - s->begin < PAGE;
		uint64_t up = (from + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		uint64_t down = to & ~(uint64_t)(PAGE - 1);
		if (s->apart && (from == s->begin || small))
			up = from & ~(uint64_t)(PAGE - 1);
		if (s->apart && (to == s->end || small))
			down = (to + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		close_pages(up, down, i == 0);
	}
}

static bool is_shared_with_host(const struct cudasim_memory *m)
{
	return m->kind == CUDASIM_MEMORY_MANAGED || m->kind == CUDASIM_MEMORY_HOST ||
	       m->kind == CUDASIM_MEMORY_REGISTERED;
}

static void look_at(const struct allocation *a)
{
	struct scan s = {
		.a = a,
		.begin = (uint64_t)(uintptr_t)a->memory.address,
		.apart = a->memory.kind != CUDASIM_MEMORY_REGISTERED &&
			 checker_options.padding >= PAGE,
	};
	s.end = s.begin + a->memory.size;
	if (!is_shared_with_host(&a->memory))
		return;
	if (checker_options.tools[CHECKER_RACECHECK] && race_order_any_open() &&
	    n_words < max_words) {
		n_words += race_shadow_each(a->memory.address, a->memory.size, false,
					    used_by_kernel, &s);
		end_page(&s);
	}
	race_copy_each(used_by_copy, &s);
}

/* While memory lies apart its first and last pages are its own. */
static void close_freed(const struct allocation *a)
{
	uint64_t start = (uint64_t)(uintptr_t)a->memory.address, end = start + a->memory.size;
	if (a->memory.kind == CUDASIM_MEMORY_REGISTERED || !is_shared_with_host(&a->memory) ||
	    n_freed >= MAX_FREED)
		return;
	n_freed++;
	close_pages(start & ~(uint64_t)(PAGE - 1), (end + PAGE - 1) & ~(uint64_t)(PAGE - 1), true);
}

static void close_all(void)
{
	bool used = race_order_any_open() || race_copy_any();
	bool apart = is_on(CHECKER_MEMCHECK) && checker_options.padding >= PAGE;
	if ((used || apart) && atomic_load(&host_memory) && n_touches < MAX_TOUCHES) {
		if (used)
			allocation_each(look_at);
		if (apart)
			allocation_each_freed(FREED, close_freed);
		for (size_t i = 0; i < closed.n; i++)
			mprotect(at(closed.at[i].start), closed.at[i].end - closed.at[i].start,
				 closed.at[i].written ? PROT_NONE : PROT_READ);
	}
	if (is_on(CHECKER_MEMCHECK) && n_bytes < max_bytes && n_touches < MAX_TOUCHES) {
		n_bytes += cudasim_device_memory_close(true);
		device_closed = true;
	}
}

/* ---- what was touched -------------------------------------------------------- */

/* The host's frames from the instruction on that touched. */
static void frames_from(uint64_t pc, uint64_t frames[BACKTRACE_MAX])
{
	int i = 0;
	backtrace_take(frames);
	while (i < BACKTRACE_MAX && frames[i] && frames[i] != pc)
		i++;
	if (i == BACKTRACE_MAX || !frames[i]) {
		frames[0] = pc + 1;
		frames[1] = 0;
		return;
	}
	memmove(frames, frames + i, (size_t)(BACKTRACE_MAX - i) * sizeof *frames);
	if (i)
		frames[BACKTRACE_MAX - i] = 0;
	frames[0]++; /* no return address */
}

struct touch {
	uint64_t address;
	bool write, found;
	const uint64_t *frames;
};

static bool with_kernel(void *data, struct race_record record, uint64_t address)
{
	struct touch *t = data;
	(void)address;
	if (!is_open(record) || (!t->write && !record.write))
		return true;
	t->found = true;
	race_found_by_host(t->write, t->frames, record, t->address);
	return false;
}

static void with_copy(void *data, const struct race_copy *copy)
{
	struct touch *t = data;
	bool to = t->address >= copy->to && t->address < copy->to_end;
	bool from = t->address >= copy->from && t->address < copy->from_end;
	if (t->found || (!to && !(from && t->write)))
		return;
	t->found = true;
	struct finding f = {
		.tool = is_on(CHECKER_APICHECK) ? CHECKER_APICHECK : CHECKER_RACECHECK,
		.severity = FINDING_ERROR,
		.kind = "missing-synchronization",
		.two = true,
		.side = {.host = true,
			 .what = t->write ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD},
		.other = {.host = true,
			  .function = copy->function,
			  .what = to ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD},
		.address = at(t->address),
		.host_frames = t->frames,
	};
	snprintf(f.title, sizeof f.title,
		 "The host %s memory that %s %s, without having waited for it",
		 t->write ? "writes" : "reads",
		 copy->function && *copy->function ? copy->function : "a copy",
		 to ? "writes" : "reads");
	finding_report(&f);
}

static void device_touched(struct touch *t)
{
	struct allocation a;
	bool inside;
	struct finding f = {
		.tool = CHECKER_MEMCHECK,
		.severity = FINDING_ERROR,
		.kind = "device-pointer",
		.side = {.host = true,
			 .what = t->write ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD},
		.address = at(t->address),
		.host_frames = t->frames,
	};
	snprintf(f.title, sizeof f.title, "Device memory %s by the host",
		 t->write ? "written" : "read");
	if (allocation_find(at(t->address), &a, &inside) && inside)
		snprintf(f.detail, sizeof f.detail,
			 "Address %p is in device memory: on a machine with a GPU this is a "
			 "segmentation fault",
			 at(t->address));
	else
		snprintf(f.detail, sizeof f.detail,
			 "Address %p is in device memory, in no allocation", at(t->address));
	finding_report(&f);
}

static void freed_touched(struct touch *t, const struct allocation *a)
{
	uint64_t begin = (uint64_t)(uintptr_t)a->memory.address;
	struct finding f = {
		.tool = CHECKER_MEMCHECK,
		.severity = FINDING_ERROR,
		.kind = "use-after-free",
		.side = {.host = true,
			 .what = t->write ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD},
		.address = at(t->address),
		.host_frames = t->frames,
	};
	snprintf(f.title, sizeof f.title, "Freed %s memory %s by the host",
		 a->memory.kind == CUDASIM_MEMORY_MANAGED ? "managed" : "pinned",
		 t->write ? "written" : "read");
	snprintf(f.detail, sizeof f.detail,
		 "Address %p is %llu bytes into an allocation that has "
		 "been freed",
		 at(t->address), (unsigned long long)(t->address - begin));
	finding_report(&f);
}

static struct closed *find_closed(uint64_t address)
{
	for (size_t i = 0; i < closed.n; i++)
		if (address >= closed.at[i].start && address < closed.at[i].end &&
		    !closed.at[i].open)
			return &closed.at[i];
	return NULL;
}

/* One page of what is closed is open from here on: it becomes up to three pieces. */
static void open_page(struct closed *c, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1), end = c->end;
	bool written = c->written;
	mprotect(at(page), PAGE, PROT_READ | PROT_WRITE);
	c->end = page;
	c->open = c->start == c->end;
	if (page + PAGE < end) {
		size_t n = closed.n;
		close_pages(page + PAGE, end, written);
		if (n == closed.n) /* joined to another one, which is as closed as it was */
			return;
	}
}

static bool touched(const void *address, bool write, uint64_t pc)
{
	uint64_t frames[BACKTRACE_MAX];
	struct touch t = {
		.address = (uint64_t)(uintptr_t)address, .write = write, .frames = frames};
	bool device = false;
	pthread_mutex_lock(&lock);
	struct closed *c = find_closed(t.address);
	bool ours = c != NULL;
	if (c) {
		open_page(c, t.address);
	} else if (device_closed) {
		struct cudasim_memory m;
		bool inside, freed;
		/* What is not known may be anybody's; after this it faults again if it is not
		 * ours. */
		device = cudasim_memory_find(address, &m, &inside, &freed) && !freed && inside &&
			 m.kind == CUDASIM_MEMORY_DEVICE;
		open_all();
		ours = true;
	}
	if (++n_touches >= MAX_TOUCHES)
		open_all();
	pthread_mutex_unlock(&lock);
	if (!ours || backtrace_is_own(pc))
		return ours;
	frames_from(pc, frames);
	if (device) {
		device_touched(&t);
		return true;
	}
	struct allocation a;
	bool inside;
	if (allocation_find(address, &a, &inside) && inside && a.freed) {
		freed_touched(&t, &a);
		return true;
	}
	race_copy_each(with_copy, &t);
	if (!t.found && checker_options.tools[CHECKER_RACECHECK])
		race_shadow_each(address, 1, !write, with_kernel, &t);
	return true;
}

/* ---- events ------------------------------------------------------------------ */

/* Calls that touch no memory of CUDA's, and that programs make often. */
static bool is_question(const char *name)
{
	return !strncmp(name, "cudaGetError", 12) || !strcmp(name, "cudaGetLastError") ||
	       !strcmp(name, "cudaPeekAtLastError");
}

void touch_enter(void *tool, const struct cudasim_api_call *call)
{
	(void)tool;
	if (!at_work || is_question(call->name))
		return;
	pthread_mutex_lock(&lock);
	n_inside++;
	if (closed.n || device_closed)
		open_all();
	pthread_mutex_unlock(&lock);
}

/* Whether the call, which submits work, returns only when that has been done. */
static bool waits(void)
{
	if (n_timeouts >= 2 || !atomic_load(&submitted))
		return false;
	bool device = is_on(CHECKER_MEMCHECK) && n_waits < MAX_WAITS;
	if (!device && !atomic_load(&host_memory))
		return false;
	atomic_fetch_add(&n_waits, 1);
	atomic_store(&submitted, false);
	return true;
}

void touch_leave(void *tool, const struct cudasim_api_call *call)
{
	(void)tool;
	if (!at_work || is_question(call->name))
		return;
	if (waits()) {
		if (!cudasim_wait_idle(patience_ns))
			n_timeouts++;
	}
	pthread_mutex_lock(&lock);
	if (!--n_inside && cudasim_wait_idle(0))
		close_all();
	pthread_mutex_unlock(&lock);
}

void touch_order(void *tool, const struct cudasim_order_event *event)
{
	(void)tool;
	if (event->kind == CUDASIM_ORDER_SUBMIT)
		atomic_store(&submitted, true);
	if (own_order)
		race_order_event(event);
}

void touch_copy(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	if (own_order)
		race_copy_made(copy);
}

void touch_allocated(const struct cudasim_memory *memory)
{
	if (is_shared_with_host(memory))
		atomic_store(&host_memory, true);
}

void touch_start(void)
{
	at_work = is_on(CHECKER_MEMCHECK) || is_on(CHECKER_RACECHECK) || is_on(CHECKER_APICHECK);
	own_order = !is_on(CHECKER_RACECHECK) && is_on(CHECKER_APICHECK);
	if (!at_work)
		return;
	if (!is_on(CHECKER_MEMCHECK))
		cudasim_memory_apart(checker_options.padding, 0);
	cudasim_touch_handle(touched);
}

void touch_finish(void)
{
	if (!at_work)
		return;
	pthread_mutex_lock(&lock);
	at_work = false;
	open_all();
	pthread_mutex_unlock(&lock);
}

/* The child has the parent's pages, closed as they were. */
void touch_forked(void)
{
	if (!at_work)
		return;
	at_work = false;
	pthread_mutex_init(&lock, NULL);
	open_all();
}
