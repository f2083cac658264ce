/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bodies.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop_marks.h"
#include "body.h"
#include "callgraph.h"
#include "compile_budget.h"
#include "frames.h"
#include "layout.h"
#include "machine.h"
#include "names.h"
#include "pipeline.h"
#include "pressure.h"

enum {
	MOST_OF_WATCHED_LOOP = 256 << 10, /* bytes of stack, for the variables of 32 threads */
};

/* What the parent learns of one kernel. */
struct report {
	uint64_t local_bytes, loop_bytes, continuation_bytes;
	uint64_t n_registers;
	bool not_empty, vectorized, wide, has_loop;
};

char *body_path(const struct device_program *program, const char *what)
{
	char *path;
	int n = asprintf(&path, "%s.%s.tmp.o", program->options->output, what);
	assert(n >= 0);
	return path;
}

static LLVMValueRef find(struct device_module *dm, const char *what,
			 const struct layout_kernel *kernel)
{
	char *name = name_in_body(dm->program, what, kernel->name, dm->stage);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	free(name);
	return function;
}

static LLVMValueRef entry_of(struct device_module *dm, const struct layout_kernel *kernel)
{
	LLVMValueRef entry = find(dm, "entry", kernel);
	assert(entry);
	return entry;
}

/* The depth of the stack below the function and in it; 0 without a function. */
static uint64_t depth_of(const struct callgraph *graph, LLVMValueRef function,
			 const uint64_t *weights)
{
	return function ? callgraph_depth(graph, callgraph_find(graph, function), weights) : 0;
}

/* The depth of the stack below each kernel's entry, in the object's own frames,
 * with 8 bytes for each return address. */
static void measure_stacks(struct device_module *dm, const struct frames *frames,
			   struct report *reports)
{
	const struct device_layout *layout = dm->program->layout;
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	uint64_t *weights = calloc(graph->n + 1, sizeof(*weights));
	assert(weights);
	for (size_t i = 0; i < graph->n; i++) {
		if (!LLVMIsDeclaration(graph->nodes[i].function))
			weights[i] = 8 + frames_size(frames, name_of(graph->nodes[i].function));
	}
	for (size_t k = 0; k < layout->n_kernels; k++) {
		const struct layout_kernel *kernel = &layout->kernels[k];
		reports[k].local_bytes = depth_of(graph, find(dm, "entry", kernel), weights);
		reports[k].loop_bytes = depth_of(graph, find(dm, "loop", kernel), weights);
		reports[k].continuation_bytes = depth_of(graph, find(dm, "continuation", kernel),
							 weights);
		uint64_t lanes = depth_of(graph, find(dm, "lanes", kernel), weights);
		if (reports[k].continuation_bytes < lanes)
			reports[k].continuation_bytes = lanes;
	}
	free(weights);
	callgraph_free(graph);
}

/* Registers: the same model of a GPU's thread for every processor, so of one
 * body only. */
static void count_registers(struct device_module *dm, struct report *reports)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t k = 0; dm->stage == DEVICE_V3 && k < layout->n_kernels; k++)
		reports[k].n_registers = pressure_registers(entry_of(dm, &layout->kernels[k]));
}

static void describe_code(struct device_module *dm, struct report *reports)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t k = 0; k < layout->n_kernels; k++) {
		LLVMValueRef loop = find(dm, "loop", &layout->kernels[k]);
		if (!share_is_borrower(dm) && dm->stage != DEVICE_WATCHED_LOOPS)
			reports[k].not_empty =
				!function_only_returns(entry_of(dm, &layout->kernels[k]));
		reports[k].has_loop = loop;
		reports[k].wide = layout->kernels[k].flags & CUDASIM_KERNEL_WIDE;
		reports[k].vectorized = loop && (reports[k].wide || function_is_vectorized(loop));
	}
}

static struct cudasim_error *write_all(int fd, const void *data, size_t size)
{
	for (const char *p = data; size;) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cudasim_error_errno(errno, "error: report of a body");
		p += n;
		size -= (size_t)n;
	}
	return NULL;
}

/* In the child. */
static struct cudasim_error *compile(struct device_module *dm, const char *path, int report)
{
	size_t n = dm->program->layout->n_kernels;
	struct report *reports = calloc(n + 1, sizeof(*reports));
	struct frames frames = {0};
	LLVMTargetMachineRef machine;
	assert(reports);
	struct cudasim_error *error = pipeline_run_stage(
		dm, dm->stage == DEVICE_WATCHED         ? PIPELINE_WATCHED_BODY
		    : dm->stage == DEVICE_WATCHED_LOOPS ? PIPELINE_WATCHED_LOOPS_BODY
							: PIPELINE_PLAIN_BODY);
	if (error)
		return error;
	budget_settle(dm);
	count_registers(dm, reports);
	describe_code(dm, reports);
	uint64_t start = pipeline_now_us();
	error = machine_new(dm, &machine);
	if (!error)
		error = machine_emit(dm, machine, path);
	pipeline_show_time(dm, "emit", start);
	if (!error)
		error = frames_read(path, &frames);
	if (error)
		return error;
	measure_stacks(dm, &frames, reports);
	return write_all(report, reports, n * sizeof(*reports));
}

struct cudasim_error *body_start(struct device_module *dm, enum device_stage stage,
				 struct body_job *job)
{
	int ends[2];
	const char *what = stage == DEVICE_WATCHED_LOOPS ? "loops" : name_body(stage);
	*job = (struct body_job){.stage = stage, .path = body_path(dm->program, what)};
	if (pipe(ends))
		return cudasim_error_errno(errno, "error: pipe");
	fflush(NULL);
	job->process = fork();
	if (job->process < 0)
		return cudasim_error_errno(errno, "error: fork");
	if (job->process) {
		close(ends[1]);
		job->report = ends[0];
		return NULL;
	}
	struct device_module child = *dm;
	child.stage = stage;
	struct cudasim_error *error = compile(&child, job->path, ends[1]);
	if (error)
		fprintf(stderr, "%s\n", error->message);
	fflush(NULL);
	_exit(error ? 1 : 0); /* the module and the rest go with the process */
}

/* Read what the child writes until it closes the pipe; false if it is not all. */
static bool read_all(int fd, void *data, size_t size)
{
	char *p = data;
	for (;;) {
		char extra;
		ssize_t n = read(fd, size ? (void *)p : &extra, size ? size : 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 && !size;
		if (!size)
			return false;
		p += n;
		size -= (size_t)n;
	}
}

static void merge(struct device_layout *layout, enum device_stage stage,
		  const struct report *reports)
{
	for (size_t k = 0; k < layout->n_kernels; k++) {
		struct layout_kernel *kernel = &layout->kernels[k];
		if (stage == DEVICE_WATCHED_LOOPS) {
			uint64_t bytes = reports[k].loop_bytes + reports[k].continuation_bytes;
			kernel->watched_loop_bytes = bytes;
			if (kernel->has_watched_loop && bytes > MOST_OF_WATCHED_LOOP) {
				kernel->has_watched_loop = false;
				kernel->why_not_watched = strdup("needs a large stack");
			}
			continue;
		}
		if (kernel->continuation_bytes < reports[k].continuation_bytes)
			kernel->continuation_bytes = reports[k].continuation_bytes;
		if (kernel->local_bytes < reports[k].local_bytes)
			kernel->local_bytes = reports[k].local_bytes;
		/* libcudasim calls the continuation for the loop. The AVX-512 body may have none of
		 * its own, but is merged last. */
		if (reports[k].has_loop &&
		    kernel->local_bytes < reports[k].loop_bytes + kernel->continuation_bytes)
			kernel->local_bytes = reports[k].loop_bytes + kernel->continuation_bytes;
		if (stage == DEVICE_V4)
			kernel->has_v4_loop = reports[k].has_loop;
		kernel->vectorized |= reports[k].vectorized;
		if (reports[k].wide)
			kernel->flags |= CUDASIM_KERNEL_WIDE;
		if (stage != DEVICE_WATCHED)
			kernel->empty &= !reports[k].not_empty;
		uint32_t n_registers = pressure_bounded((uint32_t)reports[k].n_registers,
							kernel->max_threads, kernel->min_blocks);
		if (kernel->n_registers < n_registers)
			kernel->n_registers = n_registers;
	}
}

struct cudasim_error *body_finish(struct device_program *program, struct body_job *job)
{
	size_t n = program->layout->n_kernels;
	struct report *reports = calloc(n + 1, sizeof(*reports));
	assert(reports);
	bool complete = read_all(job->report, reports, n * sizeof(*reports));
	close(job->report);
	int status;
	while (waitpid(job->process, &status, 0) < 0 && errno == EINTR)
		;
	struct cudasim_error *error = NULL;
	if (WIFSIGNALED(status))
		error = cudasim_error_new(CUDASIM_E_FAILED,
					  "%s: error: internal: LLVM ended by signal %d (%s) "
					  "while compiling the %s body",
					  program->options->source, WTERMSIG(status),
					  strsignal(WTERMSIG(status)), name_body(job->stage));
	else if (WEXITSTATUS(status) || !complete)
		error = cudasim_error_new(CUDASIM_E_FAILED,
					  "%s: error: the %s body could not be compiled",
					  program->options->source, name_body(job->stage));
	else
		merge(program->layout, job->stage, reports);
	free(reports);
	return error;
}
