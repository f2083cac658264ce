/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_shared.c - which of a function's variables are __shared__. DWARF has no
 * word for it; the modules' tables name them. */
#include <stdio.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"

/* Mangled "_ZZ" FUNCTION "E" LENGTH NAME, then perhaps a number: a variable of a
 * function. */
static bool is_functions(const char *mangled, const char *linkage, const char *tail)
{
	size_t n = strlen(linkage), k = strlen(tail);
	if (n < 2 || strncmp(mangled, "_Z", 2) || strncmp(mangled + 2, linkage + 1, n - 1))
		return false;
	const char *rest = mangled + 2 + n - 1;
	return !strncmp(rest, tail, k) && (!rest[k] || rest[k] == '_');
}

/* Of a namespace: "name", "_ZN...4nameE", "_ZL4name". Those of a static one are
 * followed by what the device compiler adds, as in "_ZL4name.1". */
static bool is_namespaces(const char *mangled, const char *name)
{
	const char *begin, *end, *whole = symbols_demangle(mangled), *last;
	size_t n;
	if (!strncmp(mangled, "_ZZ", 3))
		return false;
	name_cut(whole, &begin, &end);
	name_last(begin, &last, &n);
	return strlen(name) == n && !strncmp(last, name, n);
}

bool name_is_shared(const char *linkage, const char *name)
{
	const struct cudasim_module *const *modules;
	char tail[512];
	size_t n;
	snprintf(tail, sizeof tail, "E%zu%s", strlen(name), name);
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++)
		for (uint64_t k = 0; k < modules[i]->n_kernels; k++)
			for (uint32_t j = 0; j < modules[i]->kernels[k].n_shared; j++) {
				const char *mangled = modules[i]->kernels[k].shared[j].name;
				if (is_functions(mangled, linkage, tail) ||
				    is_namespaces(mangled, name))
					return true;
			}
	return false;
}
