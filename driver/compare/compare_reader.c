/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cudasim_error *damaged(const struct record_reader *r, const char *what)
{
	return cudasim_error_new(CUDASIM_E_FORMAT,
				 "%s: the recording is damaged before byte %llu: %s", r->name,
				 (unsigned long long)r->at, what);
}

void record_reader_init(struct record_reader *reader, record_read_fn *read, void *from,
			const char *name)
{
	*reader = (struct record_reader){.read = read, .from = from, .name = name};
}

void record_reader_fini(struct record_reader *r)
{
	free(r->frame);
	free(r->text[0]);
	free(r->text[1]);
	free(r->text[2]);
	free(r->array);
	free(r->known);
	*r = (struct record_reader){0};
}

/* ---- bytes ---------------------------------------------------------------------- */

/* *got is below n only at the end. */
static struct cudasim_error *read_all(struct record_reader *r, void *to, size_t n, size_t *got)
{
	*got = 0;
	while (*got < n) {
		ssize_t done = r->read(r->from, (char *)to + *got, n - *got);
		if (!done || (done < 0 && errno == ECONNRESET))
			break;
		if (done < 0 && errno != EINTR)
			return cudasim_error_errno(errno, "cannot read %s", r->name);
		if (done > 0)
			*got += (size_t)done;
	}
	r->at += *got;
	return NULL;
}

static struct cudasim_error *read_frame(struct record_reader *r, uint32_t *kind, bool *more)
{
	uint32_t head[2];
	size_t got;
	struct cudasim_error *error = read_all(r, head, sizeof head, &got);
	*more = got == sizeof head;
	if (error || !got)
		return error;
	if (!*more)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: %s", r->name,
					 r->has_header ? "the recording is cut short"
						       : "this is not a recording");
	*kind = head[0];
	/* The first frame tells whether the sizes mean anything. */
	if (!r->has_header && (*kind != RECORD_HEADER || head[1] > 3 * RECORD_MAX_TEXT))
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: this is not a recording", r->name);
	if (head[1] > RECORD_MAX_FRAME)
		return damaged(r, "a frame is too long");
	if (head[1] >= r->frame_capacity) {
		unsigned char *bigger = realloc(r->frame, head[1] + 1u);
		if (!bigger)
			return &cudasim_error_nomem;
		r->frame = bigger;
		r->frame_capacity = head[1] + 1u;
	}
	error = read_all(r, r->frame, head[1], &got);
	if (!error && got != head[1])
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: the recording is cut short",
					  r->name);
	r->n = got;
	r->used = 0;
	return error;
}

/* ---- what a payload is made of: past its end everything is 0, and `used` above n ---- */

static const void *take(struct record_reader *r, size_t n)
{
	const void *at = r->frame + r->used;
	if (r->used > r->n || n > r->n - r->used) {
		r->used = r->n + 1;
		return NULL;
	}
	r->used += n;
	return at;
}

/* What comes next, of size bytes; `to` stays as it is at the end. */
static void take_into(struct record_reader *r, void *to, size_t size)
{
	const void *at = take(r, size);
	if (at)
		memcpy(to, at, size);
}

static uint32_t u32(struct record_reader *r)
{
	uint32_t n = 0;
	take_into(r, &n, sizeof n);
	return n;
}

static uint64_t u64(struct record_reader *r)
{
	uint64_t n = 0;
	take_into(r, &n, sizeof n);
	return n;
}

/* Into slot i; what a terminal would obey is replaced. NULL without memory. */
static const char *text(struct record_reader *r, int i)
{
	uint32_t n = u32(r);
	const char *at = n <= RECORD_MAX_TEXT ? take(r, n) : NULL;
	if (n > RECORD_MAX_TEXT)
		r->used = r->n + 1;
	free(r->text[i]);
	r->text[i] = calloc(1, (size_t)n + 1 > RECORD_MAX_TEXT ? RECORD_MAX_TEXT + 1 : n + 1);
	for (uint32_t k = 0; r->text[i] && at && k < n; k++)
		r->text[i][k] = (unsigned char)at[k] < ' ' || at[k] == 127 ? '?' : at[k];
	return r->text[i];
}

/* Room for n elements; NULL where the frame cannot hold so many, or memory is out. */
static void *array(struct record_reader *r, uint32_t n, size_t in_frame, size_t size)
{
	if (r->used > r->n || n > (r->n - r->used) / in_frame) {
		r->used = r->n + 1;
		return NULL;
	}
	if ((n + 1) * size > r->array_capacity) {
		void *bigger = realloc(r->array, (n + 1) * size);
		if (!bigger)
			return NULL;
		r->array = bigger;
		r->array_capacity = (n + 1) * size;
	}
	return r->array;
}

static void triple(struct record_reader *r, uint32_t to[3])
{
	for (int i = 0; i < 3; i++)
		to[i] = u32(r);
}

/* ---- frames ----------------------------------------------------------------------- */

static bool is_known(const struct record_reader *r, uint32_t memory)
{
	return memory < r->n_known;
}

static struct cudasim_error *header(struct record_reader *r, struct record_event *e)
{
	const void *magic = take(r, 8);
	if (!magic || memcmp(magic, RECORD_MAGIC, 8))
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: this is not a recording", r->name);
	uint32_t version = u32(r);
	if (version < RECORD_OLDEST || version > RECORD_VERSION)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"%s: the recording has version %u, this cudasim reads versions %u to %u",
			r->name, version, RECORD_OLDEST, RECORD_VERSION);
	r->version = version;
	if (r->has_header)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"%s: a second process has written to the recording; compare one program at a time",
			r->name);
	r->has_header = true;
	e->header.simulated = u32(r);
	e->header.device = text(r, 0);
	e->header.program = text(r, 1);
	return e->header.device && e->header.program ? NULL : &cudasim_error_nomem;
}

static struct cudasim_error *memory(struct record_reader *r, struct record_event *e)
{
	e->memory.number = u32(r);
	uint32_t kind = u32(r);
	e->memory.kind = (enum record_memory)kind;
	e->memory.size = u64(r);
	e->memory.chunk = u64(r);
	e->memory.name = text(r, 0);
	e->memory.place = text(r, 1);
	e->memory.element = r->version > 1 ? text(r, 2) : "";
	if (!e->memory.name || !e->memory.place || !e->memory.element)
		return &cudasim_error_nomem;
	uint64_t size = e->memory.size, chunk = e->memory.chunk;
	if (e->memory.number != r->n_known || r->n_known == RECORD_MAX_MEMORIES)
		return damaged(r, "memory out of order");
	if (kind >= RECORD_N_MEMORIES || !size || chunk < RECORD_MIN_CHUNK || chunk & (chunk - 1) ||
	    (size - 1) / chunk >= RECORD_MAX_CHUNKS)
		return damaged(r, "memory of an impossible form");
	if (r->n_known == r->known_capacity) {
		uint32_t more = r->known_capacity ? 2 * r->known_capacity : 64;
		struct known *bigger = realloc(r->known, more * sizeof *bigger);
		if (!bigger)
			return &cudasim_error_nomem;
		r->known = bigger;
		r->known_capacity = more;
	}
	r->known[r->n_known++] = (struct known){size, chunk, false};
	return NULL;
}

static struct cudasim_error *freed(struct record_reader *r, struct record_event *e)
{
	e->freed = u32(r);
	if (!is_known(r, e->freed) || r->known[e->freed].freed)
		return damaged(r, "memory is freed that does not exist");
	r->known[e->freed].freed = true;
	return NULL;
}

static struct cudasim_error *launch(struct record_reader *r, struct record_event *e)
{
	e->launch.index = u64(r);
	e->launch.stream = u32(r);
	triple(r, e->launch.grid);
	triple(r, e->launch.block);
	e->launch.shared = u64(r);
	e->launch.watched = u32(r);
	e->launch.kernel = text(r, 0);
	uint32_t n = e->launch.n_pointers = u32(r);
	struct record_pointer *to = array(r, n, 12, sizeof *to);
	e->launch.pointers = to;
	for (uint32_t i = 0; to && i < n; i++) {
		to[i].parameter = u32(r);
		to[i].at = u32(r);
		to[i].memory = u32(r);
		if (!is_known(r, to[i].memory))
			return damaged(r, "a parameter points to memory that does not exist");
	}
	if (r->in_launch || e->launch.index != r->n_launches)
		return damaged(r, "a launch out of order");
	r->in_launch = true;
	r->n_launches++;
	return e->launch.kernel ? NULL : &cudasim_error_nomem;
}

static struct cudasim_error *chunks(struct record_reader *r, struct record_event *e)
{
	uint32_t m = e->chunks.memory = u32(r), n = e->chunks.n = u32(r);
	struct record_chunk *to = array(r, n, 20, sizeof *to);
	e->chunks.chunks = to;
	if (!r->in_launch || !is_known(r, m) || r->known[m].freed)
		return damaged(r, "chunks of memory that does not exist");
	for (uint32_t i = 0; to && i < n; i++) {
		to[i].chunk = u32(r);
		to[i].plain = u64(r);
		to[i].normal = u64(r);
		if (to[i].chunk == RECORD_WHOLE)
			r->has_whole = true;
		else if (to[i].chunk > (r->known[m].size - 1) / r->known[m].chunk)
			return damaged(r, "a chunk beyond the end of its memory");
		if (i && to[i].chunk <= to[i - 1].chunk)
			return damaged(r, "chunks out of order");
	}
	return NULL;
}

static struct cudasim_error *data(struct record_reader *r, struct record_event *e)
{
	uint32_t m = e->data.memory = u32(r);
	e->data.offset = u64(r);
	e->data.n = u32(r);
	uint32_t n = e->data.n_addresses = u32(r);
	e->data.bytes = take(r, e->data.n);
	struct record_address *to = array(r, n, 16, sizeof *to);
	e->data.addresses = to;
	if (!is_known(r, m) || r->known[m].freed || e->data.n > RECORD_MAX_DATA ||
	    e->data.offset > r->known[m].size || e->data.n > r->known[m].size - e->data.offset)
		return damaged(r, "bytes of memory that does not exist");
	for (uint32_t i = 0; to && i < n; i++) {
		to[i].at = u32(r);
		to[i].memory = u32(r);
		to[i].offset = u64(r);
		if (to[i].at > e->data.n || e->data.n - to[i].at < 8 || !is_known(r, to[i].memory))
			return damaged(r, "an address beyond its bytes");
	}
	return NULL;
}

static struct cudasim_error *launch_end(struct record_reader *r, struct record_event *e)
{
	e->end.error = (int32_t)u32(r);
	uint32_t flags = u32(r);
	e->end.limited = flags & RECORD_LIMITED;
	e->end.heap = flags & RECORD_HEAP;
	if (!r->in_launch)
		return damaged(r, "the end of a launch that has not begun");
	if (r->has_whole && !e->end.limited)
		return damaged(r, "one hash for a memory, where there was room for all");
	r->in_launch = r->has_whole = false;
	return NULL;
}

static struct cudasim_error *owner(struct record_reader *r, struct record_event *e)
{
	e->owner.question = u32(r);
	e->owner.found = u32(r);
	triple(r, e->owner.block);
	triple(r, e->owner.thread);
	e->owner.place = text(r, 0);
	return e->owner.place ? NULL : &cudasim_error_nomem;
}

static struct cudasim_error *end(struct record_reader *r, struct record_event *e)
{
	e->n_launches = u64(r);
	r->has_ended = true;
	return r->in_launch || e->n_launches != r->n_launches
		       ? damaged(r, "it ends within a launch, or launches are missing")
		       : NULL;
}

struct cudasim_error *record_reader_next(struct record_reader *r, struct record_event *ret,
					 bool *ret_more)
{
	static struct cudasim_error *(*const parse[])(struct record_reader *,
						      struct record_event *) = {
		[RECORD_HEADER] = header,         [RECORD_MEMORY] = memory, [RECORD_FREE] = freed,
		[RECORD_LAUNCH] = launch,         [RECORD_CHUNKS] = chunks, [RECORD_DATA] = data,
		[RECORD_LAUNCH_END] = launch_end, [RECORD_OWNER] = owner,   [RECORD_END] = end,
	};
	uint32_t kind = 0;
	*ret = (struct record_event){0};
	struct cudasim_error *error = read_frame(r, &kind, ret_more);
	if (error || !*ret_more)
		return error;
	if (kind >= sizeof parse / sizeof *parse || !parse[kind])
		return damaged(r, "a frame of an unknown kind");
	if (r->has_ended && kind != RECORD_HEADER)
		return damaged(r, "it goes on after its end");
	ret->kind = (enum record_kind)kind;
	error = parse[kind](r, ret);
	if (!error && r->used < r->n)
		return damaged(r, "a frame is too long");
	if (r->used > r->n && r->has_header) {
		/* What is missing was read as 0, which may have been refused. */
		cudasim_error_free(error);
		return damaged(r, "a frame is too short");
	}
	return error;
}
