/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx.c - the side of NVTX 3 that a tool has.
 *
 * The headers find InitializeInjectionNvtx2() in the library that NVTX_INJECTION64_PATH names,
 * and give it a function that gives tables of pointers to functions, by module; a tool writes
 * its own functions there. The layouts are NVTX's, which keeps them for ever (its headers:
 * "binary-compatible"). The tables are the module's of each program or library that uses NVTX,
 * so this may be called several times. */
#define _GNU_SOURCE
#include "nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "now.h"
#include "summary.h"

/* What a range or a mark is given; later versions are longer. */
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type; /* enum message_type */
	union {
		const char *ascii;
		const wchar_t *unicode;
		const char *registered; /* our handle */
	} message;
};

enum message_type { MESSAGE_ASCII = 1, MESSAGE_UNICODE, MESSAGE_REGISTERED };

/* A name that lives as long as the process; equal names are one. */
struct name {
	struct name *next;
	char text[];
};

/* Who pushes: a thread has a stack of ranges in each domain. A domain is its name; NULL is the
 * default one. */
enum { MAX_DEPTH = 64 };
struct stack {
	struct stack *next;
	const char *domain;
	int depth; /* may be more than MAX_DEPTH: those are not timed */
	struct {
		const char *name;
		uint64_t start_ns;
	} ranges[MAX_DEPTH];
};

/* A range that may end on another thread. */
struct range {
	struct range *next;
	uint64_t id;
	const char *name;
	uint64_t start_ns;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *names;
static struct range *started;
static uint64_t n_started;
static pthread_key_t stacks_key;
static pthread_once_t stacks_once = PTHREAD_ONCE_INIT;

/* ---- names ----------------------------------------------------------------------- */

static const char *intern(const char *text)
{
	pthread_mutex_lock(&lock);
	struct name *name = names;
	while (name && strcmp(name->text, text))
		name = name->next;
	if (!name && (name = malloc(sizeof *name + strlen(text) + 1))) {
		strcpy(name->text, text);
		name->next = names;
		names = name;
	}
	pthread_mutex_unlock(&lock);
	return name ? name->text : "";
}

static const char *intern_wide(const wchar_t *text)
{
	/* In UTF-8, whatever the locale. */
	char to[1024];
	size_t n = 0;
	for (; *text && n + 4 < sizeof to; text++) {
		uint32_t c = (uint32_t)*text;
		if (c < 0x80) {
			to[n++] = (char)c;
		} else if (c < 0x800) {
			to[n++] = (char)(0xc0 | c >> 6);
			to[n++] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			to[n++] = (char)(0xe0 | c >> 12);
			to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
			to[n++] = (char)(0x80 | (c & 0x3f));
		} else {
			to[n++] = (char)(0xf0 | (c >> 18 & 7));
			to[n++] = (char)(0x80 | (c >> 12 & 0x3f));
			to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
			to[n++] = (char)(0x80 | (c & 0x3f));
		}
	}
	to[n] = 0;
	return intern(to);
}

/* "domain:message", and ":message" in the default domain, as nsys writes them. */
static const char *full_name(const char *domain, const char *message)
{
	char text[1200];
	snprintf(text, sizeof text, "%.100s:%.1000s", domain ? domain : "", message ? message : "");
	return intern(text);
}

static const char *name_of(const char *domain, const struct attributes *a)
{
	if (!a || a->size < offsetof(struct attributes, message) + sizeof a->message ||
	    !a->message.ascii)
		return full_name(domain, NULL);
	if (a->message_type == MESSAGE_UNICODE)
		return full_name(domain, intern_wide(a->message.unicode));
	if (a->message_type == MESSAGE_ASCII || a->message_type == MESSAGE_REGISTERED)
		return full_name(domain, a->message.ascii);
	return full_name(domain, NULL);
}

/* ---- ranges that nest --------------------------------------------------------------- */

static void free_stacks(void *first)
{
	for (struct stack *s = first, *next; s; s = next) {
		next = s->next;
		free(s);
	}
}

static void make_key(void)
{
	pthread_key_create(&stacks_key, free_stacks);
}

static struct stack *own_stack(const char *domain)
{
	pthread_once(&stacks_once, make_key);
	struct stack *first = pthread_getspecific(stacks_key), *s = first;
	while (s && s->domain != domain)
		s = s->next;
	if (!s && (s = calloc(1, sizeof *s))) {
		s->domain = domain;
		s->next = first;
		pthread_setspecific(stacks_key, s);
	}
	return s;
}

/* Returns the range's level, as NVTX does: 0 is the outermost. */
static int push(const char *domain, const char *name)
{
	struct stack *s = own_stack(domain);
	if (!s)
		return -2; /* NVTX_NO_PUSH_POP_TRACKING */
	if (s->depth < MAX_DEPTH) {
		s->ranges[s->depth].name = name;
		s->ranges[s->depth].start_ns = now_ns();
	}
	return s->depth++;
}

static int pop(const char *domain)
{
	struct stack *s = own_stack(domain);
	if (!s || !s->depth)
		return -2;
	s->depth--;
	if (s->depth < MAX_DEPTH)
		summary_range("push/pop", s->ranges[s->depth].name,
			      now_ns() - s->ranges[s->depth].start_ns);
	return s->depth;
}

/* ---- ranges from anywhere to anywhere -------------------------------------------------- */

static uint64_t start(const char *name)
{
	struct range *range = malloc(sizeof *range);
	if (!range)
		return 0;
	*range = (struct range){.name = name, .start_ns = now_ns()};
	pthread_mutex_lock(&lock);
	range->id = ++n_started;
	range->next = started;
	started = range;
	uint64_t id = range->id;
	pthread_mutex_unlock(&lock);
	return id;
}

static void end(uint64_t id)
{
	pthread_mutex_lock(&lock);
	struct range **at = &started;
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	struct range *range = *at;
	if (range)
		*at = range->next;
	pthread_mutex_unlock(&lock);
	if (range)
		summary_range("start/end", range->name, now_ns() - range->start_ns);
	free(range);
}

/* ---- what NVTX calls --------------------------------------------------------------------- */

static void mark_ex(const struct attributes *a)
{
	summary_range("mark", name_of(NULL, a), 0);
}
static void mark_a(const char *m)
{
	summary_range("mark", full_name(NULL, m), 0);
}
static void mark_w(const wchar_t *m)
{
	summary_range("mark", full_name(NULL, intern_wide(m)), 0);
}
static uint64_t start_ex(const struct attributes *a)
{
	return start(name_of(NULL, a));
}
static uint64_t start_a(const char *m)
{
	return start(full_name(NULL, m));
}
static uint64_t start_w(const wchar_t *m)
{
	return start(full_name(NULL, intern_wide(m)));
}
static int push_ex(const struct attributes *a)
{
	return push(NULL, name_of(NULL, a));
}
static int push_a(const char *m)
{
	return push(NULL, full_name(NULL, m));
}
static int push_w(const wchar_t *m)
{
	return push(NULL, full_name(NULL, intern_wide(m)));
}
static int pop_default(void)
{
	return pop(NULL);
}

static void domain_mark(const char *domain, const struct attributes *a)
{
	summary_range("mark", name_of(domain, a), 0);
}

static uint64_t domain_start(const char *domain, const struct attributes *a)
{
	return start(name_of(domain, a));
}

static void domain_end(const char *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static int domain_push(const char *domain, const struct attributes *a)
{
	return push(domain, name_of(domain, a));
}

static const char *register_a(const char *domain, const char *text)
{
	(void)domain;
	return intern(text);
}

static const char *register_w(const char *domain, const wchar_t *text)
{
	(void)domain;
	return intern_wide(text);
}

static const char *create_a(const char *name)
{
	return intern(name);
}
static const char *create_w(const wchar_t *name)
{
	return intern_wide(name);
}

typedef void function(void);
#define F(f) ((function *)(uintptr_t)(f))

/* By the numbers that NVTX gives its callbacks; NULL stays what it was, which does nothing. */
static function *const core[] = {
	[1] = F(mark_ex), F(mark_a),  F(mark_w), F(start_ex), F(start_a),     F(start_w),
	F(end),           F(push_ex), F(push_a), F(push_w),   F(pop_default),
};
static function
	*const core2[] =
		{
			[1] = F(domain_mark), F(domain_start), F(domain_end),
			F(domain_push),       F(pop),          [10] = F(register_a),
			F(register_w),        F(create_a),     F(create_w),
};

enum { MODULE_CORE = 1, MODULE_CORE2 = 5, TABLE_CALLBACKS = 1 };

struct callbacks {
	size_t size;
	int (*table)(int module, function ****ret, unsigned *n);
};

static void fill(const struct callbacks *callbacks, int module, function *const *with,
		 size_t n_with)
{
	function ***table; /* pointers to the variables that hold the functions */
	unsigned n = 0;
	if (!callbacks->table(module, &table, &n))
		return;
	for (size_t i = 1; i < n && i < n_with; i++)
		if (with[i] && table[i])
			*table[i] = with[i];
}

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	const struct callbacks *callbacks = export_table(TABLE_CALLBACKS);
	if (!summary_on() || !callbacks || callbacks->size < sizeof *callbacks)
		return 0;
	fill(callbacks, MODULE_CORE, core, sizeof core / sizeof *core);
	fill(callbacks, MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
	return 1;
}

void nvtx_offer(void)
{
	Dl_info here;
	if (summary_on() && dladdr((const void *)(uintptr_t)nvtx_offer, &here) && here.dli_fname)
		setenv("NVTX_INJECTION64_PATH", here.dli_fname, 0);
}
