/* SPDX-License-Identifier: Apache-2.0 */
/* watchpoint.c - watch, rwatch, awatch: making watchpoints and arming them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "focus.h"
#include "stack.h"
#include "stops_state.h"
#include "text.h"
#include "watchpoint.h"

const char *watchpoint_type(const struct breakpoint *b)
{
	static const char *const types[] = {
		[WATCH_WRITE] = "hw watchpoint",
		[WATCH_READ] = "read watchpoint",
		[WATCH_ACCESS] = "acc watchpoint",
	};
	return types[b->watch->mode];
}

const char *watchpoint_command(const struct breakpoint *b, bool for_restart)
{
	static const char *const names[] = {
		[WATCH_WRITE] = "watch",
		[WATCH_READ] = "rwatch",
		[WATCH_ACCESS] = "awatch",
	};
	/* In a new process there is no frame, no block, and not the same memory. */
	bool lasts = !watchpoint_thread(b) && !b->watch->location;
	return for_restart && !lasts ? NULL : names[b->watch->mode];
}

struct cudasim_thread *watchpoint_thread(const struct breakpoint *b)
{
	const struct watchpoint *w = b->watch;
	return w && (w->framed || w->object.storage == STORAGE_SHARED) ? w->thread : NULL;
}

bool watchpoint_is_gone(const struct breakpoint *b)
{
	return b->watch && b->watch->gone;
}

/* ---- ranges ------------------------------------------------------------------------------ */

struct collection {
	struct watch_instance *instance;
	size_t n;
	bool local, host;
	bool failed;
};

static void add_piece(struct watch_instance *i, uint64_t low, uint64_t size, bool shared,
		      bool local, bool *failed)
{
	const struct watchpoint *w = i->owner->watch;
	struct watch_piece *piece = calloc(1, sizeof *piece);
	if (!piece) {
		*failed = true;
		return;
	}
	struct cudasim_block *block = i->block ? i->block : w->thread ? w->thread->block : NULL;
	piece->instance = i;
	piece->watcher = (struct watcher){
		.low = low,
		.high = low + size,
		.what = w->mode == WATCH_WRITE  ? CUDASIM_ACCESS_STORE
			: w->mode == WATCH_READ ? CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_STORE
						: CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_STORE,
		.thread = local ? w->thread : NULL,
		.block = shared || local ? block : NULL,
		.frame = local ? w->frame.base : 0,
		.hit = watch_hit,
		.gone = watch_gone,
		.user = piece,
	};
	piece->next = i->pieces;
	i->pieces = piece;
}

/* Behind a cast pointer, `*(float *)p', the address alone tells. */
static enum storage storage_at(const struct watchpoint *w, uint64_t address)
{
	const void *at = (const void *)(uintptr_t)address;
	struct cudasim_memory memory;
	bool inside, freed;
	enum cudasim_space space = w->thread ? cudasim_space_of(w->thread, at)
					     : CUDASIM_SPACE_GLOBAL;
	if (space == CUDASIM_SPACE_LOCAL)
		return STORAGE_LOCAL;
	if (space == CUDASIM_SPACE_SHARED)
		return STORAGE_SHARED;
	if (!w->thread || !cudasim_memory_find(at, &memory, &inside, &freed) || !inside || freed)
		return STORAGE_NONE;
	return STORAGE_GLOBAL;
}

static void collect(void *user, uint64_t address, uint64_t size, enum storage storage, bool local)
{
	struct collection *c = user;
	/* A kernel's parameters are constants: what they lead to stays where it is. */
	const struct value *object = &c->instance->owner->watch->object;
	bool itself = object->is_lvalue && object->address == address;
	if (storage == STORAGE_NONE)
		storage = storage_at(c->instance->owner->watch, address);
	if (storage == STORAGE_PARAMETER && !itself)
		return;
	local = local || storage == STORAGE_LOCAL || storage == STORAGE_PARAMETER;
	for (const struct watch_piece *p = c->instance->pieces; p; p = p->next)
		if (p->watcher.low == address && p->watcher.high == address + size)
			return;
	c->n++;
	c->local = c->local || local;
	c->host = c->host || storage == STORAGE_NONE;
	if (size && storage != STORAGE_NONE)
		add_piece(c->instance, address, size, storage == STORAGE_SHARED, local, &c->failed);
}

static void unregister(struct watch_instance *i)
{
	for (struct watch_piece *p = i->pieces; p; p = p->next) {
		if (p->registered)
			watcher_remove(&p->watcher);
		p->registered = false;
	}
}

static void pieces_free(struct watch_instance *i)
{
	unregister(i);
	while (i->pieces) {
		struct watch_piece *p = i->pieces;
		i->pieces = p->next;
		free(p);
	}
}

static struct watch_instance *instance_new(struct breakpoint *b)
{
	struct watch_instance *i = calloc(1, sizeof *i);
	if (!i)
		return NULL;
	i->owner = b;
	i->bytes = calloc(1, b->watch->object.n_bytes + 1);
	if (!i->bytes) {
		free(i);
		return NULL;
	}
	i->next = b->watch->instances;
	b->watch->instances = i;
	return i;
}

void watchpoint_free(struct breakpoint *b)
{
	struct watchpoint *w = b->watch;
	if (!w)
		return;
	while (w->instances) {
		struct watch_instance *i = w->instances;
		w->instances = i->next;
		pieces_free(i);
		value_fini(&i->value);
		free(i->bytes);
		free(i);
	}
	expression_free(w->expression);
	expression_free(w->condition);
	free(w);
	b->watch = NULL;
}

/* ---- arming -------------------------------------------------------------------------------- */

static struct cudasim_error *instance_register(struct watch_instance *i)
{
	struct cudasim_error *error = NULL;
	for (struct watch_piece *p = i->pieces; p && !error; p = p->next) {
		if (p->registered)
			continue;
		error = watcher_add(&p->watcher);
		p->registered = !error;
	}
	return error;
}

static bool has_piece(const struct watch_piece *list, const struct watch_piece *piece)
{
	for (; list; list = list->next)
		if (list->watcher.low == piece->watcher.low &&
		    list->watcher.high == piece->watcher.high)
			return true;
	return false;
}

/* Look again where the value comes from; pieces that are still the same stay. */
static struct cudasim_error *instance_place(struct watch_instance *i, struct cudasim_thread *thread)
{
	const struct watchpoint *w = i->owner->watch;
	struct collection c = {.instance = i};
	struct context context = watch_context(w, thread);
	struct watch_piece *old = i->pieces;
	bool same = true;
	if (w->fixed)
		return NULL;
	i->pieces = NULL;
	struct cudasim_error *error = expression_objects(w->expression, &context, collect, &c);
	if (!error && c.failed)
		error = &cudasim_error_nomem;
	for (const struct watch_piece *p = old; p; p = p->next)
		same = same && has_piece(i->pieces, p);
	for (const struct watch_piece *p = i->pieces; p; p = p->next)
		same = same && has_piece(old, p);
	/* The ones that are not wanted go: the old ones where nothing has changed or what is
	 * there now cannot be followed, since they tell when that changes again. */
	struct watch_piece *keep = error || same ? old : i->pieces;
	i->pieces = keep == old ? i->pieces : old;
	pieces_free(i);
	i->pieces = keep;
	if (keep != old)
		i->pending = 0;
	return error;
}

void watch_follow(struct watch_instance *i, struct cudasim_thread *thread)
{
	struct cudasim_error *error = instance_place(i, thread);
	if (!error)
		error = instance_register(i);
	cudasim_error_free(error);
}

struct cudasim_error *watchpoint_arm(struct breakpoint *b)
{
	struct cudasim_error *error = NULL;
	for (struct watch_instance *i = b->watch->instances; i && !error; i = i->next) {
		if (!b->enabled || b->watch->gone) {
			unregister(i);
			continue;
		}
		if (i->pieces && i->pieces->registered)
			continue;
		i->pending = 0;
		if (b->watch->all_blocks && !i->block)
			continue;
		error = instance_place(i, NULL);
		if (!error)
			error = watch_read(i, NULL);
		if (!error)
			error = instance_register(i);
	}
	return error;
}

/* ---- every block ------------------------------------------------------------------------------ */

static struct cudasim_error *watch_block(struct breakpoint *b, struct cudasim_block *block)
{
	struct watchpoint *w = b->watch;
	struct watch_instance *i = w->instances;
	bool failed = false;
	/* That of a block which has ended serves again. */
	while (i && i->block)
		i = i->next;
	if (i)
		pieces_free(i);
	else
		i = instance_new(b);
	if (!i)
		return &cudasim_error_nomem;
	i->block = block;
	i->pending = 0;
	i->address = (uint64_t)block->shared + w->offset;
	add_piece(i, i->address, w->object.n_bytes, true, false, &failed);
	if (failed)
		return &cudasim_error_nomem;
	struct cudasim_error *error = watch_read(i, NULL);
	return error || !b->enabled ? error : instance_register(i);
}

static void on_block(struct cudasim_block *block)
{
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		if (b->watch && b->watch->all_blocks && !b->watch->gone &&
		    b->watch->kernel == block->launch->kernel)
			cudasim_error_free(watch_block(b, block));
}

static struct cudasim_error *watch_blocks(struct breakpoint *b)
{
	enum { MAX = 65536 };
	struct watchpoint *w = b->watch;
	struct cudasim_error *error = NULL;
	if (!w->fixed || w->object.storage != STORAGE_SHARED || !w->thread)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "-all-blocks needs an object in the shared memory of the "
					 "focused block.");
	w->offset = w->object.address - (uint64_t)w->thread->block->shared;
	struct cudasim_block **blocks = calloc(MAX, sizeof *blocks);
	if (!blocks)
		return &cudasim_error_nomem;
	size_t n = cudasim_blocks(w->launch, blocks, MAX);
	for (size_t i = 0; i < n && i < MAX && !error; i++)
		error = watch_block(b, blocks[i]);
	free(blocks);
	run_hooks()->block_began = on_block;
	return error;
}

/* ---- making -------------------------------------------------------------------------------------- */

static uint64_t scope_of(const struct watchpoint *w)
{
	return w->has_frame ? w->frame.lookup : 0;
}

static struct cudasim_error *condition_parse(const struct watchpoint *w, const char *text,
					     struct expression **ret)
{
	*ret = NULL;
	return text ? expression_parse_truth(text, scope_of(w), ret) : NULL;
}

struct cudasim_error *watchpoint_condition(struct breakpoint *b, const char *condition)
{
	struct expression *new;
	struct cudasim_error *error = condition_parse(b->watch, condition, &new);
	if (error)
		return error;
	expression_free(b->watch->condition);
	b->watch->condition = new;
	return NULL;
}

/* Decide how the value is to be followed. */
static struct cudasim_error *place(struct breakpoint *b)
{
	struct watchpoint *w = b->watch;
	struct context context = {w->thread, w->launch, w->has_frame ? &w->frame : NULL};
	struct value value;
	struct cudasim_error *error = expression_evaluate(w->expression, &context, &value);
	if (error)
		return error;
	w->object = value;
	w->object.is_lazy = true;
	if (value.is_lvalue && !value.storage)
		w->object.storage = storage_at(w, value.address);
	memset(&w->object.bytes, 0, sizeof w->object.bytes);
	value_fini(&value);
	struct watch_instance *i = instance_new(b);
	if (!i)
		return &cudasim_error_nomem;
	struct collection c = {.instance = i};
	error = expression_objects(w->expression, &context, collect, &c);
	if (error)
		return error;
	if (c.failed)
		return &cudasim_error_nomem;
	if (!c.n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Cannot watch constant value `%s'.",
					 expression_text(w->expression));
	if (w->location && !w->object.is_lvalue)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Attempt to take address of value not located in memory.");
	if (c.host || !i->pieces)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Cannot watch `%s': it lies in the host's memory, and only what "
			"device code does is seen. Use gdb for host code.",
			expression_text(w->expression));
	w->fixed = w->object.is_lvalue && (c.n == 1 || w->location);
	bool own = w->object.storage == STORAGE_LOCAL || w->object.storage == STORAGE_PARAMETER;
	w->framed = w->fixed && w->location ? own : c.local;
	i->address = w->object.address;
	if (w->fixed && c.n > 1) {
		bool failed = false;
		pieces_free(i);
		add_piece(i, i->address, w->object.n_bytes, w->object.storage == STORAGE_SHARED,
			  own, &failed);
		if (failed)
			return &cudasim_error_nomem;
	}
	if (w->all_blocks) {
		pieces_free(i);
		return watch_blocks(b);
	}
	return watchpoint_arm(b);
}

/* The block in flight of the focused launch with these indices. */
static struct cudasim_block *block_at(struct cudasim_launch *launch, const uint32_t at[3])
{
	struct cudasim_block *block = NULL;
	for (int i = 0; i < 3; i++)
		if (at[i] >= launch->grid[i])
			return NULL;
	cudasim_block_state(launch,
			    at[0] + (uint64_t)launch->grid[0] *
					    (at[1] + (uint64_t)launch->grid[1] * at[2]),
			    &block);
	return block;
}

/* With `thread (x,y,z)` or `block (x,y,z)` names mean that thread's variables: in its
 * frame of the selected function, else its innermost one. */
static struct cudasim_error *look_from(struct watchpoint *w, const struct thread_filter *filter)
{
	struct cudasim_block *block = w->thread->block;
	struct frame *frames = NULL;
	size_t n = 0, at = 0;
	if (filter->has_block)
		block = block_at(w->launch, filter->block);
	const uint32_t *ntid = w->launch->block;
	uint32_t t[3] = {w->thread->tid[0], w->thread->tid[1], w->thread->tid[2]};
	if (filter->has_thread)
		memcpy(t, filter->thread, sizeof t);
	if (!block || t[0] >= ntid[0] || t[1] >= ntid[1] || t[2] >= ntid[2])
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"There is no such block or thread in the focused kernel now.");
	struct cudasim_thread *thread =
		cudasim_block_thread(block, t[0] + ntid[0] * (t[1] + ntid[1] * t[2]));
	if (thread == w->thread)
		return NULL;
	struct cudasim_error *error = focus_can_see(thread) ? frames_of_thread(thread, &frames, &n)
							    : NULL;
	if (error)
		return error;
	if (!n)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Thread (%u,%u,%u) of block (%u,%u,%u) has not started or has ended.", t[0],
			t[1], t[2], block->ctaid[0], block->ctaid[1], block->ctaid[2]);
	while (at < n && frames[at].function != w->frame.function)
		at++;
	w->thread = thread;
	w->frame = frames[at < n ? at : 0];
	w->has_frame = true;
	free(frames);
	return NULL;
}

static struct cudasim_error *make(struct breakpoint *b, const char *text,
				  const struct breakpoint_spec *spec)
{
	struct watchpoint *w = b->watch;
	const struct frame *frame = frame_selected();
	const struct focus *focus = focus_get();
	struct cudasim_error *error = NULL;
	if (frame) {
		w->frame = *frame;
		w->has_frame = true;
	}
	if (focus->is_device) {
		w->thread = focus->thread;
		w->launch = focus->launch;
		w->kernel = focus->launch->kernel;
		if (spec->filter.has_thread || spec->filter.has_block)
			error = look_from(w, &spec->filter);
	}
	if (!error)
		error = expression_parse(text, scope_of(w), &w->expression);
	if (!error)
		error = condition_parse(w, spec->condition, &w->condition);
	return error ? error : place(b);
}

/* The options, which come first. */
static const char *options(const char *text, struct watchpoint *w)
{
	char word[32];
	for (const char *at = text = text_skip(text); text_word(&at, word, sizeof word);
	     text = text_skip(at), at = text)
		if (!strcmp(word, "-l") || !strcmp(word, "-location"))
			w->location = true;
		else if (!strcmp(word, "-all-blocks"))
			w->all_blocks = true;
		else
			break;
	return text;
}

struct cudasim_error *watchpoint_set(const char *argument, enum watch_mode mode,
				     struct breakpoint **ret)
{
	struct breakpoint *b = NULL;
	struct breakpoint_spec spec;
	struct watchpoint *w = calloc(1, sizeof *w);
	char *text = NULL;
	if (!w)
		return &cudasim_error_nomem;
	w->mode = mode;
	struct cudasim_error *error = spec_parse(options(argument, w), &spec);
	if (error) {
		free(w);
		return error;
	}
	if (!*spec.location)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Argument required (expression to compute).");
	else if (spec.filter.has_block && w->all_blocks)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "-all-blocks and block (x,y,z) exclude each other.");
	else if (asprintf(&text, "%s%s%s", w->location ? "-location " : "",
			  w->all_blocks ? "-all-blocks " : "", spec.location) < 0)
		error = &cudasim_error_nomem;
	if (!error)
		error = breakpoint_new(KIND_WATCHPOINT, text, &b);
	if (!error) {
		b->watch = w;
		b->filter = spec.filter;
		error = make(b, spec.location, &spec);
		b->condition = spec.condition;
		spec.condition = NULL;
	} else {
		free(w);
	}
	spec_fini(&spec);
	free(text);
	if (!error) {
		breakpoint_number_tell(b);
		*ret = b;
	} else if (b) {
		breakpoint_discard(b);
	}
	return error;
}
