/* SPDX-License-Identifier: Apache-2.0 */
/* profile_file.c - profiles of real devices: asked for, written, read. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "cudasim/profile.h"
#include "error.h"
#include "library.h"
#include "profile.h"

/* What a file says; attributes that a device does not know are absent. */
struct facts {
	char name[256];
	unsigned long long memory, reserved; /* bytes */
	bool known[N_ATTRIBUTES];
	int value[N_ATTRIBUTES];
};

/* ---- a profile of facts ----------------------------------------------------------------- */

static uint32_t fact(const struct facts *f, int attribute, uint32_t absent)
{
	return f->known[attribute] && f->value[attribute] >= 0 ? (uint32_t)f->value[attribute]
							       : absent;
}

static struct difference *differences(const struct facts *f)
{
	struct difference *ret = calloc(N_ATTRIBUTES + 1, sizeof *ret);
	int n = 0;
	for (int i = 1; ret && i < N_ATTRIBUTES; i++)
		if (f->known[i])
			ret[n++] = (struct difference){i, f->value[i]};
	if (ret)
		ret[n].attribute = DIFFERENCES_END;
	return ret;
}

/* How registers and shared memory are handed out no attribute tells: as in the table, it is
 * by compute capability. */
static struct cudasim_error *make(const struct facts *f, const char *key,
				  const struct profile **ret)
{
	struct profile *p = calloc(1, sizeof *p);
	if (!p)
		return &cudasim_error_nomem;
	*p = (struct profile){
		.key = strdup(key),
		.name = strdup(f->name),
		.major = (int)fact(f, cudaDevAttrComputeCapabilityMajor, 0),
		.minor = (int)fact(f, cudaDevAttrComputeCapabilityMinor, 0),
		.n_sms = fact(f, cudaDevAttrMultiProcessorCount, 0),
		.max_threads_per_sm = fact(f, cudaDevAttrMaxThreadsPerMultiProcessor, 2048),
		.max_blocks_per_sm = fact(f, cudaDevAttrMaxBlocksPerMultiprocessor, 32),
		.max_threads_per_block = fact(f, cudaDevAttrMaxThreadsPerBlock, 1024),
		.max_block = {fact(f, cudaDevAttrMaxBlockDimX, 1024),
			      fact(f, cudaDevAttrMaxBlockDimY, 1024),
			      fact(f, cudaDevAttrMaxBlockDimZ, 64)},
		.max_grid = {fact(f, cudaDevAttrMaxGridDimX, 2147483647),
			     fact(f, cudaDevAttrMaxGridDimY, 65535),
			     fact(f, cudaDevAttrMaxGridDimZ, 65535)},
		.shared_per_block = fact(f, cudaDevAttrMaxSharedMemoryPerBlock, 49152),
		.shared_per_block_optin = fact(f, cudaDevAttrMaxSharedMemoryPerBlockOptin, 49152),
		.shared_per_sm = fact(f, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 65536),
		.reserved_shared = fact(f, cudaDevAttrReservedSharedMemoryPerBlock, 0),
		.registers_per_sm = fact(f, cudaDevAttrMaxRegistersPerMultiprocessor, 65536),
		.global_bytes = f->memory,
		.reserved_bytes = f->reserved,
		.clock_khz = fact(f, cudaDevAttrClockRate, 1000000),
		.memory_clock_khz = fact(f, cudaDevAttrMemoryClockRate, 1000000),
		.memory_bus_bits = fact(f, cudaDevAttrGlobalMemoryBusWidth, 256),
		.l2_bytes = fact(f, cudaDevAttrL2CacheSize, 0),
		.max_registers_per_thread = 255,
		.register_unit = 256,
		.max_cluster = fact(f, cudaDevAttrClusterLaunch, 0) ? 8 : 0,
		.differences = differences(f),
	};
	p->shared_unit = p->major >= 8 ? 128 : 256;
	if (!p->key || !p->name || !p->differences)
		return &cudasim_error_nomem;
	*ret = p;
	return NULL;
}

static struct cudasim_error *check(const struct facts *f, const char *path)
{
	static const int needed[] = {
		cudaDevAttrComputeCapabilityMajor,
		cudaDevAttrComputeCapabilityMinor,
		cudaDevAttrMultiProcessorCount,
		cudaDevAttrMaxThreadsPerBlock,
	};
	if (!*f->name || f->memory < 64u << 20 || f->reserved >= f->memory)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: no name, or no sensible memory",
					 path);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!f->known[needed[i]] || f->value[needed[i]] < 0 ||
		    (i != 1 && !f->value[needed[i]]))
			return cudasim_error_new(CUDASIM_E_FORMAT,
						 "%s: attribute %d is missing or senseless", path,
						 needed[i]);
	if (f->value[cudaDevAttrMaxThreadsPerBlock] > 1024)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: blocks have 1024 threads at most",
					 path);
	return NULL;
}

/* ---- the file ----------------------------------------------------------------------------- */

static bool read_line(const char *line, struct facts *f)
{
	int attribute, value, at = 0;
	if (*line == '#' || *line == '\n')
		return true;
	if (!strncmp(line, "name ", 5)) {
		snprintf(f->name, sizeof f->name, "%.*s", (int)strcspn(line + 5, "\n"), line + 5);
		return true;
	}
	if (sscanf(line, "memory %llu %llu %n", &f->memory, &f->reserved, &at) == 2 && at)
		return !line[at];
	at = 0;
	if (sscanf(line, "attribute %d %d %n", &attribute, &value, &at) != 2 || !at || line[at] ||
	    attribute < 1)
		return false;
	/* Those of later versions are passed over. */
	if (attribute < N_ATTRIBUTES) {
		f->known[attribute] = true;
		f->value[attribute] = value;
	}
	return true;
}

struct cudasim_error *profile_read(const char *path, const struct profile **ret)
{
	struct facts facts = {0};
	char line[512];
	int number = 1;
	FILE *file = fopen(path, "r");
	if (!file)
		return cudasim_error_errno(errno, "CUDASIM_DEVICE=%s", path);
	bool good = fgets(line, sizeof line, file) && !strcmp(line, "cudasim profile 1\n");
	while (good && fgets(line, sizeof line, file)) {
		number++;
		good = read_line(line, &facts);
	}
	fclose(file);
	if (!good)
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "%s: line %d is not a line of a "
					 "profile",
					 path, number);
	struct cudasim_error *error = check(&facts, path);
	return error ? error : make(&facts, path, ret);
}

static void write_facts(FILE *file, const struct facts *f)
{
	fprintf(file, "cudasim profile 1\nname %s\nmemory %llu %llu\n", f->name, f->memory,
		f->reserved);
	for (int i = 1; i < N_ATTRIBUTES; i++)
		if (f->known[i])
			fprintf(file, "attribute %d %d\n", i, f->value[i]);
}

/* ---- the device ----------------------------------------------------------------------------- */

static struct cudasim_error *failed(const char *what, cudaError_t code)
{
	const char *(*text)(cudaError_t);
	*(void **)&text = library_function("cudaGetErrorString");
	return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s", what, text ? text(code) : "failed");
}

static struct cudasim_error *ask(int device, struct facts *f)
{
	cudaError_t (*set)(int), (*memory)(size_t *, size_t *), (*last)(void);
	cudaError_t (*attribute)(int *, int, int);
	cudaError_t (*properties)(struct cudaDeviceProp *, int);
	struct cudaDeviceProp p = {0};
	size_t available = 0, total = 0;
	*(void **)&set = library_function("cudaSetDevice");
	*(void **)&memory = library_function("cudaMemGetInfo");
	*(void **)&last = library_function("cudaGetLastError");
	*(void **)&attribute = library_function("cudaDeviceGetAttribute");
	*(void **)&properties = library_function("cudaGetDeviceProperties");
	if (!set || !memory || !attribute || !last || !properties)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s is not a complete libcudart",
					 library_name("cudaMalloc"));
	cudaError_t code = set(device);
	if (code)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "there is no device %d", device);
	if ((code = properties(&p, device)))
		return failed("cudaGetDeviceProperties", code);
	if ((code = memory(&available, &total)))
		return failed("cudaMemGetInfo", code);
	snprintf(f->name, sizeof f->name, "%s", p.name);
	f->memory = total;
	f->reserved = total - available;
	for (int i = 1; i < N_ATTRIBUTES; i++) {
		f->known[i] = !attribute(&f->value[i], i, device);
		if (!f->known[i])
			last();
	}
	return NULL;
}

static struct cudasim_error *open_and_ask(int device, struct facts *f)
{
	int major, minor;
	struct cudasim_error *error = library_open();
	if (!error)
		error = library_device(&major, &minor);
	return error ? error : ask(device, f);
}

struct cudasim_error *profile_of_this(const struct profile **ret)
{
	struct facts facts = {0};
	struct cudasim_error *error = open_and_ask(0, &facts);
	if (error) {
		struct cudasim_error *named =
			cudasim_error_new(error->code, "CUDASIM_DEVICE=this: %s", error->message);
		cudasim_error_free(error);
		return named;
	}
	return make(&facts, "this", ret);
}

struct cudasim_error *cudasim_profile_write(int device, const char *path)
{
	struct facts facts = {0};
	struct cudasim_error *error = open_and_ask(device, &facts);
	if (error)
		return error;
	FILE *file = path ? fopen(path, "w") : stdout;
	if (!file)
		return cudasim_error_errno(errno, "%s", path);
	write_facts(file, &facts);
	bool bad = path ? fclose(file) : fflush(file);
	return bad ? cudasim_error_errno(errno, "%s", path ? path : "stdout") : NULL;
}
