/* SPDX-License-Identifier: Apache-2.0 */
/* leakcheck.c - what the program has made and never freed, when it ends.
 *
 * Memory is read from the common table (allocation.c). Streams, events, graphs, textures and
 * their kin are counted by the calls that make and destroy them: CUDA frees them with the
 * process, so they are notes (--print-level info) and no errors. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "allocation_table.h"
#include "finding.h"
#include "report.h"

/* Calls that make something and those that end it, by their CUDA names. */
static const struct {
	const char *name;
	unsigned thing;
	int step;
} calls[] = {
	{"cudaStreamCreate", 0, 1},
	{"cudaStreamCreateWithFlags", 0, 1},
	{"cudaStreamCreateWithPriority", 0, 1},
	{"cudaStreamDestroy", 0, -1},
	{"cudaEventCreate", 1, 1},
	{"cudaEventCreateWithFlags", 1, 1},
	{"cudaEventDestroy", 1, -1},
	{"cudaGraphCreate", 2, 1},
	{"cudaStreamEndCapture", 2, 1},
	{"cudaGraphClone", 2, 1},
	{"cudaGraphDestroy", 2, -1},
	{"cudaGraphInstantiate", 3, 1},
	{"cudaGraphInstantiateWithFlags", 3, 1},
	{"cudaGraphInstantiateWithParams", 3, 1},
	{"cudaGraphExecDestroy", 3, -1},
	{"cudaCreateTextureObject", 4, 1},
	{"cudaDestroyTextureObject", 4, -1},
	{"cudaCreateSurfaceObject", 5, 1},
	{"cudaDestroySurfaceObject", 5, -1},
	{"cudaMallocArray", 6, 1},
	{"cudaMalloc3DArray", 6, 1},
	{"cudaFreeArray", 6, -1},
};
enum { N_THINGS = 7 };
static const char *const things[N_THINGS] = {
	"stream", "event", "graph", "executable graph", "texture object", "surface object", "array",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance[N_THINGS];

static void api_leave(void *tool, const struct cudasim_api_call *call)
{
	(void)tool;
	for (size_t i = 0; !call->result && i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(call->name, calls[i].name))
			continue;
		pthread_mutex_lock(&lock);
		balance[calls[i].thing] += calls[i].step;
		pthread_mutex_unlock(&lock);
		return;
	}
}

/* A __managed__ variable is announced as managed memory; it is the program's own. */
static bool is_variable(const struct cudasim_memory *m)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n && m->kind == CUDASIM_MEMORY_MANAGED && m->function; i++)
		for (uint64_t k = 0; k < modules[i]->n_variables; k++) {
			const struct cudasim_variable *v = &modules[i]->variables[k];
			if (v->flags & CUDASIM_VARIABLE_MANAGED && v->size == m->size &&
			    (!strcmp(v->name, m->function) || !strcmp(v->display, m->function)))
				return true;
		}
	return m->kind == CUDASIM_MEMORY_VARIABLE;
}

/* A kernel has died, and its context with it: no cudaFree() frees anything any more. What it
 * would have freed nobody knows. */
static atomic_bool died;

static void launch_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	if (launch->error && checker_options.destroy_on_device_error != DESTROY_KERNEL)
		atomic_store(&died, true);
}

static void visit(const struct allocation *a)
{
	const struct cudasim_memory *m = &a->memory;
	struct finding f = {
		.tool = CHECKER_LEAKCHECK,
		.severity = FINDING_ERROR,
		.kind = "leak",
		.side = {.host = true, .function = m->function},
		.address = m->address,
	};
	/* The program's own memory, and its variables, are not CUDA's to free. */
	if (is_variable(m))
		return;
	if (m->kind == CUDASIM_MEMORY_REGISTERED) {
		f.severity = FINDING_INFO;
		f.kind = "still-registered";
		snprintf(f.title, sizeof f.title, "Still registered: %" PRIu64 " bytes at %p",
			 m->size, m->address);
		finding_report(&f);
		return;
	}
	snprintf(f.title, sizeof f.title, "Leaked %" PRIu64 " bytes at %p%s", m->size, m->address,
		 m->kind == CUDASIM_MEMORY_HEAP ? " on the device heap" : "");
	if (m->site)
		snprintf(f.detail, sizeof f.detail, "allocated in device code at %s in %s:%u",
			 m->site->function, backtrace_file(m->site->file, true), m->site->line);
	else if (m->function)
		snprintf(f.detail, sizeof f.detail, "allocated by %s", m->function);
	if (atomic_load(&died)) {
		f.severity = FINDING_INFO;
		f.remedy = "A kernel's error has ended the context: cudaFree() could not free it";
	} else {
		finding_leaked(m->size);
	}
	finding_report(&f);
}

/* What a reset frees the program did not. */
static void api_enter(void *tool, const struct cudasim_api_call *call)
{
	(void)tool;
	if (!strcmp(call->name, "cudaDeviceReset"))
		allocation_each(visit);
}

static void finish(void *tool)
{
	(void)tool;
	if (!checker_own_process())
		return;
	allocation_each(visit);
	for (unsigned i = 0; i < N_THINGS; i++) {
		struct finding f = {
			.tool = CHECKER_LEAKCHECK,
			.severity = FINDING_INFO,
			.kind = "never-destroyed",
			.side = {.host = true},
		};
		if (balance[i] <= 0)
			continue;
		snprintf(f.title, sizeof f.title, "%ld %s%s never destroyed", balance[i], things[i],
			 balance[i] == 1 ? " was" : "s were");
		finding_report(&f);
	}
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "leakcheck",
	.api_enter = api_enter,
	.api_leave = api_leave,
	.launch_end = launch_end,
	.finish = finish,
};

const struct checker leakcheck = {
	.tool = CHECKER_LEAKCHECK,
	.name = "leakcheck",
	.observer = &observer,
};
