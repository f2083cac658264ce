/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda_shared.c - info shared: the window of shared memory by its variables; info cuda
 * pipeline: the mbarriers in it.
 *
 * Which variables a kernel has stands in its module; their types are those of the debug information.
 * An mbarrier is found by its type (cuda::barrier and the like), or because a thread waits for it:
 * one that a program keeps in a uint64_t looks like any number until then. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_cuda.h"
#include "console.h"
#include "cudasim/abi.h"
#include "error.h"
#include "stack.h"
#include "table.h"
#include "value.h"

/* ---- variables ------------------------------------------------------------------------------ */

struct shared {
	char name[256];
	uint32_t offset;
	uint64_t bytes;
	const struct type *type; /* NULL: not known */
	bool is_dynamic;
};

/* Of "_ZZ" FUNCTION "E4tile" and what the compiler may add: the function, as it is mangled. */
static bool function_of(const char *mangled, const char *name, char *ret, size_t size)
{
	char tail[300];
	snprintf(tail, sizeof tail, "E%zu%s", strlen(name), name);
	const char *end = !strncmp(mangled, "_ZZ", 3) ? strstr(mangled, tail) : NULL;
	if (!end || (size_t)(end - mangled) >= size)
		return false;
	snprintf(ret, size, "_Z%.*s", (int)(end - mangled - 3), mangled + 3);
	return true;
}

/* The last of a qualified name: "kernel(float*)::tile" is tile. */
static const char *last_name(const char *name)
{
	const char *last = name;
	int depth = 0;
	for (const char *c = name; *c; c++) {
		depth += strchr("(<", *c) ? 1 : strchr(")>", *c) ? -1 : 0;
		if (!depth && c[0] == ':' && c[1] == ':')
			last = c + 2;
	}
	return last;
}

static const struct type *type_in(uint64_t pc, const char *name)
{
	const struct scope *scopes;
	size_t n = symbols_scopes(pc, &scopes);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < scopes[i].n_variables; k++) {
			const struct variable *v = &scopes[i].variables[k];
			if (v->storage == STORAGE_SHARED && v->name && !strcmp(v->name, name))
				return v->type;
		}
	return NULL;
}

/* A variable of a function is in one of its blocks, which are where their code is. */
static const struct type *find_type(const char *mangled, const char *name)
{
	char linkage[1024];
	const struct function *f;
	const struct variable *v;
	if (!function_of(mangled, name, linkage, sizeof linkage))
		return symbols_globals(name, &v, 1) && v->storage == STORAGE_SHARED ? v->type
										    : NULL;
	if (!symbols_functions(linkage, &f, 1))
		return NULL;
	uint64_t step = (f->high - f->low) / 512 + 1;
	for (uint64_t pc = f->low; pc < f->high; pc += step) {
		const struct type *type = type_in(pc, name);
		if (type)
			return type;
	}
	return NULL;
}

/* A variable with a constructor is one of a class that the driver's dialect puts around it. */
static void unwrap(struct shared *s)
{
	static const char prefix[] = "__cudasim_raw_";
	size_t n = sizeof prefix - 1;
	const char *open = s->type && s->type->name ? strchr(s->type->name, '<') : NULL;
	char inner[1024];
	if (strncmp(s->name, prefix, n))
		return;
	memmove(s->name, s->name + n, strlen(s->name + n) + 1);
	if (!open || strncmp(s->type->name, prefix, n - 1) || strlen(open) < 3)
		return;
	/* Its debug information may be a declaration, of which the name is all there is. */
	snprintf(inner, sizeof inner, "%.*s", (int)strlen(open) - 2, open + 1);
	n = strlen(inner);
	inner[n - (n && inner[n - 1] == ' ')] = 0;
	const struct type *type = symbols_type(inner, NULL);
	s->type = type ? type : s->type;
}

/* Dynamic memory begins behind the static variables, aligned. */
static uint32_t dynamic_offset(const struct cudasim_launch *launch)
{
	uint32_t align = launch->kernel->dynamic_shared_align;
	uint32_t end = CUDASIM_RESERVED_SHARED_BYTES + launch->kernel->static_shared_bytes;
	align = align ? align : 16;
	return (end + align - 1) / align * align;
}

static void describe(const struct cudasim_launch *launch, const struct cudasim_shared *from,
		     struct shared *ret)
{
	char mangled[1024];
	snprintf(mangled, sizeof mangled, "%s", from->name);
	mangled[strcspn(mangled, ".")] = 0; /* behind it is what the device compiler adds */
	snprintf(ret->name, sizeof ret->name, "%s", last_name(symbols_demangle(mangled)));
	ret->is_dynamic = !from->size;
	ret->offset = ret->is_dynamic ? dynamic_offset(launch) : from->offset;
	ret->bytes = from->size ? from->size : launch->dynamic_shared_bytes;
	ret->type = find_type(mangled, ret->name);
	unwrap(ret);
}

static int by_offset(const void *a, const void *b)
{
	const struct shared *x = a, *y = b;
	return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
				      : strcmp(x->name, y->name);
}

/* The kernel's variables by where they lie; malloc'ed. */
static struct shared *shared_of(const struct cudasim_launch *launch, size_t *ret_n)
{
	const struct cudasim_kernel *kernel = launch->kernel;
	struct shared *all = calloc(kernel->n_shared + 1, sizeof *all);
	for (uint32_t i = 0; all && i < kernel->n_shared; i++)
		describe(launch, &kernel->shared[i], &all[i]);
	if (all)
		qsort(all, kernel->n_shared, sizeof *all, by_offset);
	*ret_n = kernel->n_shared;
	return all;
}

/* ---- info shared ------------------------------------------------------------------------------ */

static const struct column shared_columns[] = {
	{"Offset", COLUMN_RIGHT, 0}, {"Bytes", COLUMN_RIGHT, 0}, {"Kind", COLUMN_LEFT, 0},
	{"Type", COLUMN_LEFT, 0},    {"Name", COLUMN_LEFT, 0},   {NULL, 0, 0},
};

enum { MOST_TYPE = 60 };

/* Without versions, and cut where it is long. */
static void type_name(const struct type *type, char *to, size_t size)
{
	symbols_plain_name(type ? type_text(type) : "?", true, to, size);
	if (strlen(to) > MOST_TYPE)
		strcpy(to + MOST_TYPE - 3, "...");
}

static void shared_row(struct table *table, uint64_t offset, uint64_t bytes, const char *kind,
		       const char *type, const char *name)
{
	table_row(table, false);
	table_cell(table, "0x%" PRIx64, offset);
	table_cell(table, "%" PRIu64, bytes);
	table_cell(table, "%s", kind);
	table_cell(table, "%s", type);
	table_cell(table, "%s", name);
}

static void print_map(const struct cudasim_block *block, const struct shared *all, size_t n)
{
	const struct cudasim_launch *launch = block->launch;
	uint64_t end = CUDASIM_RESERVED_SHARED_BYTES;
	char type[512];
	bool any_dynamic = false;
	struct table *table = table_new(shared_columns);
	shared_row(table, 0, end, "reserved", "", "");
	for (size_t i = 0; i < n; i++) {
		const struct shared *s = &all[i];
		if (s->offset > end)
			shared_row(table, end, s->offset - end, "unused", "", "");
		type_name(s->type, type, sizeof type);
		shared_row(table, s->offset, s->bytes, s->is_dynamic ? "dynamic" : "static", type,
			   s->name);
		end = s->offset + s->bytes > end ? s->offset + s->bytes : end;
		any_dynamic |= s->is_dynamic;
	}
	if (launch->dynamic_shared_bytes && !any_dynamic) {
		shared_row(table, dynamic_offset(launch), launch->dynamic_shared_bytes, "dynamic",
			   "", "");
		end = dynamic_offset(launch) + launch->dynamic_shared_bytes;
	}
	if (end < block->shared_bytes)
		shared_row(table, end, block->shared_bytes - end, "unused", "", "");
	table_print(console(), table);
	table_free(table);
}

struct cudasim_error *info_shared(const char *argument)
{
	const struct focus *focus = focus_get();
	size_t n;
	if (*argument)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"info shared takes no arguments: libraries are listed by info "
			"sharedlibrary.");
	if (!focus->is_device)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"Focus not set on any active CUDA kernel: libraries are listed "
			"by info sharedlibrary.");
	struct shared *all = shared_of(focus->launch, &n);
	if (!all)
		return &cudasim_error_nomem;
	fprintf(console(),
		"Shared memory of block (%u,%u,%u): %" PRIu32 " bytes static, %" PRIu32
		" dynamic.\n",
		focus->block->ctaid[0], focus->block->ctaid[1], focus->block->ctaid[2],
		focus->launch->kernel->static_shared_bytes, focus->launch->dynamic_shared_bytes);
	print_map(focus->block, all, n);
	free(all);
	return NULL;
}

/* ---- mbarriers ---------------------------------------------------------------------------------- */

enum { MOST_MBARRIERS = 256, MOST_ELEMENTS = 64, MAX_DEPTH = 8 };

struct mbarrier {
	uint32_t offset;
	char name[300];
};
struct mbarriers {
	struct mbarrier all[MOST_MBARRIERS];
	size_t n;
	bool more; /* than there is room for */
};

static void add(struct mbarriers *to, uint32_t offset, const char *name)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->all[i].offset == offset)
			return;
	if (to->n == MOST_MBARRIERS) {
		to->more = true;
		return;
	}
	to->all[to->n].offset = offset;
	snprintf(to->all[to->n++].name, sizeof to->all->name, "%s", name);
}

static bool is_mbarrier(const struct type *type)
{
	enum { SCOPE_BLOCK = 2 }; /* cuda::thread_scope_block */
	static const char *const names[] = {"__mbarrier_t", "cutlass::arch::ClusterBarrier",
					    "cutlass::arch::ClusterTransactionBarrier",
					    "nvcuda::experimental::awbarrier"};
	char plain[128] = "";
	if (!type->name)
		return false;
	symbols_plain_name(type->name, false, plain, sizeof plain);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(plain, names[i]))
			return true;
	return !strcmp(plain, "cuda::barrier") && type->n_arguments &&
	       type->arguments[0].is_value && type->arguments[0].value == SCOPE_BLOCK;
}

/* Those in an object of the type; typedefs are looked at by their names, too. */
static void find_in(const struct type *type, uint64_t offset, const char *name, int depth,
		    struct mbarriers *ret)
{
	char inner[256];
	while (type && type->kind == TYPE_TYPEDEF && !is_mbarrier(type))
		type = type->target;
	if (!type || depth > MAX_DEPTH)
		return;
	if (is_mbarrier(type)) {
		add(ret, (uint32_t)offset, name);
		return;
	}
	if (type->kind == TYPE_ARRAY && type->target) {
		uint64_t size = type_strip(type->target)->size;
		for (uint64_t i = 0; i < type->n && i < MOST_ELEMENTS; i++) {
			snprintf(inner, sizeof inner, "%.200s[%" PRIu64 "]", name, i);
			find_in(type->target, offset + i * size, inner, depth + 1, ret);
		}
	}
	for (size_t i = 0; type->kind == TYPE_STRUCT && i < type->n_members; i++) {
		const struct member *m = &type->members[i];
		if (m->is_static || m->bit_size || m->is_virtual_base)
			continue;
		snprintf(inner, sizeof inner, m->name ? "%.200s.%.50s" : "%.200s", name, m->name);
		find_in(m->type, offset + m->offset, inner, depth + 1, ret);
	}
}

/* Those that threads of the block wait for. */
static void find_waited(struct cudasim_block *block, const struct shared *all, size_t n,
			struct mbarriers *ret)
{
	char name[300];
	for (uint32_t i = 0; i < cudasim_block_size(block); i++) {
		struct cudasim_thread_status status;
		cudasim_thread_status(cudasim_block_thread(block, i), &status);
		uint64_t offset = (uintptr_t)status.mbarrier - (uintptr_t)block->shared;
		if (!status.mbarrier || offset >= block->shared_bytes)
			continue;
		snprintf(name, sizeof name, "?");
		for (size_t k = 0; k < n; k++)
			if (offset >= all[k].offset && offset - all[k].offset < all[k].bytes)
				snprintf(name, sizeof name,
					 offset == all[k].offset ? "%s" : "%s + %" PRIu64,
					 all[k].name, offset - all[k].offset);
		add(ret, (uint32_t)offset, name);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct mbarrier *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* "0-2,5": linear numbers of the threads that wait for it; malloc'ed. */
static char *waiting(struct cudasim_block *block, uint32_t offset)
{
	char *text = NULL;
	size_t size;
	const char *comma = "";
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (uint32_t i = 0, n = cudasim_block_size(block); i < n; i++) {
		struct cudasim_thread_status status;
		uint32_t first = i;
		for (; i < n; i++) {
			cudasim_thread_status(cudasim_block_thread(block, i), &status);
			if (status.mbarrier != (const char *)block->shared + offset)
				break;
		}
		if (i == first)
			continue;
		fprintf(out, i - first > 1 ? "%s%u-%u" : "%s%u", comma, first, i - 1);
		comma = ",";
	}
	fclose(out);
	return text;
}

static const struct column mbarrier_columns[] = {
	{"BlockIdx", COLUMN_RIGHT, 0},
	{"Offset", COLUMN_RIGHT, 0},
	{"Name", COLUMN_LEFT, 0},
	{"Parity", COLUMN_RIGHT, 0},
	{"Arrived", COLUMN_RIGHT, 0},
	{"Expected", COLUMN_RIGHT, 0},
	{"Bytes", COLUMN_RIGHT, 0},
	{"Waiting threads", COLUMN_LEFT, 0},
	{NULL, 0, 0},
};

/* The object's 64 bits: see cudasim/abi.h. */
static void mbarrier_row(struct table *table, struct cudasim_block *block,
			 const struct mbarrier *mbarrier)
{
	enum { BITS = CUDASIM_MBARRIER_COUNT_BITS, COUNT = (1 << BITS) - 1 };
	uint64_t state = 0;
	char *who = waiting(block, mbarrier->offset);
	struct cudasim_error *error = value_memory_read((uintptr_t)block->shared + mbarrier->offset,
							&state, sizeof state);
	uint32_t pending = state & COUNT, expected = state >> BITS & COUNT;
	int64_t bytes = (int64_t)(state << 1) >> (2 * BITS + 1);
	table_row(table, block == focus_get()->block);
	table_cell(table, "(%u,%u,%u)", block->ctaid[0], block->ctaid[1], block->ctaid[2]);
	table_cell(table, "0x%x", mbarrier->offset);
	table_cell(table, "%s", mbarrier->name);
	if (error || !expected || pending > expected) {
		table_cell(table, "-");
		table_cell(table, "-");
		table_cell(table, "-");
		table_cell(table, "-");
	} else {
		table_cell(table, "%u", (unsigned)(state >> CUDASIM_MBARRIER_PARITY_BIT));
		table_cell(table, "%u", expected - pending);
		table_cell(table, "%u", expected);
		table_cell(table, "%" PRId64, bytes);
	}
	table_cell(table, "%s", who ? who : "");
	cudasim_error_free(error);
	free(who);
}

static void print_block(struct table *table, struct cudasim_block *block, bool *more)
{
	size_t n;
	struct mbarriers *found = calloc(1, sizeof *found);
	struct shared *all = shared_of(block->launch, &n);
	for (size_t i = 0; found && all && i < n; i++)
		if (all[i].type)
			find_in(all[i].type, all[i].offset, all[i].name, 0, found);
	if (found && all)
		find_waited(block, all, n, found);
	if (found && found->n)
		qsort(found->all, found->n, sizeof *found->all, by_place);
	for (size_t i = 0; found && i < found->n; i++)
		mbarrier_row(table, block, &found->all[i]);
	*more |= found && found->more;
	free(all);
	free(found);
}

struct cudasim_error *info_pipeline(const char *argument)
{
	struct coordinates c;
	struct cudasim_block **blocks;
	bool more = false;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda pipeline", &c);
	if (error)
		return error;
	if (!focus_get()->is_device)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Focus not set on any active CUDA kernel.");
	coordinates_default(&c, COORDINATE_KERNEL);
	coordinates_default(&c, COORDINATE_BLOCK);
	struct table *table = table_new(mbarrier_columns);
	size_t n = coordinates_blocks(&c, &blocks);
	for (size_t i = 0; i < n; i++)
		print_block(table, blocks[i], &more);
	if (table_is_empty(table))
		fputs("No mbarriers are known.\n", console());
	else
		table_print(console(), table);
	if (more)
		fprintf(console(), "... more than %d\n", MOST_MBARRIERS);
	fputs("Copies in flight: none, as asynchronous copies are carried out when they are issued.\n",
	      console());
	table_free(table);
	free(blocks);
	return NULL;
}
