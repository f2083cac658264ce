/* SPDX-License-Identifier: Apache-2.0 */
#include "memcheck.h"

#include <stdio.h>
#include <string.h>

void memcheck_fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
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
		[CUDASIM_FAULT_HEAP] = {NULL, NULL},     /* memcheck_bad_free() */
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
	    memcheck_is_told(launch->id, fault->site))
		return;
	struct finding f = {
		.tool = CHECKER_MEMCHECK,
		.severity = FINDING_ERROR,
		.kind = words[fault->kind].kind,
		.launch = launch,
		.thread = thread,
		.address = fault->address,
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
