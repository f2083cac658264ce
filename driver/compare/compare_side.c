/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "compare.h"

extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

static ssize_t read_side(void *from, void *to, size_t n)
{
	return read(((struct side *)from)->file, to, n);
}

void side_init(struct side *side, const char *label, int file, bool live, const char *name)
{
	*side = (struct side){.label = label, .file = file, .live = live};
	record_reader_init(&side->reader, read_side, side, name);
}

static void forget_launch(struct side *side)
{
	free(side->launch.kernel);
	free(side->launch.display);
	side->launch = (struct side_launch){0};
	side->n_changes = 0;
	for (size_t i = 0; i < side->n_pieces; i++)
		piece_fini(&side->pieces[i]);
	side->n_pieces = 0;
}

void side_fini(struct side *side)
{
	forget_launch(side);
	record_reader_fini(&side->reader);
	for (uint32_t i = 0; i < side->n_memories; i++) {
		free(side->memories[i].name);
		free(side->memories[i].place);
		free(side->memories[i].plain);
		free(side->memories[i].normal);
	}
	for (size_t i = 0; i < side->n_owners; i++)
		free(side->owners[i].place);
	free(side->owners);
	free(side->memories);
	free(side->allocations);
	free(side->changes);
	free(side->pieces);
	free(side->device);
	if (side->file >= 0)
		close(side->file);
	*side = (struct side){.file = -1};
}

void piece_fini(struct piece *piece)
{
	free(piece->bytes);
	free(piece->addresses);
	*piece = (struct piece){0};
}

/* Room for one more in the array that the pointer at `array` points to; false without
 * memory. */
static bool room(void *array, size_t n, size_t *capacity, size_t size)
{
	if (n < *capacity)
		return true;
	size_t more = *capacity ? 2 * *capacity : 64;
	void *old;
	memcpy(&old, array, sizeof old);
	void *bigger = realloc(old, more * size);
	if (!bigger)
		return false;
	memcpy(array, &bigger, sizeof bigger);
	*capacity = more;
	return true;
}

/* ---- frames ----------------------------------------------------------------------- */

static struct cudasim_error *add_memory(struct side *side, const struct record_event *e)
{
	size_t capacity = side->capacity;
	if (!room(&side->memories, side->n_memories, &capacity, sizeof *side->memories))
		return &cudasim_error_nomem;
	if (capacity != side->capacity) {
		uint32_t *more = realloc(side->allocations, capacity * sizeof *more);
		if (!more)
			return &cudasim_error_nomem;
		side->allocations = more;
		side->capacity = (uint32_t)capacity;
	}
	struct side_memory *m = &side->memories[side->n_memories];
	*m = (struct side_memory){.kind = e->memory.kind,
				  .size = e->memory.size,
				  .chunk = e->memory.chunk,
				  .name = text_copy(e->memory.name),
				  .place = text_copy(e->memory.place),
				  .type = value_type_named(e->memory.element)};
	if (m->kind != RECORD_VARIABLE) {
		m->ordinal = side->n_allocations;
		side->allocations[side->n_allocations++] = side->n_memories;
	}
	side->n_memories++;
	return NULL;
}

static uint32_t n_chunks(const struct side_memory *m)
{
	return (uint32_t)((m->size - 1) / m->chunk + 1);
}

static struct cudasim_error *add_chunks(struct side *side, const struct record_event *e)
{
	struct side_memory *m = &side->memories[e->chunks.memory];
	if (!m->plain) {
		m->plain = calloc(n_chunks(m), sizeof *m->plain);
		m->normal = calloc(n_chunks(m), sizeof *m->normal);
		if (!m->plain || !m->normal)
			return &cudasim_error_nomem;
	}
	for (uint32_t i = 0; i < e->chunks.n; i++) {
		const struct record_chunk *c = &e->chunks.chunks[i];
		if (!room(&side->changes, side->n_changes, &side->changes_capacity,
			  sizeof *side->changes))
			return &cudasim_error_nomem;
		side->changes[side->n_changes++] = (struct change){e->chunks.memory, *c};
		if (c->chunk != RECORD_WHOLE) {
			m->plain[c->chunk] = c->plain;
			m->normal[c->chunk] = c->normal;
		}
	}
	return NULL;
}

static struct cudasim_error *copy_piece(const struct record_event *e, struct piece *ret)
{
	size_t n_addresses = e->data.n_addresses;
	*ret = (struct piece){.memory = e->data.memory,
			      .offset = e->data.offset,
			      .n = e->data.n,
			      .n_addresses = e->data.n_addresses};
	ret->bytes = malloc(ret->n + 1u);
	ret->addresses = malloc((n_addresses + 1) * sizeof *ret->addresses);
	if (!ret->bytes || !ret->addresses) {
		piece_fini(ret);
		return &cudasim_error_nomem;
	}
	if (ret->n)
		memcpy(ret->bytes, e->data.bytes, ret->n);
	if (n_addresses)
		memcpy(ret->addresses, e->data.addresses, n_addresses * sizeof *ret->addresses);
	return NULL;
}

static struct cudasim_error *add_piece(struct side *side, const struct record_event *e)
{
	if (!room(&side->pieces, side->n_pieces, &side->pieces_capacity, sizeof *side->pieces))
		return &cudasim_error_nomem;
	struct cudasim_error *error = copy_piece(e, &side->pieces[side->n_pieces]);
	if (!error)
		side->n_pieces++;
	return error;
}

/* What parameters' types tell of the memory that they point to. */
static void learn_types(struct side *side, const char *demangled, const struct record_event *e)
{
	enum { MAX = 256 };
	enum value_type types[MAX];
	size_t n = value_types_of_parameters(demangled, types, MAX);
	for (uint32_t i = 0; i < e->launch.n_pointers; i++) {
		const struct record_pointer *p = &e->launch.pointers[i];
		if (!p->at && p->parameter < n && types[p->parameter])
			side->memories[p->memory].type = types[p->parameter];
	}
}

/* "axpy<float>" of "void axpy<float>(float*)": what is written in programs. */
static char *without_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;
	for (; end && end >= name; end--) {
		depth += *end == ')';
		depth -= *end == '(';
		if (!depth)
			break;
	}
	size_t n = end && end > name ? (size_t)(end - name) : strlen(name);
	size_t from = !strncmp(name, "void ", 5) && n > 5 ? 5 : 0;
	return text_copy_n(name + from, n - from);
}

static void begin_launch(struct side *side, const struct record_event *e)
{
	struct side_launch *l = &side->launch;
	int status;
	forget_launch(side);
	l->index = e->launch.index;
	l->stream = e->launch.stream;
	l->shared = e->launch.shared;
	l->watched = e->launch.watched;
	memcpy(l->grid, e->launch.grid, sizeof l->grid);
	memcpy(l->block, e->launch.block, sizeof l->block);
	l->kernel = text_copy(e->launch.kernel);
	char *demangled = strncmp(l->kernel, "_Z", 2)
				  ? NULL
				  : __cxa_demangle(l->kernel, NULL, NULL, &status);
	learn_types(side, demangled ? demangled : l->kernel, e);
	l->display = without_parameters(demangled ? demangled : l->kernel);
	free(demangled);
}

static struct cudasim_error *add_owner(struct side *side, const struct record_event *e)
{
	if (e->owner.question != side->n_owners)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: an unexpected answer",
					 side->reader.name);
	struct owner *more = realloc(side->owners, (side->n_owners + 1) * sizeof *more);
	if (!more)
		return &cudasim_error_nomem;
	side->owners = more;
	struct owner *o = &more[side->n_owners++];
	o->found = e->owner.found;
	memcpy(o->block, e->owner.block, sizeof o->block);
	memcpy(o->thread, e->owner.thread, sizeof o->thread);
	o->place = text_copy(e->owner.place);
	return NULL;
}

/* Memory is told by address, and addresses have another order in another run. */
static int by_memory(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->to.chunk < y->to.chunk ? -1 : x->to.chunk > y->to.chunk;
}

static struct cudasim_error *obey(struct side *side, const struct record_event *e)
{
	switch (e->kind) {
	case RECORD_HEADER:
		side->has_header = true;
		side->simulated = e->header.simulated;
		side->device = text_copy(e->header.device);
		return NULL;
	case RECORD_MEMORY:
		return add_memory(side, e);
	case RECORD_FREE:
		side->memories[e->freed].freed = true;
		return NULL;
	case RECORD_LAUNCH:
		begin_launch(side, e);
		return NULL;
	case RECORD_CHUNKS:
		return add_chunks(side, e);
	case RECORD_DATA:
		return add_piece(side, e);
	case RECORD_LAUNCH_END:
		side->launch.error = e->end.error;
		side->launch.limited = e->end.limited;
		side->uses_heap |= e->end.heap;
		if (side->n_changes)
			qsort(side->changes, side->n_changes, sizeof *side->changes, by_memory);
		return NULL;
	case RECORD_OWNER:
		return add_owner(side, e);
	case RECORD_END:
		side->has_ended = true;
		return NULL;
	}
	return NULL;
}

struct cudasim_error *side_next(struct side *side, bool *ret_more)
{
	struct record_event e;
	struct cudasim_error *error;
	bool more;
	*ret_more = false;
	do {
		error = record_reader_next(&side->reader, &e, &more);
		if (!error && more)
			error = obey(side, &e);
	} while (!error && more && e.kind != RECORD_LAUNCH_END);
	side->is_closed = !error && !more;
	*ret_more = !error && more;
	return error;
}

/* ---- asking ------------------------------------------------------------------------- */

static struct cudasim_error *ask(struct side *side, const struct record_request *request)
{
	const char *at = (const char *)request;
	for (size_t n = sizeof *request; n;) {
		ssize_t done = send(side->file, at, n, MSG_NOSIGNAL);
		if (done < 0 && errno != EINTR)
			return cudasim_error_errno(errno, "cannot ask the %s run", side->label);
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return NULL;
}

void side_go(struct side *side)
{
	/* A process that has died is noticed when its side is read. */
	if (side->live)
		cudasim_error_free(ask(side, &(struct record_request){.kind = RECORD_GO}));
}

struct cudasim_error *side_read(struct side *side, uint32_t memory, uint64_t offset, uint32_t n,
				struct piece *ret)
{
	struct record_event e;
	bool more;
	struct cudasim_error *error =
		ask(side, &(struct record_request){
				  .kind = RECORD_READ, .memory = memory, .offset = offset, .n = n});
	if (!error)
		error = record_reader_next(&side->reader, &e, &more);
	if (error)
		return error;
	if (!more || e.kind != RECORD_DATA || e.data.memory != memory || e.data.offset != offset ||
	    e.data.n != n)
		return cudasim_error_new(CUDASIM_E_SYSTEM,
					 "the %s run cannot read %u bytes of its memory",
					 side->label, n);
	return copy_piece(&e, ret);
}

uint32_t side_match(const struct side *side, uint32_t memory, const struct side *other)
{
	const struct side_memory *m = &side->memories[memory];
	if (m->kind != RECORD_VARIABLE)
		return m->ordinal < other->n_allocations ? other->allocations[m->ordinal]
							 : UINT32_MAX;
	/* The same number but where the two were built by different compilers. */
	if (memory < other->n_memories && other->memories[memory].kind == RECORD_VARIABLE &&
	    !strcmp(m->name, other->memories[memory].name))
		return memory;
	for (uint32_t i = 0; i < other->n_memories; i++)
		if (other->memories[i].kind == RECORD_VARIABLE && !other->memories[i].freed &&
		    !strcmp(m->name, other->memories[i].name))
			return i;
	return UINT32_MAX;
}
