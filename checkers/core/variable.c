/* SPDX-License-Identifier: Apache-2.0 */
#include "variable.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"

/* The component that ends at `end`: a length in decimal and the name; NULL where none does.
 * The longest, for a name may hold digits itself. */
static const char *component(const char *name, const char *end, bool local, int *length)
{
	for (const char *p = name + 2; p < end; p++) {
		char *rest;
		if (!isdigit((unsigned char)*p) || isdigit((unsigned char)p[-1]) ||
		    (local && p[-1] != 'E'))
			continue;
		unsigned long n = strtoul(p, &rest, 10);
		if (n && rest < end && n == (size_t)(end - rest)) {
			*length = (int)n;
			return rest;
		}
	}
	return NULL;
}

/* The last component of a mangled name (Itanium C++ ABI, 5.1.2 and 5.1.6). Of a function's
 * variable an E stands before it, and its number may stand behind it (_0, __10_). Names that
 * are not C++'s, and those that are made otherwise, stay as they are. */
static const char *last_name(const char *name, int *length)
{
	const char *end = name + strlen(name), *number = end, *found = NULL;
	bool local = !strncmp(name, "_ZZ", 3);
	if (!strncmp(name, "_Z", 2))
		found = component(name, end - (!local && end[-1] == 'E'), local, length);
	if (found || !local) {
		*length = found ? *length : (int)(end - name);
		return found ? found : name;
	}
	if (number[-1] == '_')
		number--;
	while (isdigit((unsigned char)number[-1]))
		number--;
	while (number[-1] == '_' && end - number < 16)
		if ((found = component(name, --number, local, length)))
			return found;
	*length = (int)(end - name);
	return name;
}

static void set_words(struct variable *v, const char *space, const char *name)
{
	int length;
	name = last_name(name, &length);
	snprintf(v->words, sizeof v->words, "the %s variable %.*s", space, length, name);
}

bool variable_shared(const struct cudasim_block *block, uint64_t offset, struct variable *ret)
{
	const struct cudasim_kernel *kernel = block->launch->kernel;
	const struct cudasim_shared *found = NULL;
	bool dynamic = block->dynamic_shared_bytes && offset >= block->dynamic_shared_offset;
	for (uint32_t i = 0; i < kernel->n_shared; i++) {
		const struct cudasim_shared *s = &kernel->shared[i];
		if (dynamic ? s->size != 0 : !s->size || s->offset > offset)
			continue;
		if (dynamic && found)
			return false; /* they all begin at the same place */
		if (!found || s->offset > found->offset)
			found = s;
	}
	if (!found)
		return false;
	*ret = (struct variable){
		.begin = dynamic ? block->dynamic_shared_offset : found->offset,
		.size = dynamic ? block->dynamic_shared_bytes : found->size,
	};
	set_words(ret, "__shared__", found->name);
	return true;
}

bool variable_global(const void *address, struct variable *ret)
{
	struct cudasim_memory memory;
	const struct cudasim_variable *v = NULL;
	void *at;
	bool inside, freed;
	if (!cudasim_memory_find(address, &memory, &inside, &freed) || !inside || freed ||
	    memory.kind != CUDASIM_MEMORY_VARIABLE || !memory.function)
		return false;
	*ret = (struct variable){
		.begin = (uint64_t)(uintptr_t)memory.address,
		.size = memory.size,
	};
	cudasim_error_free(
		cudasim_variable_find(NULL, memory.function, (uint32_t)memory.device, &at, &v));
	uint32_t flags = v ? v->flags : 0;
	snprintf(ret->words, sizeof ret->words, "the %s variable %s",
		 flags & CUDASIM_VARIABLE_CONSTANT  ? "__constant__"
		 : flags & CUDASIM_VARIABLE_MANAGED ? "__managed__"
						    : "__device__",
		 memory.function);
	return true;
}
