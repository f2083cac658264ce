/* SPDX-License-Identifier: Apache-2.0 */
/* host_text.c - see host_text.h.
 *
 * Text is written through /proc/self/mem, which needs no writable mapping; where
 * that is forbidden the page is made writable for the moment. */
#define _GNU_SOURCE
#include "host_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cudasim/inspect.h"
#include "error.h"
#include "host_state.h"

enum { INT3 = 0xcc };

static bool write_byte(uint64_t pc, unsigned char byte)
{
	struct host_sites *own = &host_state()->text;
	if (own->memory < 0)
		own->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (own->memory >= 0 && pwrite(own->memory, &byte, 1, (off_t)pc) == 1)
		return true;
	uint64_t page = pc & ~4095ull;
	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	*(volatile unsigned char *)pc = byte;
	mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
	return true;
}

struct trap_site *host_text_find(uint64_t pc)
{
	struct host_sites *own = &host_state()->text;
	for (unsigned i = 0; i < own->n_sites; i++)
		if (own->sites[i].n_users && own->sites[i].pc == pc)
			return &own->sites[i];
	return NULL;
}

static struct trap_site *free_site(void)
{
	struct host_sites *own = &host_state()->text;
	for (unsigned i = 0; i < own->n_sites; i++)
		if (!own->sites[i].n_users)
			return &own->sites[i];
	return own->n_sites < HOST_MAX_SITES ? &own->sites[own->n_sites] : NULL;
}

struct cudasim_error *host_text_plant(uint64_t pc)
{
	struct host_sites *own = &host_state()->text;
	struct trap_site *site = host_text_find(pc);
	if (site) {
		site->n_users++;
		return NULL;
	}
	site = free_site();
	if (!site)
		return cudasim_error_new(CUDASIM_E_FAILED, "More than %d breakpoints in host code.",
					 HOST_MAX_SITES);
	unsigned char byte;
	if (cudasim_memory_read((void *)pc, &byte, 1) != 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Cannot insert breakpoint.\n"
					 "Cannot access memory at address 0x%llx",
					 (unsigned long long)pc);
	*site = (struct trap_site){.pc = pc, .original = byte, .n_users = 1};
	if (site == &own->sites[own->n_sites])
		own->n_sites++;
	if (!write_byte(pc, INT3)) {
		int error = errno;
		site->n_users = 0;
		return cudasim_error_errno(error, "Cannot insert breakpoint at 0x%llx",
					   (unsigned long long)pc);
	}
	return NULL;
}

void host_text_release(uint64_t pc)
{
	struct trap_site *site = host_text_find(pc);
	if (!site || --site->n_users)
		return;
	write_byte(pc, site->original);
}

void host_text_lift(const struct trap_site *site, bool up)
{
	write_byte(site->pc, up ? INT3 : site->original);
}

uint32_t host_text_read(uint64_t pc, unsigned char *to, uint32_t n)
{
	struct host_sites *own = &host_state()->text;
	uint32_t got = (uint32_t)cudasim_memory_read((void *)pc, to, n);
	for (unsigned i = 0; i < own->n_sites; i++)
		if (own->sites[i].n_users && own->sites[i].pc >= pc && own->sites[i].pc < pc + got)
			to[own->sites[i].pc - pc] = own->sites[i].original;
	return got;
}

unsigned char host_text_byte(uint64_t pc)
{
	const struct trap_site *site = host_text_find(pc);
	return site ? site->original : *(const volatile unsigned char *)pc;
}

bool host_is_call(uint64_t pc)
{
	unsigned char b[3] = {host_text_byte(pc)};
	for (int i = 1; i < 3; i++)
		b[i] = host_text_byte(pc + (uint64_t)i);
	int at = b[0] >= 0x40 && b[0] <= 0x4f;
	return b[at] == 0xe8 || (b[at] == 0xff && (b[at + 1] >> 3 & 7) == 2);
}

/* ret, with a count, or with the prefix that compilers put before it. */
bool host_is_return(uint64_t pc)
{
	unsigned char b = host_text_byte(pc);
	if (b == 0xf3)
		b = host_text_byte(pc + 1);
	return b == 0xc3 || b == 0xc2;
}

void host_text_clear(void)
{
	struct host_sites *own = &host_state()->text;
	/* The file is the memory of the process that opened it: this may be its child. */
	if (own->memory >= 0)
		close(own->memory);
	own->memory = -1;
	for (unsigned i = 0; i < own->n_sites; i++)
		if (own->sites[i].n_users)
			write_byte(own->sites[i].pc, own->sites[i].original);
	own->n_sites = 0;
}
