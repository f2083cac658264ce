/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "registration.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blob.h"
#include "error.h"
#include "choice.h"
#include "fatbin.h"
#include "library.h"
#include "managed.h"
#include "log.h"
#include "registry.h"

/* What __cudaRegisterFatBinary() is given. */
struct wrapper {
	int magic, version;
	const void *data;
	void *more;
};
enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_VERSION = 1 };

/* One __cudaRegisterFunction() or __cudaRegisterVar() to be told later. */
struct record {
	struct record *next;
	bool is_variable;
	char *host; /* the stub, the shadow */
	char *device;
	const char *name;
	int thread_limit, ext, constant, global;
	void *tid, *bid, *block, *grid;
	int *warp_size;
	size_t size;
};

/* What one handle stands for: one object's device code, or under -rdc=true all of a link. */
struct unit {
	struct unit *next;
	void **simulated, **real;
	const struct cudasim_module *module; /* of -rdc */
	const struct wrapper *given;
	struct wrapper wrapper; /* for the real library */
	bool is_nvccs;          /* the given one is what the real library wants */
	bool waits;             /* complete, but for its module: not told yet */
	struct record *records, **last;
};

static enum { UNDECIDED, SIMULATING, ON_GPU } state;
static bool exiting;
static struct unit *units, **last_unit = &units;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* The simulator's (api/modules/module.c). */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
			    const char *name, int thread_limit, void *tid, void *bid, void *block,
			    void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
		       size_t size, int constant, int global);

/* The real library's. */
static struct {
	void **(*fat_binary)(const void *);
	void (*end)(void **);
	void (*unregister)(void **);
	void (*function)(void **, const char *, char *, const char *, int, void *, void *, void *,
			 void *, int *);
	void (*variable)(void **, char *, char *, const char *, int, size_t, int, int);
	void (*managed)(void **, void **, char *, const char *, int, size_t, int, int);
	void (*host_variable)(void **, const char *, char *, size_t);
	char (*init)(void **);
} real;

static void *need(size_t size)
{
	void *ret = calloc(1, size);
	if (!ret) {
		log_line("out of memory while kernels are registered");
		exit(1);
	}
	return ret;
}

/* ---- telling the real library ------------------------------------------------------- */

static void tell(struct unit *unit, const struct record *r)
{
	size_t size = r->size;
	if (!r->is_variable) {
		real.function(unit->real, r->host, r->device, r->name, r->thread_limit, r->tid,
			      r->bid, r->block, r->grid, r->warp_size);
		return;
	}
	if (!unit->is_nvccs && managed_add(unit, r->host, &size))
		size = sizeof(void *); /* the slot */
	real.variable(unit->real, r->host, r->device, r->name, r->ext, size, r->constant,
		      r->global);
}

static void tell_unit(struct unit *unit)
{
	if (!unit->wrapper.data && !unit->is_nvccs)
		return;
	unit->real = real.fat_binary(unit->is_nvccs ? unit->given : &unit->wrapper);
	while (unit->records) {
		struct record *r = unit->records;
		unit->records = r->next;
		tell(unit, r);
		free(r);
	}
	unit->last = &unit->records;
}

static void bind_real(void)
{
#define BIND(member, name) *(void **)&real.member = library_function(name)
	BIND(fat_binary, "__cudaRegisterFatBinary");
	BIND(end, "__cudaRegisterFatBinaryEnd");
	BIND(unregister, "__cudaUnregisterFatBinary");
	BIND(function, "__cudaRegisterFunction");
	BIND(variable, "__cudaRegisterVar");
	BIND(managed, "__cudaRegisterManagedVar");
	BIND(host_variable, "__cudaRegisterHostVar");
	BIND(init, "__cudaInitModule");
#undef BIND
	if (!real.fat_binary || !real.end || !real.unregister || !real.function || !real.variable ||
	    !real.managed || !real.host_variable || !real.init) {
		log_line("%s does not register device code as CUDA 13's does",
			 library_name("cudaMalloc"));
		exit(1);
	}
}

/* Runs before whatever the program registered with atexit() at its start: the real library
 * may be gone when that comes. */
static void on_exit_begin(void)
{
	exiting = true;
}

static void module_came(void);

void registration_settle(bool gpu)
{
	pthread_mutex_lock(&lock);
	if (gpu) {
		bind_real();
		/* Libraries that are opened later may wait for their module. */
		registry_on_module(module_came);
	}
	state = gpu ? ON_GPU : SIMULATING;
	for (struct unit *unit = units; unit; unit = unit->next) {
		if (gpu)
			tell_unit(unit);
		else if (unit->is_nvccs)
			registry_say_unusable(unit->given->data);
	}
	for (struct unit *unit = units; unit; unit = unit->next)
		if (unit->real)
			real.end(unit->real);
	pthread_mutex_unlock(&lock);
	if (!gpu)
		return;
	atexit(on_exit_begin);
	managed_start();
}

/* ---- what there is -------------------------------------------------------------------- */

static bool has_gpu_code(const struct unit *unit)
{
	return unit->is_nvccs || unit->wrapper.data;
}

static const char *any_name(const struct unit *unit)
{
	for (const struct record *r = unit->records; r; r = r->next)
		if (!r->is_variable)
			return r->name;
	return NULL;
}

bool registration_any_gpu_code(void)
{
	bool ret = false;
	pthread_mutex_lock(&lock);
	for (const struct unit *unit = units; unit; unit = unit->next)
		ret |= has_gpu_code(unit);
	pthread_mutex_unlock(&lock);
	return ret;
}

bool registration_can_be_simulated(void)
{
	bool ret = true;
	pthread_mutex_lock(&lock);
	for (const struct unit *unit = units; unit; unit = unit->next)
		ret &= !unit->is_nvccs;
	pthread_mutex_unlock(&lock);
	return ret;
}

struct cudasim_error *registration_has_gpu_code(void)
{
	const struct unit *without = NULL;
	const char *name;
	pthread_mutex_lock(&lock);
	for (const struct unit *unit = units; unit && !without; unit = unit->next)
		if (!has_gpu_code(unit))
			without = unit;
	name = without ? any_name(without) : NULL;
	pthread_mutex_unlock(&lock);
	if (!without)
		return NULL;
	if (name && registration_any_gpu_code())
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"a part of this program, with the kernel %s, contains no code for a GPU: build "
			"all of it with cudasim cc --gpu",
			name);
	return cudasim_error_new(
		CUDASIM_E_NOTFOUND,
		"this executable contains no code for a GPU: build it with cudasim cc --gpu");
}

struct cudasim_error *registration_runs_on(int major, int minor)
{
	struct cudasim_error *error = NULL;
	char held[256] = "";
	pthread_mutex_lock(&lock);
	for (const struct unit *unit = units; unit && !error; unit = unit->next) {
		const void *data = unit->is_nvccs ? unit->given->data : unit->wrapper.data;
		held[0] = '\0';
		if (data && fatbin_is(data) &&
		    !fatbin_runs_on(data, major, minor, held, sizeof held))
			error = cudasim_error_new(
				CUDASIM_E_NOTFOUND,
				"this executable's GPU code is for %s, the GPU needs code for sm_%d%d "
				"or earlier PTX: build it with cudasim cc --gpu=sm_%d%d",
				*held ? held : "no architecture", major, minor, major, minor);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

/* ---- what registers ------------------------------------------------------------------- */

static struct unit *add_unit(struct unit unit)
{
	struct unit *ret = need(sizeof *ret);
	*ret = unit;
	ret->wrapper.magic = WRAPPER_MAGIC;
	ret->wrapper.version = WRAPPER_VERSION;
	ret->last = &ret->records;
	pthread_mutex_lock(&lock);
	if (state == UNDECIDED && gpu_mode() == GPU_MODE_SIMULATE)
		state = SIMULATING;
	*last_unit = ret;
	last_unit = &ret->next;
	if (state == ON_GPU && ret->is_nvccs)
		tell_unit(ret);
	else if (state == ON_GPU && !has_gpu_code(ret))
		log_once("a library that was opened contains no code for a GPU: its kernels fail; "
			 "build it with cudasim cc --gpu");
	else if (state == SIMULATING && ret->is_nvccs)
		registry_say_unusable(ret->given->data);
	pthread_mutex_unlock(&lock);
	return ret;
}

static void **register_fat_binary(void *given)
{
	struct unit unit = {.given = given};
	const char *data = unit.given->data;
	const struct cudasim_blob *blob = blob_find(data);
	if (blob)
		unit.wrapper.data = blob_gpu_code(blob);
	else
		unit.is_nvccs = data && fatbin_is(data);
	unit.simulated = unit.is_nvccs ? (void **)registry_add_linked(NULL)
				       : __cudaRegisterFatBinary(given);
	return (void **)add_unit(unit);
}

/* Of a library that is opened when the GPU is in use. Which of its variables are managed
 * its module tells, which comes before or after the rest. */
static bool tell_late(struct unit *unit)
{
	if (!unit->waits || !registry_has_module((struct binary *)unit->simulated))
		return false;
	unit->waits = false;
	tell_unit(unit);
	if (unit->real)
		real.end(unit->real);
	return unit->real;
}

static void module_came(void)
{
	bool any = false;
	pthread_mutex_lock(&lock);
	for (struct unit *unit = units; unit && state == ON_GPU; unit = unit->next)
		any |= tell_late(unit);
	pthread_mutex_unlock(&lock);
	if (any)
		managed_start();
}

static void register_end(void **handle)
{
	struct unit *unit = (struct unit *)handle;
	pthread_mutex_lock(&lock);
	if (state == ON_GPU && unit->real)
		real.end(unit->real);
	else if (state == ON_GPU)
		unit->waits = has_gpu_code(unit);
	pthread_mutex_unlock(&lock);
	module_came();
}

static void unregister_fat_binary(void **handle)
{
	struct unit *unit = (struct unit *)handle;
	__cudaUnregisterFatBinary(unit->simulated);
	if (unit->real && !exiting) {
		managed_remove(unit);
		real.unregister(unit->real);
	}
	pthread_mutex_lock(&lock);
	for (struct unit **at = &units; *at; at = &(*at)->next) {
		if (*at != unit)
			continue;
		*at = unit->next;
		if (last_unit == &unit->next)
			last_unit = at;
		break;
	}
	while (unit->records) {
		struct record *r = unit->records;
		unit->records = r->next;
		free(r);
	}
	pthread_mutex_unlock(&lock);
	free(unit);
}

static void record(struct unit *unit, struct record record)
{
	pthread_mutex_lock(&lock);
	if (state == ON_GPU && unit->real) {
		tell(unit, &record);
	} else if (state != SIMULATING) {
		struct record *r = need(sizeof *r);
		*r = record;
		*unit->last = r;
		unit->last = &r->next;
	}
	pthread_mutex_unlock(&lock);
}

static void register_function(void **handle, const char *stub, char *device, const char *name,
			      int thread_limit, void *tid, void *bid, void *block, void *grid,
			      int *warp_size)
{
	struct unit *unit = (struct unit *)handle;
	__cudaRegisterFunction(unit->simulated, stub, device, name, thread_limit, tid, bid, block,
			       grid, warp_size);
	record(unit, (struct record){
			     .host = (char *)(uintptr_t)stub,
			     .device = device,
			     .name = name,
			     .thread_limit = thread_limit,
			     .tid = tid,
			     .bid = bid,
			     .block = block,
			     .grid = grid,
			     .warp_size = warp_size,
		     });
}

static void register_variable(void **handle, char *host, char *device, const char *name, int ext,
			      size_t size, int constant, int global)
{
	struct unit *unit = (struct unit *)handle;
	__cudaRegisterVar(unit->simulated, host, device, name, ext, size, constant, global);
	record(unit, (struct record){
			     .is_variable = true,
			     .host = host,
			     .device = device,
			     .name = name,
			     .ext = ext,
			     .size = size,
			     .constant = constant,
			     .global = global,
		     });
}

/* Of nvcc's code: only the real library can do it, and host's value depends on it. */
static void register_managed(void **handle, void **host, char *device, const char *name, int ext,
			     size_t size, int constant, int global)
{
	struct unit *unit = (struct unit *)handle;
	if (!unit->is_nvccs)
		register_variable(handle, (char *)host, device, name, ext, size, constant, global);
	else if (gpu_in_use())
		real.managed(unit->real, host, device, name, ext, size, constant, global);
}

static void register_host_variable(void **handle, const char *name, char *host, size_t size)
{
	struct unit *unit = (struct unit *)handle;
	if (unit->is_nvccs && gpu_in_use())
		real.host_variable(unit->real, name, host, size);
}

static char init_module(void **handle)
{
	struct unit *unit = (struct unit *)handle;
	return gpu_in_use() && unit->real ? real.init(unit->real) : 1;
}

void __cudasim_linked_register(const struct cudasim_module *module, void (*globals)(void **))
{
	struct unit *unit;
	bool usable = module && module->abi_version == CUDASIM_ABI_VERSION;
	pthread_mutex_lock(&lock);
	for (unit = units; unit && !(module && unit->module == module); unit = unit->next)
		;
	if (!unit)
		unit = add_unit((struct unit){
			.module = module,
			.simulated = (void **)registry_add_linked(module),
			.wrapper.data = blob_gpu_code(usable ? module->gpu : NULL),
		});
	pthread_mutex_unlock(&lock);
	globals((void **)unit);
	register_end((void **)unit);
}

void *registration_entry(const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} entries[] = {
		{"__cudaRegisterFatBinary", (void (*)(void))register_fat_binary},
		{"__cudaRegisterFatBinaryEnd", (void (*)(void))register_end},
		{"__cudaUnregisterFatBinary", (void (*)(void))unregister_fat_binary},
		{"__cudaRegisterFunction", (void (*)(void))register_function},
		{"__cudaRegisterVar", (void (*)(void))register_variable},
		{"__cudaRegisterManagedVar", (void (*)(void))register_managed},
		{"__cudaRegisterHostVar", (void (*)(void))register_host_variable},
		{"__cudaInitModule", (void (*)(void))init_module},
	};
	if (strncmp(name, "__cuda", 6))
		return NULL;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(name, entries[i].name))
			return (void *)(uintptr_t)entries[i].function;
	return NULL;
}
