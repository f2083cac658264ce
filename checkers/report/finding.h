/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - what a checker has found, and where it goes.
 *
 * Findings are kept until their launch and all launches before it have ended,
 * equal ones as one with the number of threads and, as the example, the side
 * with the lowest block and thread; then they are printed, sorted. So what is
 * printed does not depend on which thread came first. Findings equal each other
 * when tool, kind, kernel, title, sites (of both sides) and allocation are the
 * same. */
#ifndef CUDASIM_CHECKERS_FINDING_H
#define CUDASIM_CHECKERS_FINDING_H

#include "checker.h"

enum finding_severity { FINDING_ERROR, FINDING_WARNING, FINDING_INFO };

/* Who did something: a CUDA thread, or the host. */
struct finding_side {
	bool host;            /* then function alone counts, and the members below are 0 */
	const char
		*function; /* the CUDA function of a host side, or NULL for the host's own code */
	uint64_t launch_id;
	const struct cudasim_kernel *kernel;
	uint32_t block[3], thread[3];
	const struct cudasim_site *site; /* NULL where not known */
	uint32_t what;                   /* CUDASIM_ACCESS_* of an access, else 0 */
	uint64_t size;                   /* bytes of an access, else 0 */
};

enum { FINDING_TITLE = 256, FINDING_DETAIL = 2048 };

struct finding {
	enum checker_tool tool;
	enum finding_severity severity;
	/* A stable word for JSON, XML and suppressions ("out-of-bounds", "race-write-read");
	 * lives as long as the process. */
	const char *kind;
	/* The first line, without the site: "Invalid __global__ write of size 4 bytes". */
	char title[FINDING_TITLE];
	/* Lines under it, separated by '\n', without an indent: "Access to 0x10 is out of
	 * bounds\nand is 1 bytes after ...". Of the example; may differ among equal ones. */
	char detail[FINDING_DETAIL];
	/* The launch it belongs to; NULL for findings of the host. Its host backtrace is
	 * printed. */
	const struct cudasim_launch *launch;
	/* The thread in whose event it was found, whose device backtrace is taken at once;
	 * NULL where nobody's. */
	struct cudasim_thread *thread;
	/* Where thread is NULL although a thread stands in the event: which. A debugger stops
	 * it there, but `side` is another's. */
	struct cudasim_thread *stands;
	struct finding_side side;  /* finding_side_of() fills it from thread */
	bool two;    /* the other side of a race */
	struct finding_side other;
	/* What would mend it, one line, or NULL; lives as long as the process. Of equal ones that
	 * with the greatest reach is printed. */
	const char *remedy;
	uint8_t reach;
	const void *address;       /* what it is about; its allocation is described. Or NULL */
	/* Of a finding of the host: where it was, as backtrace_take() has it; NULL: where this
	 * thread stands. */
	const uint64_t *host_frames;
};

/* side of the thread itself, at its last site. */
void finding_side_of(struct finding_side *ret, const struct cudasim_thread *thread);
/* ... at an access of its own. */
void finding_side_at(struct finding_side *ret, const struct cudasim_thread *thread,
		     const struct cudasim_access *access);

/* Keep the finding, tell the debugger and cudasim/check.h of it, and return what the
 * callback that found it should answer: CUDASIM_GO, or what a tool that listens (the
 * debugger) or --destroy-on-device-error wants. Copies all it needs. From any pthread,
 * within an event. */
enum cudasim_verdict finding_report(const struct finding *finding);

#endif
