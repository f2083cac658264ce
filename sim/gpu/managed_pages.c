/* SPDX-License-Identifier: Apache-2.0 */
/* managed_pages.c - the pages of managed variables, registered with the driver.
 *
 * A page can be registered once, and a copy may not go from one registered piece to the
 * next: so pieces that touch are registered as one. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <unistd.h>

#include "library.h"
#include "managed.h"
#include "log.h"

struct piece {
	struct piece *next;
	uintptr_t from, end;
};

static struct piece *pieces;

static void share(struct piece *p)
{
	cudaError_t (*share)(void *, size_t, unsigned);
	*(void **)&share = library_function("cudaHostRegister");
	cudaError_t error = share ? share((void *)p->from, p->end - p->from,
					  cudaHostRegisterPortable | cudaHostRegisterMapped)
				  : cudaErrorNotSupported;
	if (error)
		log_once("a __managed__ variable's memory cannot be shared with the GPU: error %d",
			 (int)error);
}

static void unshare(const struct piece *p)
{
	cudaError_t (*unshare)(void *);
	*(void **)&unshare = library_function("cudaHostUnregister");
	if (unshare)
		unshare((void *)p->from);
}

void managed_pages_share(const void *from, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)from;
	struct piece *all = malloc(sizeof *all);
	if (!all) {
		log_line("out of memory while variables are registered");
		exit(1);
	}
	*all = (struct piece){.from = start & ~(page - 1),
			      .end = (start + size + page - 1) & ~(page - 1)};
	for (struct piece *p = pieces; p; p = p->next)
		if (p->from <= all->from && p->end >= all->end) {
			free(all);
			return;
		}
	for (struct piece **at = &pieces; *at;) {
		struct piece *p = *at;
		if (p->end < all->from || p->from > all->end) {
			at = &p->next;
			continue;
		}
		unshare(p);
		all->from = p->from < all->from ? p->from : all->from;
		all->end = p->end > all->end ? p->end : all->end;
		*at = p->next;
		free(p);
	}
	all->next = pieces;
	pieces = all;
	share(all);
}

void managed_pages_release(bool (*used)(uintptr_t from, uintptr_t end))
{
	for (struct piece **at = &pieces; *at;) {
		struct piece *p = *at;
		if (used(p->from, p->end)) {
			at = &p->next;
			continue;
		}
		unshare(p);
		*at = p->next;
		free(p);
	}
}
