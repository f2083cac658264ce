/* SPDX-License-Identifier: Apache-2.0 */
#include "one_thread.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cudasim/inspect.h"
#include "fiber.h"

/* ---- stand-ins ------------------------------------------------------------ */

_Thread_local struct cudasim_thread *__cudasim_self;
int holds, aborts;
const void *misaligned;
jmp_buf abort_to;
char stack[64];

void scheduler_meet(struct cudasim_thread *thread)
{
	(void)thread;
}

void scheduler_hold(struct cudasim_thread *thread)
{
	(void)thread;
	holds++;
}
void scheduler_end_stopped(struct cudasim_thread *thread)
{
	(void)thread;
	abort();
}

void scheduler_abort(struct cudasim_thread *thread, int error)
{
	(void)thread;
	aborts = error;
	longjmp(abort_to, 1);
}
void scheduler_stack_full(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	(void)thread;
	(void)site;
	abort();
}
void scheduler_misaligned(struct cudasim_thread *thread, const void *addr, bool write,
			  const struct cudasim_site *site)
{
	(void)thread;
	(void)site;
	assert_true(write);
	misaligned = addr;
	longjmp(abort_to, 2);
}
void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low, uint64_t *high,
			  uint64_t *used)
{
	(void)thread;
	*low = *used = (uintptr_t)stack;
	*high = *low + sizeof stack;
}
void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
}

/* ---- a launch of one thread ----------------------------------------------- */

const struct cudasim_site sites[2] = {
	{"a.cu", "f", 1, 1, CUDASIM_SITE_LINE, 0},
	{"a.cu", "f", 2, 1, CUDASIM_SITE_LINE, 0},
};
static uint8_t armed[2];
const struct cudasim_module module_of_sites = {.sites = sites, .n_sites = 2, .armed = armed};

struct one one;
static struct fiber fiber = {
	.low = (unsigned char *)stack,
	.top = (unsigned char *)stack + sizeof stack,
};
unsigned char window[128];

void begin(void)
{
	memset(&one.launch, 0, sizeof one.launch);
	holds = aborts = 0;
	one.launch.pub.module = &module_of_sites;
	one.launch.pub.id = 7;
	watch_begin(&one.launch);
	one.launch.pub.body = observe_body(&one.launch.pub, CUDASIM_BODY_V3);
	one.block = (struct cudasim_block){.ntid = {1, 1, 1},
					   .nctaid = {1, 1, 1},
					   .shared = window,
					   .shared_bytes = sizeof window,
					   .launch = &one.launch.pub};
	one.thread.pub = (struct cudasim_thread){.block = &one.block,
						 .want = observe_thread_want(&one.launch.pub)};
	one.thread.fiber = &fiber;
	__cudasim_self = &one.thread.pub;
	observe_launch_begin(&one.launch.pub);
	watch_block(&one.block);
	observe_block_begin(&one.block);
}

void end(void)
{
	observe_block_end(&one.block);
	watch_end(&one.launch);
	free(one.block.tool);
	one.block.tool = NULL;
	__cudasim_self = NULL;
}
