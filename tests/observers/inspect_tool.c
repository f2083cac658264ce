/* SPDX-License-Identifier: Apache-2.0 */
/* Holds thread 5 of inspect.cu at line 10 and writes to stderr what inspect.h
 * says then; expected.txt's inspect section has what it must say. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "symbolizer.h"

static const struct cudasim_observer observer;
static cudasim_symbolize_fn *symbolize;

static const char *state_name(enum cudasim_thread_state state)
{
	static const char *const names[] = { "waiting", "ready", "running", "barrier", "warp",
					     "sleeping", "exited", "faulted" };
	return names[state];
}

static void arm(const struct cudasim_module *module, uint32_t line)
{
	for (uint64_t i = 0; i < module->n_sites; i++) {
		const struct cudasim_site *site = &module->sites[i];
		if (site->line != line)
			continue;
		struct cudasim_error *error = cudasim_site_arm(&observer, site, true);
		if (!error)
			fprintf(stderr, "armed %s:%u\n", site->function, site->line);
		cudasim_error_free(error);
	}
}

/* Modules register while the program is loaded; the observer is known by then. */
static void launch_submit(void *tool, struct cudasim_launch *launch)
{
	int n;
	(void)tool;
	arm(launch->module, 10);
	memcpy(&n, (const char *)launch->params + launch->kernel->params[1].offset, sizeof n);
	fprintf(stderr, "launch %s grid %u block %u n=%d\n", launch->kernel->display,
		launch->grid[0], launch->block[0], n);
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	return CUDASIM_WANT_BODY | CUDASIM_WANT_ORDERED;
}

static enum cudasim_verdict line(void *tool, struct cudasim_thread *thread,
				 const struct cudasim_site *site)
{
	(void)tool;
	if (thread->linear != 5)
		return CUDASIM_GO;
	fprintf(stderr, "thread 5 at line %u\n", site->line);
	return CUDASIM_HOLD;
}

static void show_thread(struct cudasim_block *block, uint32_t linear)
{
	struct cudasim_thread_status s;
	cudasim_thread_status(cudasim_block_thread(block, linear), &s);
	fprintf(stderr, "thread %u %s holds %u line %u", linear, state_name(s.state), s.holds,
		s.site ? s.site->line : 0);
	if (s.state == CUDASIM_THREAD_BARRIER)
		fprintf(stderr, " arrived %u of %u", s.barrier.n_arrived, s.barrier.n_expected);
	fputc('\n', stderr);
}

static void show_frames(struct cudasim_thread *thread)
{
	struct cudasim_frame frames[16];
	size_t n = cudasim_thread_frames(thread, frames, 16);
	for (size_t i = 0; i < n && i < 16; i++) {
		struct cudasim_symbol symbol;
		uint64_t pc = frames[i].exact ? frames[i].pc : frames[i].pc - 1;
		if (symbolize(pc, &symbol, 1) && symbol.line)
			fprintf(stderr, "frame %zu %s line %u\n", i, symbol.function, symbol.line);
	}
}

static void show_stack(struct cudasim_thread *thread)
{
	struct cudasim_frame frame;
	uint64_t low, high, used;
	cudasim_thread_stack(thread, &low, &high, &used);
	size_t n = cudasim_thread_frames(thread, &frame, 1);
	fprintf(stderr, "stack holds the frame: %s\n",
		n && low <= used && used < frame.frame && frame.frame < high ? "yes" : "no");
	fprintf(stderr, "space of the frame: %s\n",
		cudasim_space_of(thread, (void *)(uintptr_t)frame.frame) == CUDASIM_SPACE_LOCAL
			? "local" : "other");
}

static void show_memory(const struct cudasim_launch *launch)
{
	const struct cudasim_variable *variable;
	struct cudasim_memory memory;
	void *address;
	int value = 0, *p;
	bool inside, freed;
	struct cudasim_error *error =
		cudasim_variable_find(launch->module, "table", launch->device, &address, &variable);
	if (!error && cudasim_memory_read((int *)address + 2, &value, sizeof value))
		fprintf(stderr, "table[2] %d size %llu\n", value,
			(unsigned long long)variable->size);
	cudasim_error_free(error);
	error = cudasim_variable_find(NULL, "shelf", launch->device, &address, &variable);
	if (!error && cudasim_memory_read(address, &value, sizeof value))
		fprintf(stderr, "shelf %d\n", value);
	cudasim_error_free(error);
	error = cudasim_variable_find(NULL, "nothing", 0, &address, &variable);
	fprintf(stderr, "nothing: %s\n", error ? error->message : "found");
	cudasim_error_free(error);
	memcpy(&p, launch->params, sizeof p);
	if (cudasim_memory_find(p + 3, &memory, &inside, &freed))
		fprintf(stderr, "p is %llu bytes, inside %d freed %d\n",
			(unsigned long long)memory.size, inside, freed);
	fprintf(stderr, "null can be read: %zu bytes\n", cudasim_memory_read(NULL, &value, 4));
	/* A gigabyte further there is address space of the device without memory. */
	p += 1 << 28;
	fprintf(stderr, "nobody's memory can be read: %zu bytes, written: %zu\n",
		cudasim_memory_read(p, &value, 4), cudasim_memory_write(p, &value, 4));
}

static void held(void *tool, struct cudasim_thread *thread)
{
	struct cudasim_block *block = thread->block, *blocks[4];
	struct cudasim_launch *launches[4];
	struct cudasim_barrier barrier;
	static const uint32_t shown[] = { 0, 4, 5, 6 };
	(void)tool;
	size_t n_launches = cudasim_launches(launches, 4);
	size_t n_blocks = cudasim_blocks(block->launch, blocks, 4);
	fprintf(stderr, "launches %zu blocks %zu first %s\n", n_launches, n_blocks,
		blocks[0] == block ? "this" : "other");
	fprintf(stderr, "block state %d\n", cudasim_block_state(block->launch, 0, NULL));
	fprintf(stderr, "barrier 0 pending %d\n", cudasim_block_barrier(block, 0, &barrier));
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		show_thread(block, shown[i]);
	show_frames(thread);
	show_stack(thread);
	show_memory(block->launch);
	cudasim_thread_resume(thread);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "inspect-test",
	.want = want,
	.launch_submit = launch_submit,
	.line = line,
	.held = held,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	void *library = dlopen(getenv("SYMBOLIZER"), RTLD_NOW);
	*(void **)&symbolize = library ? dlsym(library, "cudasim_symbolize") : NULL;
	if (!symbolize) {
		fprintf(stderr, "inspect-test: %s\n", dlerror());
		return NULL;
	}
	return &observer;
}
