/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - an expression's value in each of many threads.
 *
 * Threads of a grid stand at few places, so the text is parsed once for each place
 * (the lookup pc and how many scopes its frame has), and the tree evaluated for
 * every thread that stands there. */
#define _GNU_SOURCE
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "error.h"
#include "expression.h"
#include "focus.h"
#include "stack.h"

/* ---- threads --------------------------------------------------------------------- */

struct threads {
	struct cudasim_thread **all;
	size_t n, capacity;
};

static bool threads_add(struct threads *threads, struct cudasim_thread *thread)
{
	if (threads->n == threads->capacity) {
		size_t more = threads->capacity ? 2 * threads->capacity : 256;
		struct cudasim_thread **all = realloc(threads->all, more * sizeof *all);
		if (!all)
			return false;
		threads->all = all;
		threads->capacity = more;
	}
	threads->all[threads->n++] = thread;
	return true;
}

static bool add_block(struct threads *threads, struct cudasim_block *block, enum each each,
		      const struct focus *focus)
{
	uint32_t n = cudasim_block_size(block);
	for (uint32_t i = 0; i < n; i++) {
		struct cudasim_thread *thread = cudasim_block_thread(block, i);
		if (!thread || !focus_can_see(thread))
			continue;
		if (each == EACH_LANE && thread->warp != focus->thread->warp)
			continue;
		if (!threads_add(threads, thread))
			return false;
		if (each == EACH_BLOCK)
			break;
	}
	return true;
}

static struct cudasim_error *find_threads(enum each each, bool only_block, struct threads *ret)
{
	const struct focus *focus = focus_get();
	size_t n = 1;
	struct cudasim_block **blocks;
	if (!focus->is_device)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Focus not set on any active CUDA kernel.");
	bool one = only_block || each == EACH_LANE;
	if (!one)
		n = cudasim_blocks(focus->launch, NULL, 0);
	blocks = malloc((n ? n : 1) * sizeof *blocks);
	if (!blocks)
		return &cudasim_error_nomem;
	blocks[0] = focus->block;
	if (!one) {
		size_t now = cudasim_blocks(focus->launch, blocks, n);
		n = now < n ? now : n;
	}
	bool fits = true;
	for (size_t i = 0; i < n && fits; i++)
		fits = add_block(ret, blocks[i], each, focus);
	free(blocks);
	return fits ? NULL : &cudasim_error_nomem;
}

/* ---- one tree a place ---------------------------------------------------------------- */

struct tree {
	struct tree *next;
	uint64_t lookup;
	size_t n_scopes;
	struct expression *expression; /* NULL: error */
	char *error;
};

static struct tree *tree_of(struct tree **trees, const struct frame *frame, const char *text)
{
	struct tree *tree = *trees;
	while (tree && (tree->lookup != frame->lookup || tree->n_scopes != frame->n_scopes))
		tree = tree->next;
	if (tree || !(tree = calloc(1, sizeof *tree)))
		return tree;
	tree->lookup = frame->lookup;
	tree->n_scopes = frame->n_scopes;
	struct cudasim_error *error = expression_parse_in(text, frame, &tree->expression);
	if (error) {
		tree->expression = NULL;
		tree->error = strdup(error->message);
		cudasim_error_free(error);
	}
	tree->next = *trees;
	*trees = tree;
	return tree;
}

static void trees_free(struct tree *tree)
{
	while (tree) {
		struct tree *next = tree->next;
		expression_free(tree->expression);
		free(tree->error);
		free(tree);
		tree = next;
	}
}

/* ---- a thread's value -------------------------------------------------------------------- */

static bool is_same_function(const struct frame *a, const struct frame *b)
{
	return a->function == b->function && a->is_inlined == b->is_inlined &&
	       (!a->is_inlined || !strcmp(a->name, b->name));
}

static void take_number(struct sample *sample, const struct value *value)
{
	const struct type *type = type_target(value->type);
	wide integer;
	struct cudasim_error *error;
	if (value->is_optimized_out || (!type_is_scalar(type) && !type_float_format(type)))
		return;
	sample->is_integer = !type_float_format(type);
	if (sample->is_integer) {
		error = value_to_integer(value, &integer);
		sample->number = (long double)integer;
	} else {
		error = value_to_real(value, &sample->number);
	}
	sample->is_number = !error;
	sample->is_nan = !error && isnan(sample->number);
	cudasim_error_free(error);
}

__attribute__((format(printf, 1, 0))) static struct cudasim_error *
missing(const char *format, const char *what, char **ret)
{
	return asprintf(ret, format, what) < 0 ? &cudasim_error_nomem : NULL;
}

static struct cudasim_error *missing_of(struct cudasim_error *error, char **ret)
{
	struct cudasim_error *second = missing("<error: %s>", error->message, ret);
	cudasim_error_free(error);
	return second;
}

static void sample_value(struct sample *sample, const struct value *value, char format)
{
	size_t size;
	FILE *out = open_memstream(&sample->text, &size);
	if (!out)
		return;
	value_print(out, value, format, 0, false);
	fclose(out);
	take_number(sample, value);
}

/* The value in the thread's frame of the selected function; where there is none, *ret_missing
 * says why (owned by the caller). */
static struct cudasim_error *evaluate_in(struct cudasim_thread *thread,
					 const struct frame *selected, struct tree **trees,
					 const char *text, struct value *ret, char **ret_missing)
{
	struct frame *frames;
	size_t n, i = 0;
	struct cudasim_error *error = frames_of_thread(thread, &frames, &n);
	if (error)
		return missing_of(error, ret_missing);
	while (i < n && !is_same_function(&frames[i], selected))
		i++;
	if (i == n) {
		free(frames);
		return missing("<not in %s>", selected->name, ret_missing);
	}
	struct tree *tree = tree_of(trees, &frames[i], text);
	if (!tree || !tree->expression) {
		error = missing("<error: %s>", tree ? tree->error : "no memory", ret_missing);
	} else {
		struct context context = {thread, thread->block->launch, &frames[i]};
		*ret_missing = NULL;
		error = expression_evaluate(tree->expression, &context, ret);
		if (error)
			error = missing_of(error, ret_missing);
	}
	free(frames);
	return error;
}

static void place_sample(struct sample *sample, const struct cudasim_thread *thread, enum each each)
{
	const struct cudasim_block *block = thread->block;
	memcpy(sample->block, block->ctaid, sizeof sample->block);
	memcpy(sample->thread, thread->tid, sizeof sample->thread);
	sample->warp = thread->warp;
	sample->lane = thread->lane;
	sample->linear = thread->linear;
	sample->position = cudasim_block_index(block);
	if (each == EACH_THREAD)
		sample->position = sample->position * cudasim_block_size(block) + thread->linear;
	else if (each == EACH_LANE)
		sample->position = thread->lane;
	sample->is_focus = each == EACH_BLOCK ? block == focus_get()->block
					      : thread == focus_get()->thread;
}

void samples_fini(struct samples *samples)
{
	for (size_t i = 0; i < samples->n; i++)
		free(samples->all[i].text);
	free(samples->all);
}

/* What is wrong with the text is said once, as print does. */
static struct cudasim_error *check_text(const char *text, const struct frame *selected)
{
	struct expression *expression;
	if (!selected || !selected->is_device)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No frame of device code is selected.");
	struct cudasim_error *error = expression_parse_in(text, selected, &expression);
	if (!error)
		expression_free(expression);
	return error;
}

struct cudasim_error *samples_visit(enum each each, const char *text, bool only_block,
				    samples_visit_fn *f, void *user)
{
	struct threads threads = {0};
	const struct frame *selected = frame_selected();
	struct tree *trees = NULL;
	struct cudasim_error *error = find_threads(each, only_block, &threads);
	if (!error)
		error = check_text(text, selected);
	for (size_t i = 0; !error && i < threads.n; i++) {
		struct value value;
		char *why;
		if (!(i % 64) && (error = interrupt_quits()))
			break;
		error = evaluate_in(threads.all[i], selected, &trees, text, &value, &why);
		if (error)
			break;
		struct cudasim_thread *before = value_thread_swap(threads.all[i]);
		error = f(user, threads.all[i], why ? NULL : &value, why);
		value_thread_swap(before);
		if (!why)
			value_fini(&value);
		free(why);
	}
	trees_free(trees);
	free(threads.all);
	return error;
}

/* ---- a sample each ------------------------------------------------------------------------ */

struct collecting {
	struct samples *samples;
	size_t capacity;
	char format;
};

static struct cudasim_error *collect(void *user, struct cudasim_thread *thread,
				     const struct value *value, const char *why)
{
	struct collecting *c = user;
	struct samples *samples = c->samples;
	if (samples->n == c->capacity) {
		size_t more = c->capacity ? 2 * c->capacity : 256;
		struct sample *all = realloc(samples->all, more * sizeof *all);
		if (!all)
			return &cudasim_error_nomem;
		samples->all = all;
		c->capacity = more;
	}
	struct sample *sample = &samples->all[samples->n++];
	memset(sample, 0, sizeof *sample);
	place_sample(sample, thread, samples->each);
	sample->is_missing = !value;
	if (value)
		sample_value(sample, value, c->format);
	else
		sample->text = strdup(why);
	return sample->text ? NULL : &cudasim_error_nomem;
}

struct cudasim_error *samples_collect(enum each each, const char *text, char format,
				      bool only_block, struct samples *ret)
{
	struct collecting c = {.samples = ret, .format = format};
	*ret = (struct samples){.each = each};
	struct cudasim_error *error = samples_visit(each, text, only_block, collect, &c);
	if (error)
		samples_fini(ret);
	return error;
}
