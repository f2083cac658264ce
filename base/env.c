/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "env.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

const struct env_variable env_variables[] = {
	{"CUDASIM", "0|1",
	 "1 runs on the simulator, 0 on a GPU; unset: on the GPU if the executable contains code for "
	 "it and one is present, otherwise on the simulator.",
	 ENV_MODE, ENV_WORD, 0, 0},
	{"CUDASIM_BODY", "auto|v3|v4|watched",
	 "The body of kernels that plain launches run: for x86-64-v3, for AVX-512 (v4), or the "
	 "instrumented one (watched); auto selects the best for this CPU.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_CACHE", "off|path",
	 "The folder of cudasim cc's cache, an absolute path; default: $XDG_CACHE_HOME/cudasim/objects "
	 "or ~/.cache/cudasim/objects; off disables the cache.",
	 ENV_COMPILER, ENV_TEXT, 0, 0},
	{"CUDASIM_CACHE_SIZE", "bytes, with K, M, G or T",
	 "The cache's size limit, beyond which the least recently used entries are removed; default 2G.",
	 ENV_COMPILER, ENV_BYTES, 0, 0},
	{"CUDASIM_CHECK", "all|tool[,tool...]",
	 "Checkers to run: memcheck, racecheck, initcheck, synccheck, leakcheck, apicheck.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_CHECK_OPTIONS", "options",
	 "Options of `cudasim check` for them, separated by blanks; `\\` quotes a blank.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_CHECK_SESSION", "path",
	 "The file in which checked processes report to `cudasim check`, which sets it.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_COMPILE_SERVER", "0|1",
	 "0: code that a program loads or compiles while it runs (NVRTC, PTX) is compiled without the "
	 "process that keeps the compiler's libraries and headers in memory; default 1.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_COUNT_FILE", "path", "The output of the counting tool; default: stderr.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_COUNT_LOCAL", "0|1",
	 "1: the counting tool also counts accesses to threads' own variables.", ENV_PROGRAM,
	 ENV_WORD, 0, 0},
	{"CUDASIM_DEBUG", "0|1|wait",
	 "1 opens the debugger before the program starts; `wait` has it wait there for an editor that "
	 "attaches by `cudasim dap`.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_DEBUG_PRELOAD", "path",
	 "The libcudasim.so that `cudasim debug`, which sets it, preloads into a program not linked with it.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_DEBUG_SESSION", "path",
	 "A file with the debugger's options; set by `cudasim debug` and by the debugger.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_DEVICE", "h200|h100|a100|l4|rtx4090|t4|v100|this|path",
	 "The GPU to simulate: its limits, properties and memory size; default: h200. `this` is the "
	 "machine's own, a path names a file that `cudasim profile` wrote.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_DEVICES", "1..16", "The number of devices; default 1.", ENV_PROGRAM, ENV_NUMBER,
	 1, 16},
	{"CUDASIM_ENGINE", "loops|fibers|pthreads",
	 "How CUDA threads run: as vectorised loops over a block's threads, with fibers for kernels "
	 "that have no such form (default); as fibers, which are stacks switched in user space; or as "
	 "one pthread each.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_HANG", "seconds",
	 "When no thread of a launch has made progress for this time, stderr reports who waits for what, and "
	 "the launch ends with cudaErrorLaunchTimeout if nothing can change any more; default 3; 0: never.",
	 ENV_PROGRAM, ENV_NUMBER, 0, UINT32_MAX},
	{"CUDASIM_LIBCUBLAS", "path",
	 "The real libcublas.so for programs that call it on a GPU; default: found on the loader's path "
	 "or in /usr/local/cuda.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_LIBCUDART", "path",
	 "The real libcudart.so for use with a GPU; default: found on the loader's path, in the toolkit "
	 "or among Python's packages.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_LIBCUFFT", "path",
	 "The real libcufft.so for programs that call it on a GPU; it is not simulated.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_LIBCURAND", "path",
	 "The real libcurand.so for programs that call it on a GPU; it is not simulated.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_LIBCUSOLVER", "path",
	 "The real libcusolver.so for programs that call it on a GPU; it is not simulated.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_LIBCUSPARSE", "path",
	 "The real libcusparse.so for programs that call it on a GPU; it is not simulated.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_MEMORY", "bytes, with K, M, G or T",
	 "The memory of each device, instead of the GPU's own size.", ENV_PROGRAM, ENV_BYTES, 0, 0},
	{"CUDASIM_OBSERVER", "path[:path...]",
	 "Tools to open: shared objects that export cudasim_observer_init().", ENV_PROGRAM,
	 ENV_PATHS, 0, 0},
	{"CUDASIM_RECORD", "path",
	 "The output of the recorder: what each launch leaves in memory; set by `cudasim compare`.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_RECORD_KERNEL", "text",
	 "Record memory only for launches of kernels whose mangled name contains this.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_RECORD_LIMIT", "bytes, with K, M, G or T",
	 "Beyond this size a recording has only a hash for each memory that a launch changes; default 256M.",
	 ENV_PROGRAM, ENV_BYTES, 0, 0},
	{"CUDASIM_RECORD_OWNERS", "launch:memory:offset:bytes[,...]",
	 "Record which threads stored these bytes; set by `cudasim compare`.", ENV_PROGRAM,
	 ENV_TEXT, 0, 0},
	{"CUDASIM_SCHEDULE", "inorder|reverse|random[:SEED]",
	 "Makes a run repeatable, in this order of blocks and threads.", ENV_PROGRAM, ENV_TEXT, 0,
	 0},
	{"CUDASIM_SUMMARY", "0|1|path.json",
	 "1 prints at exit the time and calls of each kernel, the copies in each direction, the calls of "
	 "the CUDA API and the ranges of NVTX; a path ending in .json receives them as JSON.",
	 ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_TEST_BODY", "watched|plain",
	 "The body of kernels that tests of cudasim/test.h run; default: watched, which reports the "
	 "thread of each fault.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_TEST_FAILED", "number", "Set by a test executable that runs itself again.",
	 ENV_PROGRAM, ENV_NUMBER, 0, UINT32_MAX},
	{"CUDASIM_TEST_FILTER", "text[,text...]",
	 "Run only tests whose names contain one of these.", ENV_PROGRAM, ENV_TEXT, 0, 0},
	{"CUDASIM_TEST_LEFT", "from-to[,from-to...]",
	 "Run only the tests with these indices; set by cudasim test.", ENV_PROGRAM, ENV_RANGES, 0,
	 0},
	{"CUDASIM_TEST_LIST", "0|1", "1: a test executable lists its tests and runs none.",
	 ENV_PROGRAM, ENV_WORD, 0, 0},
	{"CUDASIM_TEST_SEED", "number", "The seed of a test's random inputs; default 1.",
	 ENV_PROGRAM, ENV_SEED, 0, 0},
	{"CUDASIM_TIMEOUT", "seconds",
	 "A kernel that runs longer ends with cudaErrorLaunchTimeout; default: no limit.",
	 ENV_PROGRAM, ENV_NUMBER, 1, UINT32_MAX},
	{"CUDASIM_TOOLKIT", "path",
	 "The CUDA toolkit whose headers and libdevice are used: its folder, or the version of one "
	 "in the cache (12.4).",
	 ENV_COMPILER, ENV_TEXT, 0, 0},
	{"CUDASIM_WORKERS", "1..256",
	 "The number of threads that run blocks; default: one for each CPU.", ENV_PROGRAM,
	 ENV_NUMBER, 1, 256},
	{NULL, NULL, NULL, ENV_PROGRAM, ENV_TEXT, 0, 0},
};

static const struct env_variable *find(const char *name)
{
	for (const struct env_variable *v = env_variables; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

const char *env_get(const char *name)
{
	assert(find(name));
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

/* ---- whole values ------------------------------------------------------------ */

/* Whether one of the words, which stand with '|' between, is the value. */
static bool is_word(const char *words, const char *value)
{
	size_t n = strlen(value);
	for (; *words; words += *words == '|') {
		size_t length = strcspn(words, "|");
		if (length == n && !strncmp(words, value, n))
			return true;
		words += length;
	}
	return false;
}

static bool is_seed(const char *value)
{
	char *end;
	errno = 0;
	strtoull(value, &end, 0);
	return *value >= '0' && *value <= '9' && !*end && !errno;
}

/* 3,5-8,12-, */
static bool is_ranges(const char *value)
{
	for (;;) {
		size_t n = strspn(value, "0123456789");
		value += n;
		if (!n || n > 9)
			return false;
		if (*value == '-')
			value += 1 + strspn(value + 1, "0123456789");
		if (!*value)
			return true;
		if (*value++ != ',')
			return false;
		if (!*value)
			return true; /* as cudasim test writes them */
	}
}

static struct cudasim_error *check(const struct env_variable *v, const char *value)
{
	uint64_t n;
	bool fits = true;
	if (!*value)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s is empty: unset it, or give it a value (%s)", v->name,
					 v->values);
	switch (v->form) {
	case ENV_NUMBER:
		return env_number(v->name, v->min, v->max, 0, &n);
	case ENV_BYTES:
		return env_bytes(v->name, 0, &n);
	case ENV_WORD:
		fits = is_word(v->values, value);
		break;
	case ENV_SEED:
		fits = is_seed(value);
		break;
	case ENV_RANGES:
		fits = is_ranges(value);
		break;
	case ENV_PATHS:
		fits = value[strspn(value, ":")];
		break;
	case ENV_TEXT:
		break;
	}
	return fits ? NULL
		    : cudasim_error_new(CUDASIM_E_ARGUMENT, "%s=%s: must be %s", v->name, value,
					v->values);
}

struct cudasim_error *env_check(enum env_part part)
{
	struct cudasim_error *error = NULL;
	for (const struct env_variable *v = env_variables; v->name && !error; v++) {
		const char *value = v->part == part ? getenv(v->name) : NULL;
		if (value)
			error = check(v, value);
	}
	return error;
}

/* ---- numbers ----------------------------------------------------------------- */

/* The whole number that text begins with; *rest is what follows. False where there is none, or
 * none that fits. */
static bool leading_number(const char *text, uint64_t *ret, const char **rest)
{
	char *end;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	*rest = end;
	return !errno && *text >= '0' && *text <= '9';
}

struct cudasim_error *env_number(const char *name, uint64_t min, uint64_t max, uint64_t absent,
				 uint64_t *ret)
{
	const char *value = env_get(name), *end;
	uint64_t n;
	*ret = absent;
	if (!value)
		return NULL;
	if (!leading_number(value, &n, &end) || *end || n < min || n > max)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s=%s: must be a whole number from %llu to %llu", name,
					 value, (unsigned long long)min, (unsigned long long)max);
	*ret = n;
	return NULL;
}

struct cudasim_error *env_bytes(const char *name, uint64_t absent, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *value = env_get(name), *end;
	uint64_t n;
	unsigned shift = 0;
	*ret = absent;
	if (!value)
		return NULL;
	bool is_number = leading_number(value, &n, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (!is_number || *end || !n || n > UINT64_MAX >> 16 >> shift)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s=%s: must be a size in bytes, such as 4G", name, value);
	*ret = n << shift;
	return NULL;
}

/* Levenshtein distance, one row at a time; names longer than a row are cut. */
static size_t distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	size_t row[MAX + 1], n = strnlen(b, MAX);
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a && i <= MAX; i++, a++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t cost = diagonal + (*a != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[n];
}

static const char *nearest(const char *name)
{
	const char *best = NULL;
	size_t best_distance = 5; /* farther is not a slip of the finger */
	for (const struct env_variable *v = env_variables; v->name; v++) {
		size_t d = distance(name, v->name);
		if (d < best_distance) {
			best_distance = d;
			best = v->name;
		}
	}
	return best;
}

void env_misspelt(void (*found)(const char *name, const char *nearest))
{
	for (char **e = environ; e && *e; e++) {
		char name[64];
		size_t n = strcspn(*e, "=");
		if (strncmp(*e, "CUDASIM_", 8) || n >= sizeof name)
			continue;
		memcpy(name, *e, n);
		name[n] = '\0';
		if (!find(name))
			found(name, nearest(name));
	}
}
