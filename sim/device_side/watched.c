/* SPDX-License-Identifier: Apache-2.0 */
/* watched.c - what watched bodies call: each access, fence, line and call of a thread becomes
 * an event of the launch's observers. */
#include <stdint.h>

#include "cudasim/inspect.h"
#include "fiber.h"
#include "observer.h"
#include "tell.h"
#include "thread.h"
#include "watched.h"

enum { TOOLS_STACK = 32 << 10 }; /* bytes that tools are promised */

enum cudasim_space cudasim_space_of(struct cudasim_thread *thread, const void *address)
{
	/* It may be another thread than the one that runs here. */
	uint64_t low, high, used, a = (uintptr_t)address;
	cudasim_thread_stack(thread, &low, &high, &used);
	if (a >= low && a < high)
		return CUDASIM_SPACE_LOCAL;
	uintptr_t shared = a - (uintptr_t)thread->block->shared;
	return shared < thread->block->shared_bytes ? CUDASIM_SPACE_SHARED : CUDASIM_SPACE_GLOBAL;
}

void __cudasim_on_access(const void *addr, uint64_t size, uint32_t flags,
			 const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	if (thread->want & THREAD_BORROWED) /* called because the address is misaligned */
		observer_refuse();
	/* In the midst of a tool an overflow would leave its locks held. */
	const struct fiber *own = ((const struct thread *)thread)->fiber;
	if (__builtin_expect(
		    (uintptr_t)__builtin_frame_address(0) - (uintptr_t)own->low < TOOLS_STACK, 0))
		scheduler_stack_full(thread, site);
	struct cudasim_access access = access_describe(thread, addr, size, flags, site);
	thread->site = site;
	/* A length that the program computes may be 0, which accesses nothing. */
	if (!size)
		return;
	uint32_t wanted = access_wanted(&access);
	TELL(thread, access, wanted, thread, &access);
	if ((uintptr_t)access.address & (access.alignment - 1))
		scheduler_misaligned(thread, access.address, flags & CUDASIM_ACCESS_STORE, site);
}

void __cudasim_on_bounds(const void *addr, uint64_t size, uint32_t flags, const void *variable,
			 uint64_t bytes, const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	if (thread->want & THREAD_BORROWED)
		return;
	struct cudasim_bounds bounds = {
		access_describe(thread, addr, size, flags, site),
		variable,
		bytes,
	};
	thread->site = site;
	tell_bounds(thread, &bounds);
}

void __cudasim_on_unwritten(const void *addr, uint64_t size, const char *name,
			    const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	struct cudasim_unwritten read = {addr, size, name, site};
	if (thread->want & THREAD_BORROWED || !(thread->want & CUDASIM_WANT_ACCESS))
		return;
	thread->site = site;
	tell_unwritten(thread, &read);
}

void __cudasim_on_fence(uint32_t scope, uint32_t order, const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	struct cudasim_fence fence = {
		(enum cudasim_scope)scope,
		(enum cudasim_order)order,
		site,
	};
	thread->site = site;
	tell_fence(thread, &fence);
}

void __cudasim_on_mbarrier(uint32_t kind, const void *address, uint32_t count, uint32_t pending,
			   uint32_t expected, uint32_t ends, const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	struct cudasim_mbarrier mbarrier = {
		(enum cudasim_mbarrier_kind)kind,
		address,
		count,
		pending,
		expected,
		ends != 0,
		site,
	};
	thread->site = site;
	tell_mbarrier(thread, &mbarrier);
}

void __cudasim_on_line(const struct cudasim_site *site)
{
	struct cudasim_thread *thread = __cudasim_self;
	if (thread->want & THREAD_BORROWED)
		return;
	const struct cudasim_launch *launch = thread->block->launch;
	enum cudasim_verdict verdict = CUDASIM_GO, answer;

	thread->site = site;
	if (!launch->watch)
		return;
	observer_frame = __builtin_frame_address(0);
	/* Wanted, or armed: an observer that wants no lines hears of those that it has armed. */
	FOR_EACH(launch, line, o)
	{
		if (!(atomic_load_explicit(&h_->watcher->want, memory_order_relaxed) &
		      CUDASIM_WANT_LINE) &&
		    !registered_armed(h_->watcher->member, launch->module, site))
			break;
		if ((answer = o->line(o->tool, thread, site)) > verdict)
			verdict = answer;
	}
	observer_frame = NULL;
	obey(thread, verdict);
}

void __cudasim_on_call(const struct cudasim_site *entry, const void *frame)
{
	struct cudasim_thread *thread = __cudasim_self;
	struct cudasim_call call = {.entry = entry, .frame = frame};
	thread->site = entry;
	tell_call_enter(thread, &call);
}

void __cudasim_on_return(const struct cudasim_site *entry, const void *frame, const void *value,
			 uint64_t size)
{
	struct cudasim_thread *thread = __cudasim_self;
	struct cudasim_call call = {entry, frame, value, size};
	tell_call_leave(thread, &call);
}
