/* SPDX-License-Identifier: Apache-2.0 */
/* host_safe.c - where a host thread may be stopped at any moment.
 *
 * A thread that is interrupted inside libcudasim, the debugger or the C library may hold a lock
 * that the debugger takes next (of the heap, of the registry of modules), or have changed half of
 * what it reads. There it is not stopped but interrupted again a moment later, unless it waits in
 * a system call, in which nobody holds such locks. All other code is the program's own. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>

#include "host_state.h"
#include "host_trap.h"

/* What the debugger and libcudasim consist of and call, by the beginnings of files' names. */
static const char *const names[] = {
	"libcudasim", "libc.so",  "libc-",   "ld-linux", "libpthread", "libdw",    "libelf",
	"libz.",      "libzstd.", "liblzma", "libbz2",   "libstdc++",  "libgcc_s", "libjansson",
	"libedit",    "libtinfo", "libbsd",  "libmd.",   "libcapstone"};

static bool is_named(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}

static int add(struct dl_phdr_info *info, size_t size, void *user)
{
	struct host_safe *own = &host_state()->safe;
	(void)size, (void)user;
	if (!is_named(info->dlpi_name))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum && own->n < HOST_MAX_RANGES; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		own->ranges[own->n].low = info->dlpi_addr + part->p_vaddr;
		own->ranges[own->n++].high = info->dlpi_addr + part->p_vaddr + part->p_memsz;
	}
	return 0;
}

void host_safe_start(void)
{
	dl_iterate_phdr(add, NULL);
}

static bool is_system_call(const unsigned char *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

bool host_is_safe(const ucontext_t *context)
{
	const struct host_safe *own = &host_state()->safe;
	uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	const unsigned char *code = (const unsigned char *)pc;
	for (unsigned i = 0; i < own->n; i++) {
		if (pc < own->ranges[i].low || pc >= own->ranges[i].high)
			continue;
		/* The kernel lets it begin the call again, or end with EINTR. */
		return is_system_call(code) ||
		       (pc >= own->ranges[i].low + 2 && is_system_call(code - 2) &&
			context->uc_mcontext.gregs[REG_RAX] == -EINTR);
	}
	return true;
}
