/* SPDX-License-Identifier: Apache-2.0 */
/* fault_report.c - the text about a launch that has died; fault.h says its form. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cudasim/inspect.h"
#include "device.h"
#include "fault.h"
#include "run.h"
#include "symbolize.h"

static const char *fault_error_name(int error)
{
	switch (error) {
	case ERROR_ILLEGAL_ADDRESS:
		return "cudaErrorIllegalAddress";
	case ERROR_LAUNCH_TIMEOUT:
		return "cudaErrorLaunchTimeout";
	case ERROR_LAUNCH_OUT_OF_RESOURCES:
		return "cudaErrorLaunchOutOfResources";
	case ERROR_ASSERT:
		return "cudaErrorAssert";
	case ERROR_ILLEGAL_INSTRUCTION:
		return "cudaErrorIllegalInstruction";
	case ERROR_MISALIGNED_ADDRESS:
		return "cudaErrorMisalignedAddress";
	case ERROR_LAUNCH_FAILURE:
		return "cudaErrorLaunchFailure";
	}
	return "an unknown error";
}

static void write_where(FILE *out, const struct run *run, const struct thread *t,
			const struct fault *fault)
{
	char place[512];
	const struct cudasim_site *site = fault->site;
	if (fault->pc && symbolize(fault->pc, place, sizeof place))
		fprintf(out, "cudasim:   at %s\n", place);
	else if (site)
		fprintf(out, "cudasim:   %s %s (%s:%u)\n", fault->pc ? "after" : "at",
			site->function, site->file, site->line);
	else if (run->launch->pub.kernel->site)
		fprintf(out, "cudasim:   in a kernel that begins at %s:%u\n",
			run->launch->pub.kernel->site->file, run->launch->pub.kernel->site->line);
	if (!t)
		fputs("cudasim:   the thread is not known here; use CUDASIM_OBSERVER or "
		      "`cudasim check` to find it\n",
		      out);
}

static void write_address(FILE *out, const struct fault *fault)
{
	struct cudasim_memory m;
	bool inside, freed;
	const unsigned char *a = fault->address;
	if (!fault->address_known)
		return;
	fprintf(out, "cudasim:   %s address 0x%llx",
		fault->kind == CUDASIM_FAULT_HEAP ? "the"
		: fault->write                    ? "write to"
						  : "read of",
		(unsigned long long)(uintptr_t)fault->address);
	if (fault->kind == CUDASIM_FAULT_STACK || !cudasim_memory_find(a, &m, &inside, &freed)) {
		fputs(fault->kind == CUDASIM_FAULT_STACK ? ", in the guard of the thread's stack\n"
		      : (uintptr_t)a < 4096              ? ", a null pointer\n"
							 : ", no allocation is near it\n",
		      out);
		return;
	}
	const unsigned char *base = m.address;
	if (freed)
		fputs(", in freed memory:", out);
	else if (inside)
		fprintf(out, ", %llu bytes into", (unsigned long long)(a - base));
	else if (a < base)
		fprintf(out, ", %llu bytes before", (unsigned long long)(base - a));
	else
		fprintf(out, ", %llu bytes past the end of",
			(unsigned long long)(a - (base + m.size)));
	if (m.kind == CUDASIM_MEMORY_VARIABLE && m.function)
		fprintf(out, " %s, %llu bytes at %p\n", m.function, (unsigned long long)m.size,
			m.address);
	else
		fprintf(out, " allocation %llu, %llu bytes at %p\n", (unsigned long long)m.id,
			(unsigned long long)m.size, m.address);
}

/* Who has asked CUDA for a core dump of the kernel waits for a file that will not come. */
static void write_no_core(FILE *out)
{
	const char *asked = getenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
	if (asked && !strcmp(asked, "1"))
		fputs("cudasim:   CUDA_ENABLE_COREDUMP_ON_EXCEPTION: kernels leave no core dumps here; "
		      "`cudasim debug` stops at the fault\n",
		      out);
}

char *fault_describe(const struct run *run, const struct thread *t, const struct fault *fault,
		     const char *more)
{
	const struct launch *l = run->launch;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return strdup("cudasim: out of memory for a report\n");
	fprintf(out, "cudasim: kernel %s<<<(%u,%u,%u),(%u,%u,%u)>>>, launch %llu: %s (%s)\n",
		l->pub.kernel->display, l->pub.grid[0], l->pub.grid[1], l->pub.grid[2],
		l->pub.block[0], l->pub.block[1], l->pub.block[2], (unsigned long long)l->pub.id,
		fault->what, fault_error_name(fault->error));
	if (t) {
		const struct cudasim_block *b = t->pub.block;
		const struct block *own = block_of(t);
		if (own->loop && own->n_row > 1)
			fprintf(out, "cudasim:   blocks (%u,%u,%u) to (%u,%u,%u), ", b->ctaid[0],
				b->ctaid[1], b->ctaid[2], b->ctaid[0] + own->n_row - 1, b->ctaid[1],
				b->ctaid[2]);
		else
			fprintf(out, "cudasim:   block (%u,%u,%u), ", b->ctaid[0], b->ctaid[1],
				b->ctaid[2]);
		bool stepped = own->loop && own->stepped < own->n_threads;
		const uint32_t *tid = stepped ? own->threads[own->stepped].pub.tid : t->pub.tid;
		if (own->loop && (own->n_threads > 1 || own->n_row > 1) && !stepped)
			fputs(own->n_row > 1
				      ? "one of their threads (CUDASIM_ENGINE=fibers reports "
					"which)\n"
				      : "one of its threads (CUDASIM_ENGINE=fibers reports "
					"which)\n",
			      out);
		else
			fprintf(out, "thread (%u,%u,%u)\n", tid[0], tid[1], tid[2]);
	}
	if (t || fault->site || fault->pc)
		write_where(out, run, t, fault);
	write_address(out, fault);
	if (more)
		fputs(more, out);
	write_no_core(out);
	fclose(out);
	return text ? text : strdup("cudasim: out of memory for a report\n");
}
