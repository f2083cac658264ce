/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda_info.c - info cuda devices, sms, kernels, launches, contexts, managed. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_cuda.h"
#include "console.h"
#include "run.h"
#include "error.h"
#include "frame_print.h"
#include "stack.h"
#include "table.h"
#include "text.h"

enum { MOST_LAUNCHES = 64 };

/* Prints the table, or what is said of an empty one; it is gone then. */
static void show_table(struct table *table, const char *none)
{
	if (table_is_empty(table))
		fputs(none, console());
	else
		table_print(console(), table);
	table_free(table);
}

struct cudasim_error *info_cuda(const char *argument)
{
	char word[64];
	if (!text_word(&argument, word, sizeof word))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Missing option.\n"
			"It is one of devices, sms, warps, lanes, kernels, contexts, blocks, threads, barriers, "
			"pipeline, shared, launches, managed, line.");
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Undefined info cuda command: \"%s\".  Try \"help info cuda\".",
				 word);
}

/* Launches in flight, oldest first. */
static size_t launches_of(struct cudasim_launch **ret)
{
	size_t n = program_is_running() ? cudasim_launches(ret, MOST_LAUNCHES) : 0;
	return n < MOST_LAUNCHES ? n : MOST_LAUNCHES;
}

static size_t blocks_of(struct cudasim_launch *launch, struct cudasim_block ***ret)
{
	size_t n = cudasim_blocks(launch, NULL, 0);
	*ret = malloc((n + 1) * sizeof **ret);
	return *ret ? cudasim_blocks(launch, *ret, n) : 0;
}

static bool is_focused(const struct cudasim_launch *launch)
{
	return focus_get()->is_device && focus_get()->launch == launch;
}

/* ---- multiprocessors ----------------------------------------------------------------- */

enum { MOST_SMS = 1024 };

/* Which SMs of the device have blocks: of one launch, or (NULL) of all. */
static void sms_of(uint32_t device, const struct cudasim_launch *of, bool ret[MOST_SMS])
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	size_t n = launches_of(launches);
	memset(ret, 0, MOST_SMS);
	for (size_t i = 0; i < n; i++) {
		struct cudasim_block **blocks;
		if (launches[i]->device != device || (of && launches[i] != of))
			continue;
		size_t n_blocks = blocks_of(launches[i], &blocks);
		for (size_t b = 0; b < n_blocks; b++)
			if (blocks[b]->smid < MOST_SMS)
				ret[blocks[b]->smid] = true;
		free(blocks);
	}
}

/* As cuda-gdb writes the mask: whole bytes, the last SM first. */
static void cell_sms(struct table *table, uint32_t device, const struct cudasim_launch *of)
{
	struct cudasim_device d;
	bool sms[MOST_SMS];
	char text[MOST_SMS / 4 + 1];
	uint32_t n = 0;
	if (!cudasim_device_describe(device, &d))
		return;
	sms_of(device, of, sms);
	uint32_t n_digits = (d.n_sms + 7) / 8 * 2;
	for (uint32_t digit = n_digits; digit-- > 0 && n < MOST_SMS / 4;) {
		unsigned bits = 0;
		for (unsigned i = 0; i < 4; i++)
			bits |= (unsigned)(digit * 4 + i < MOST_SMS && sms[digit * 4 + i]) << i;
		text[n++] = "0123456789abcdef"[bits];
	}
	text[n] = 0;
	table_cell(table, "0x%s", text);
}

static const struct column device_columns[] = {
	{"Dev", COLUMN_RIGHT, 0},
	{"PCI Bus/Dev ID", COLUMN_RIGHT, 0},
	{"Name", COLUMN_RIGHT, 0},
	{"Description", COLUMN_RIGHT, 0},
	{"SM Type", COLUMN_RIGHT, 0},
	{"SMs", COLUMN_RIGHT, 0},
	{"Warps/SM", COLUMN_RIGHT, 0},
	{"Lanes/Warp", COLUMN_RIGHT, 0},
	{"Max Regs/Lane", COLUMN_RIGHT, 0},
	{"Active SMs Mask", COLUMN_RIGHT, 0},
	{NULL, 0, 0},
};

struct cudasim_error *info_devices(const char *argument)
{
	struct cudasim_device d;
	(void)argument;
	struct table *table = table_new(device_columns);
	for (uint32_t i = 0; cudasim_device_describe(i, &d); i++) {
		table_row(table, focus_get()->is_device && focus_get()->launch->device == i);
		table_cell(table, "%u", i);
		table_cell(table, "%02x:%02x.0", d.pci_bus, d.pci_device);
		table_cell(table, "%s", d.name);
		table_cell(table, "simulated");
		table_cell(table, "sm_%u%u", d.major, d.minor);
		table_cell(table, "%u", d.n_sms);
		table_cell(table, "%u", d.n_warps_per_sm);
		table_cell(table, "%u", CUDASIM_WARP_SIZE);
		table_cell(table, "%u", d.n_registers);
		cell_sms(table, i, NULL);
	}
	show_table(table, "No CUDA devices.\n");
	return NULL;
}

static const struct column sm_columns[] = {
	{"SM", COLUMN_RIGHT, 0},
	{"Active Warps Mask", COLUMN_RIGHT, 18},
	{NULL, 0, 0},
};

/* Warps of all blocks on the SM that have a thread in flight. */
static uint64_t warps_on(uint32_t device, uint32_t sm)
{
	struct coordinates c = {.n = 0};
	struct cudasim_block **blocks;
	uint64_t mask = 0;
	c.has_value[COORDINATE_DEVICE] = c.has_value[COORDINATE_SM] = true;
	c.value[COORDINATE_DEVICE][0] = device;
	c.value[COORDINATE_SM][0] = sm;
	size_t n = coordinates_blocks(&c, &blocks);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t w = 0; w * CUDASIM_WARP_SIZE < cudasim_block_size(blocks[i]); w++) {
			struct cudasim_warp_lanes lanes;
			cudasim_warp_lanes(blocks[i], w, &lanes);
			mask |= (uint64_t)(lanes.live != 0) << w;
		}
	}
	free(blocks);
	return mask;
}

struct cudasim_error *info_sms(const char *argument)
{
	struct coordinates c;
	struct cudasim_device d;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda sms", &c);
	if (error)
		return error;
	struct table *table = table_new(sm_columns);
	coordinates_default(&c, COORDINATE_DEVICE);
	for (uint32_t i = 0; program_is_running() && cudasim_device_describe(i, &d); i++) {
		bool sms[MOST_SMS];
		if (c.has_value[COORDINATE_DEVICE] && !c.any[COORDINATE_DEVICE] &&
		    c.value[COORDINATE_DEVICE][0] != i)
			continue;
		sms_of(i, NULL, sms);
		table_section(table, "Device %u", i);
		for (uint32_t sm = 0; sm < d.n_sms && sm < MOST_SMS; sm++) {
			if (!sms[sm])
				continue;
			const struct focus *f = focus_get();
			table_row(table,
				  f->is_device && f->launch->device == i && f->block->smid == sm);
			table_cell(table, "%u", sm);
			table_cell(table, "0x%016" PRIx64, warps_on(i, sm));
		}
	}
	show_table(table, "No CUDA SMs.\n");
	return NULL;
}

/* ---- kernels --------------------------------------------------------------------------- */

/* Some thread that can be looked at, whose kernel frame has the arguments. */
static bool take_first(void *user, struct cudasim_thread *thread)
{
	*(struct cudasim_thread **)user = thread;
	return false;
}

char *invocation_text(struct cudasim_launch *launch)
{
	struct coordinates c = {.n = 0};
	struct cudasim_thread *thread = NULL;
	struct frame *frames = NULL;
	char *text = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	c.has_value[COORDINATE_KERNEL] = true;
	c.value[COORDINATE_KERNEL][0] = focus_kernel_number(launch);
	coordinates_each_thread(&c, take_first, &thread);
	if (thread)
		cudasim_error_free(frames_of_thread(thread, &frames, &n));
	fprintf(out, "%s(", launch->kernel->display);
	if (n && frames[n - 1].is_kernel)
		frame_print_arguments(out, &frames[n - 1]);
	else if (launch->kernel->n_params)
		fputs("...", out);
	fputc(')', out);
	fclose(out);
	free(frames);
	return text;
}

static void cell_invocation(struct table *table, const struct cudasim_launch *launch)
{
	char *text = invocation_text((struct cudasim_launch *)launch);
	table_cell(table, "%s", text ? text : launch->kernel->display);
	free(text);
}

static void cell_shape(struct table *table, const uint32_t n[3])
{
	table_cell(table, "(%u,%u,%u)", n[0], n[1], n[2]);
}

static const struct column kernel_columns[] = {
	{"Kernel", COLUMN_RIGHT, 0},    {"Parent", COLUMN_RIGHT, 0},
	{"Dev", COLUMN_RIGHT, 0},       {"Grid", COLUMN_RIGHT, 0},
	{"Status", COLUMN_RIGHT, 0},    {"SMs Mask", COLUMN_RIGHT, 0},
	{"GridDim", COLUMN_RIGHT, 0},   {"BlockDim", COLUMN_RIGHT, 0},
	{"Invocation", COLUMN_LEFT, 0}, {NULL, 0, 0},
};

static void kernel_row(struct table *table, struct cudasim_launch *launch)
{
	table_row(table, is_focused(launch));
	table_cell(table, "%" PRIu64, focus_kernel_number(launch));
	if (launch->parent)
		table_cell(table, "%" PRIu64, focus_kernel_number(launch->parent));
	else
		table_cell(table, "-");
	table_cell(table, "%u", launch->device);
	table_cell(table, "%" PRIu64, launch->gridid);
	table_cell(table, "Active");
	cell_sms(table, launch->device, launch);
	cell_shape(table, launch->grid);
	cell_shape(table, launch->block);
	cell_invocation(table, launch);
}

/* Rows of the launches in flight that match. */
static struct cudasim_error *list_launches(const char *argument, const char *command,
					   const struct column *columns,
					   void (*row)(struct table *, struct cudasim_launch *),
					   bool focused_only)
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(argument, command, &c);
	if (error)
		return error;
	struct table *table = table_new(columns);
	size_t n = launches_of(launches);
	for (size_t i = 0; i < n; i++)
		if (coordinates_match_launch(&c, launches[i]) &&
		    (!focused_only || is_focused(launches[i])))
			row(table, launches[i]);
	show_table(table, "No CUDA kernels.\n");
	return NULL;
}

struct cudasim_error *info_kernels(const char *argument)
{
	return list_launches(argument, "info cuda kernels", kernel_columns, kernel_row, false);
}

static const struct column launch_columns[] = {
	{"Kernel", COLUMN_RIGHT, 0}, {"Dev", COLUMN_RIGHT, 0},       {"Grid", COLUMN_RIGHT, 0},
	{"Stream", COLUMN_RIGHT, 0}, {"Blocks", COLUMN_RIGHT, 0},    {"Running", COLUMN_RIGHT, 0},
	{"Done", COLUMN_RIGHT, 0},   {"GridDim", COLUMN_RIGHT, 0},   {"BlockDim", COLUMN_RIGHT, 0},
	{"Shared", COLUMN_RIGHT, 0}, {"Invocation", COLUMN_LEFT, 0}, {NULL, 0, 0},
};

static void launch_row(struct table *table, struct cudasim_launch *launch)
{
	uint64_t n = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2], done = 0;
	size_t running = cudasim_blocks(launch, NULL, 0);
	for (uint64_t i = 0; i < n; i++)
		done += cudasim_block_state(launch, i, NULL) == CUDASIM_BLOCK_DONE;
	table_row(table, is_focused(launch));
	table_cell(table, "%" PRIu64, focus_kernel_number(launch));
	table_cell(table, "%u", launch->device);
	table_cell(table, "%" PRIu64, launch->gridid);
	table_cell(table, "%" PRIu64, launch->stream);
	table_cell(table, "%" PRIu64, n);
	table_cell(table, "%zu", running);
	table_cell(table, "%" PRIu64, done);
	cell_shape(table, launch->grid);
	cell_shape(table, launch->block);
	table_cell(table, "%u", launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes);
	cell_invocation(table, launch);
}

struct cudasim_error *info_launches(const char *argument)
{
	return list_launches(argument, "info cuda launches", launch_columns, launch_row, false);
}

static const struct column trace_columns[] = {
	{"Lvl", COLUMN_LEFT, 0},       {"Kernel", COLUMN_RIGHT, 0},    {"Dev", COLUMN_RIGHT, 0},
	{"Grid", COLUMN_RIGHT, 0},     {"Status", COLUMN_RIGHT, 0},    {"GridDim", COLUMN_RIGHT, 0},
	{"BlockDim", COLUMN_RIGHT, 0}, {"Invocation", COLUMN_LEFT, 0}, {NULL, 0, 0},
};

static void trace_row(struct table *table, const struct cudasim_launch *launch, unsigned level)
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	size_t n = launches_of(launches), i = 0;
	while (i < n && launches[i] != launch)
		i++;
	table_row(table, !level && is_focused(launch));
	table_cell(table, "#%u", level);
	table_cell(table, "%" PRIu64, focus_kernel_number(launch));
	table_cell(table, "%u", launch->device);
	table_cell(table, "%" PRIu64, launch->gridid);
	table_cell(table, i < n ? "Active" : "Sleeping");
	cell_shape(table, launch->grid);
	cell_shape(table, launch->block);
	cell_invocation(table, launch);
}

/* The focused kernel and those that have launched it, which wait for it. */
struct cudasim_error *info_launch_trace(const char *argument)
{
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda launch trace", &c);
	if (error)
		return error;
	struct table *table = table_new(trace_columns);
	unsigned level = 0;
	for (const struct cudasim_launch *l = focus_get()->is_device ? focus_get()->launch : NULL;
	     l; l = l->parent)
		if (coordinates_match_launch(&c, l))
			trace_row(table, l, level++);
	show_table(table, "No CUDA kernels.\n");
	return NULL;
}

/* Those in flight that the focused kernel has launched. */
struct cudasim_error *info_launch_children(const char *argument)
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda launch children", &c);
	if (error)
		return error;
	struct table *table = table_new(kernel_columns);
	size_t n = launches_of(launches);
	for (size_t i = 0; i < n; i++)
		if (launches[i]->parent && is_focused(launches[i]->parent) &&
		    coordinates_match_launch(&c, launches[i]))
			kernel_row(table, launches[i]);
	show_table(table, "No CUDA kernels.\n");
	return NULL;
}

/* ---- contexts, managed variables, lines ----------------------------------------------- */

static const struct column context_columns[] = {
	{"Context", COLUMN_RIGHT, 18},
	{"Dev", COLUMN_RIGHT, 0},
	{"State", COLUMN_RIGHT, 6},
	{NULL, 0, 0},
};

struct cudasim_error *info_contexts(const char *argument)
{
	struct cudasim_device d;
	(void)argument;
	struct table *table = table_new(context_columns);
	for (uint32_t i = 0; program_is_running() && cudasim_device_describe(i, &d); i++) {
		if (!d.active)
			continue;
		table_row(table, focus_get()->is_device && focus_get()->launch->device == i);
		table_cell(table, "primary");
		table_cell(table, "%u", i);
		table_cell(table, "active");
	}
	show_table(table, "No CUDA contexts.\n");
	return NULL;
}

static void print_managed(void *user, const struct variable *variable)
{
	uint64_t address;
	uint32_t *n = user;
	if (variable->storage != STORAGE_MANAGED)
		return;
	if (!(*n)++)
		fputs("Static managed variables on device 0 are:\n", console());
	fprintf(console(), "%s = ", variable->name);
	struct cudasim_error *error = symbols_global_address(variable, 0, &address);
	if (!error) {
		struct value value = value_at(variable->type, variable->storage, address);
		error = value_fetch(&value);
		if (!error)
			value_print(console(), &value, 0, 0, true);
		value_fini(&value);
	}
	fprintf(console(), "%s\n", error ? error->message : "");
	cudasim_error_free(error);
}

struct cudasim_error *info_managed(const char *argument)
{
	uint32_t n = 0;
	(void)argument;
	symbols_each_global(print_managed, &n);
	if (!n)
		fputs("The program has no static managed variables.\n", console());
	return NULL;
}

struct cudasim_error *info_line_of(const char *argument)
{
	char *line = NULL;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (expression to compute).");
	if (asprintf(&line, "info line %s", argument) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = command_execute(line);
	free(line);
	return error;
}
