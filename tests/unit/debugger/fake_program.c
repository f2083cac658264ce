/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "breakpoint_commands_state.h"
#include "console.h"
#include "focus.h"
#include "frame.h"
#include "front.h"
#include "history.h"
#include "host_unwind.h"
#include "printf_format.h"
#include "setting.h"
#include "shell_state.h"
#include "stack.h"
#include "stops_state.h"
#include "text.h"

/* ---- the console --------------------------------------------------------------- */

static FILE *stream;
static char *text;
static size_t size, told;

__attribute__((constructor(101))) static void open_console(void)
{
	stream = open_memstream(&text, &size);
}

FILE *console(void)
{
	return stream;
}

void front_write(const char *what, size_t n)
{
	fwrite(what, 1, n, stream);
}

void front_say(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vfprintf(stream, format, list);
	va_end(list);
}

const char *fake_console(void)
{
	fflush(stream);
	const char *new = text + told;
	told = size;
	return new;
}

bool command_confirm(const char *format, ...)
{
	(void)format;
	return true;
}

bool command_ask(const char *format, ...)
{
	(void)format;
	return false;
}

/* ---- what rooms keep -------------------------------------------------------------- */

struct shell_state *shell_state(void)
{
	static struct shell_state state;
	return &state;
}

struct stops_state *stops_state(void)
{
	static struct stops_state state = STOPS_STATE_INITIAL;
	return &state;
}

struct breakpoint_commands_state *breakpoint_commands_state(void)
{
	static struct breakpoint_commands_state state = BREAKPOINT_COMMANDS_STATE_INITIAL;
	return &state;
}

bool input_is_terminal(void)
{
	return false;
}

const char *const *fake_block_lines;
struct cudasim_error *command_read_block(const char *prompt, char ***ret, size_t *n)
{
	(void)prompt;
	*ret = calloc(16, sizeof **ret);
	for (*n = 0; fake_block_lines && fake_block_lines[*n]; ++*n)
		(*ret)[*n] = strdup(fake_block_lines[*n]);
	return NULL;
}

struct cudasim_error *command_execute(const char *line)
{
	fprintf(stream, "<%s>\n", line);
	return NULL;
}

struct cudasim_error *commands_execute(const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(stream, "%s%s%s", i ? "; " : "<<", lines[i], i + 1 == n ? ">>\n" : "");
	return NULL;
}

void settings_add(const struct setting *settings, size_t n)
{
	(void)settings, (void)n;
}

void restart_saves(void (*save)(FILE *))
{
	(void)save;
}

bool *session_same_run(void)
{
	static bool same_run;
	return &same_run;
}

void search_saves(void (*save)(FILE *))
{
	(void)save;
}

const char *text_skip(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

bool text_word(const char **at, char *ret, size_t n)
{
	size_t i = 0;
	*at = text_skip(*at);
	while (**at && !isspace((unsigned char)**at)) {
		if (i + 1 < n)
			ret[i++] = **at;
		++*at;
	}
	ret[i] = 0;
	return i > 0;
}

/* ---- places ----------------------------------------------------------------------- */

bool fake_later;
const struct cudasim_site fake_sites[4] = {
	{"tour.cu", "pull", 8, 14, CUDASIM_SITE_LINE, 0},
	{"multi.cu", "many<int>", 4, 11, CUDASIM_SITE_LINE, 0},
	{"multi.cu", "many<float>", 4, 11, CUDASIM_SITE_LINE, 0},
	{"late.cu", "later", 2, 1, CUDASIM_SITE_LINE, 0},
};
static const struct function pull = {.name = "pull",
				     .signature = "pull(Particle const&)",
				     .low = 0x1000,
				     .high = 0x1010,
				     .is_device = true};
static const struct function many_int = {.name = "many<int>",
					 .signature = "many<int>(int*, int)",
					 .low = 0x2000,
					 .high = 0x2010,
					 .is_device = true,
					 .is_kernel = true};
static const struct function many_float = {.name = "many<float>",
					   .signature = "many<float>(float*, int)",
					   .low = 0x3000,
					   .high = 0x3010,
					   .is_device = true,
					   .is_kernel = true};
static const struct function stub = {
	.name = "many<int>", .signature = "many<int>(int*, int)", .low = 0x5000, .high = 0x5010};
static const struct function host_main = {
	.name = "main", .signature = "main()", .low = 0x4000, .high = 0x4010};
static const struct function later = {
	.name = "later", .signature = "later()", .low = 0x6000, .high = 0x6010, .is_device = true};

static const struct program_location places_pull[] = {
	{&fake_sites[0], 0x1000, &pull, "tour.cu", 8}};
static const struct program_location places_many[] = {
	{&fake_sites[1], 0x2000, &many_int, "multi.cu", 4},
	{&fake_sites[2], 0x3000, &many_float, "multi.cu", 4},
	{NULL, 0x5004, &stub, "multi.cu", 3},
};
static const struct program_location places_main[] = {{NULL, 0x4000, &host_main, "multi.cu", 16}};
static const struct program_location places_later[] = {
	{&fake_sites[3], 0x6000, &later, "late.cu", 2}};

struct cudasim_error *location_find(const char *name, struct program_location **ret, size_t *n)
{
	const struct program_location *from = NULL;
	if (!strcmp(name, "pull"))
		from = places_pull, *n = 1;
	else if (!strcmp(name, "many"))
		from = places_many, *n = 3;
	else if (!strcmp(name, "main"))
		from = places_main, *n = 1;
	else if (!strcmp(name, "later") && fake_later)
		from = places_later, *n = 1;
	if (!from)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Function \"%s\" not defined.", name);
	*ret = calloc(*n, sizeof **ret);
	memcpy(*ret, from, *n * sizeof **ret);
	return NULL;
}

const char *source_place(uint32_t *line)
{
	*line = 0;
	return NULL;
}

struct cudasim_error *symbols_load(const char **missing)
{
	(void)missing;
	return NULL;
}

void symbols_expect_more(void)
{
}

size_t symbols_functions_matching(const char *pattern, const struct function **ret, size_t max)
{
	(void)pattern, (void)ret, (void)max;
	return 0;
}

bool symbols_line_at(uint64_t pc, struct line *ret)
{
	const struct program_location *all[] = {places_pull, places_many, places_many + 1,
						places_main, places_later};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (pc >= all[i]->function->low && pc < all[i]->function->high) {
			*ret = (struct line){.file = all[i]->file,
					     .line = all[i]->line,
					     .low = all[i]->function->low,
					     .high = all[i]->function->high};
			return true;
		}
	return false;
}

uint64_t site_address(const struct function *function, const struct cudasim_site *site)
{
	(void)site;
	return function->low;
}

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	static const struct cudasim_module module;
	static const struct cudasim_module *const modules[] = {&module};
	*ret = modules;
	*n = 1;
}

/* ---- expressions --------------------------------------------------------------------- */

struct expression {
	char text[64];
};
int fake_k, fake_word;
static const struct type type_int = {
	.kind = TYPE_INTEGER, .name = "int", .size = 4, .is_signed = true};

const struct type *type_strip(const struct type *type)
{
	return type;
}

const struct type *type_base(const char *name)
{
	(void)name;
	return &type_int;
}

struct cudasim_error *expression_parse(const char *from, uint64_t pc, struct expression **ret)
{
	(void)pc;
	if (strstr(from, "wrong"))
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No symbol \"wrong\" in current context.");
	*ret = calloc(1, sizeof **ret);
	snprintf((*ret)->text, sizeof(*ret)->text, "%s", from);
	return NULL;
}

struct cudasim_error *expression_parse_truth(const char *from, uint64_t pc, struct expression **ret)
{
	return expression_parse(from, pc, ret);
}

void expression_free(struct expression *e)
{
	free(e);
}

const char *expression_text(const struct expression *e)
{
	return e->text;
}

static struct cudasim_error *truth(const char *from, const struct cudasim_thread *thread, int *ret)
{
	int n = -1;
	if (!strcmp(from, "fails"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Cannot access memory at address 0x0");
	if (sscanf(from, "lane == %d", &n) == 1)
		*ret = thread && (int)thread->lane == n;
	else if (sscanf(from, "k == %d", &n) == 1)
		*ret = fake_k == n;
	else
		*ret = !strcmp(from, "yes");
	return NULL;
}

struct cudasim_error *expression_test(const struct expression *e, struct cudasim_thread *thread,
				      uint64_t base, bool *ret)
{
	int result = 0;
	(void)base;
	struct cudasim_error *error = truth(e->text, thread, &result);
	if (!error)
		*ret = result;
	return error;
}

struct cudasim_error *expression_evaluate(const struct expression *e, const struct context *context,
					  struct value *ret)
{
	*ret = (struct value){.type = &type_int, .n_bytes = 4};
	bool half = !strcmp(e->text, "half");
	if (!strcmp(e->text, "word") || !strcmp(e->text, "mine") || half) {
		ret->is_lvalue = true;
		ret->address = (uint64_t)&fake_word;
		ret->storage = *e->text == 'm' ? STORAGE_LOCAL : STORAGE_GLOBAL;
		ret->bit_offset = half ? 16 : 0;
		ret->bit_size = half ? 4 : 0;
		memcpy(ret->bytes.small, &fake_word, 4);
		return NULL;
	}
	int result;
	struct cudasim_error *error = truth(e->text, context->thread, &result);
	memcpy(ret->bytes.small, &result, 4);
	return error;
}

struct cudasim_error *expression_objects(const struct expression *e, const struct context *context,
					 void (*f)(void *, uint64_t, uint64_t, enum storage, bool),
					 void *user)
{
	struct value value;
	struct cudasim_error *error = expression_evaluate(e, context, &value);
	if (!error && value.is_lvalue)
		f(user, value.address, 4, value.storage, value.storage == STORAGE_LOCAL);
	return error;
}

struct cudasim_error *evaluate_integer(const char *from, int64_t *ret)
{
	char *end;
	*ret = strtoll(from, &end, 0);
	return *end ? cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
					from)
		    : NULL;
}

void value_fini(struct value *value)
{
	(void)value;
}

const unsigned char *value_bytes(const struct value *value)
{
	return value->bytes.small;
}

void value_print(FILE *out, const struct value *value, char format, char s, bool top)
{
	int number;
	(void)format, (void)s, (void)top;
	memcpy(&number, value->bytes.small, 4);
	fprintf(out, "%d", number);
}

void convenience_set(const char *name, const struct value *value)
{
	(void)name, (void)value;
}

/* ---- threads and the run control --------------------------------------------------------- */

static struct cudasim_kernel kernel = {.name = "_Z4pullv", .display = "pull<32>"};
static struct cudasim_launch launch = {.kernel = &kernel, .grid = {4, 1, 1}, .block = {32, 1, 1}};
struct cudasim_block fake_block = {.launch = &launch};
struct cudasim_thread fake_thread = {.block = &fake_block};
static struct focus focus = {
	.is_device = true, .launch = &launch, .block = &fake_block, .thread = &fake_thread};
int fake_armed[4];
struct breaker *fake_breaker[4];
struct watcher *fake_watcher;
int fake_watchers;

struct catchers *catchers(void)
{
	static struct catchers catchers;
	return &catchers;
}

struct run_hooks *run_hooks(void)
{
	static struct run_hooks hooks;
	return &hooks;
}

struct run_settings *run_settings(void)
{
	static struct run_settings settings;
	return &settings;
}

struct stop *stop_current(void)
{
	static struct stop stop;
	return &stop;
}

const struct focus *focus_get(void)
{
	return &focus;
}

const struct frame *frame_selected(void)
{
	return NULL;
}

struct cudasim_error *frames_of_thread(struct cudasim_thread *thread, struct frame **ret, size_t *n)
{
	(void)thread;
	*ret = NULL;
	*n = 0;
	return NULL;
}

size_t cudasim_thread_frames(struct cudasim_thread *thread, struct cudasim_frame *ret, size_t max)
{
	(void)thread, (void)max;
	*ret = (struct cudasim_frame){0x1000, 0x7000, true};
	return 1;
}

struct cudasim_thread *cudasim_block_thread(struct cudasim_block *block, uint32_t linear)
{
	(void)block, (void)linear;
	return &fake_thread;
}

enum cudasim_block_state cudasim_block_state(struct cudasim_launch *of, uint64_t index,
					     struct cudasim_block **ret)
{
	(void)of, (void)index;
	*ret = &fake_block;
	return CUDASIM_BLOCK_RUNNING;
}

bool focus_can_see(struct cudasim_thread *thread)
{
	(void)thread;
	return true;
}

enum cudasim_space cudasim_space_of(struct cudasim_thread *thread, const void *address)
{
	(void)thread, (void)address;
	return CUDASIM_SPACE_GLOBAL;
}

bool cudasim_memory_find(const void *address, struct cudasim_memory *ret, bool *inside, bool *freed)
{
	(void)address, (void)ret;
	*inside = *freed = false;
	return false; /* the host's */
}

size_t cudasim_blocks(struct cudasim_launch *of, struct cudasim_block **ret, size_t max)
{
	(void)of, (void)max;
	ret[0] = &fake_block;
	return 1;
}

size_t cudasim_memory_read(const void *address, void *to, size_t n)
{
	memcpy(to, address, n);
	return n;
}

struct cudasim_error *breaker_add(struct breaker *breaker, const struct cudasim_site *site)
{
	fake_armed[site - fake_sites]++;
	fake_breaker[site - fake_sites] = breaker;
	return NULL;
}

void breaker_remove(struct breaker *breaker, const struct cudasim_site *site)
{
	(void)breaker;
	fake_armed[site - fake_sites]--;
}

struct cudasim_error *watcher_add(struct watcher *watcher)
{
	fake_watcher = watcher;
	fake_watchers++;
	return NULL;
}

void watcher_remove(struct watcher *watcher)
{
	(void)watcher;
	fake_watchers--;
}

struct cudasim_error *
host_breakpoint_add(uint64_t pc, bool (*hit)(void *, const struct registers *, struct stop *),
		    void *user, struct host_breakpoint **ret)
{
	(void)pc, (void)hit, (void)user;
	*ret = NULL;
	return NULL;
}

void host_breakpoint_remove(struct host_breakpoint *breakpoint)
{
	(void)breakpoint;
}

struct cudasim_error *host_frames(const struct registers *registers, struct frame **ret, size_t *n)
{
	(void)registers;
	*ret = NULL;
	*n = 0;
	return NULL;
}

bool symbols_symbol_at(uint64_t address, const char **ret_name, const char **ret_mangled,
		       uint64_t *ret_offset, const char **ret_file)
{
	(void)address, (void)ret_name, (void)ret_mangled, (void)ret_offset, (void)ret_file;
	return false;
}

/* What dprintf prints is tested by sessions. */

struct cudasim_error *printf_format_check(const char *text, const char **ret)
{
	*ret = text + strlen(text);
	return NULL;
}

char *printf_format_argument(const char **text)
{
	(void)text;
	return NULL;
}

struct cudasim_error *printf_format_write(FILE *out, const char *text,
					  struct cudasim_error *(*next)(void *, struct value *),
					  void *user)
{
	(void)out, (void)text, (void)next, (void)user;
	return NULL;
}

struct cudasim_thread *value_thread_swap(struct cudasim_thread *thread)
{
	return thread;
}
