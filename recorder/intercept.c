/* SPDX-License-Identifier: Apache-2.0 */
/* intercept.c - the CUDA functions that make memory, free it, and launch.
 *
 * Each does what the runtime behind it does, and tells. Calls that the runtime makes of
 * its own functions, and this library's, are not recorded (`depth`). While a stream is
 * being captured nothing runs: the launch of the graph is what is recorded. */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "hash.h"
#include "recorder.h"

struct real real;
bool record_simulated;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local unsigned depth;
static uint64_t n_launches;
static struct hash kernels; /* stub -> mangled name */
static struct hash handles; /* cudaKernel_t -> stub */
static struct hash streams; /* handle -> number */

void record_die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("cudasim: recorder: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	_exit(2);
}

/* ---- the runtime behind ------------------------------------------------------------ */

void *record_next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	if (!found)
		record_die("the program calls %s, which no CUDA runtime behind the recorder has",
			   name);
	return found;
}

static void find_real(void)
{
	const struct {
		void *slot;
		const char *name;
		bool needed;
	} wanted[] = {
		{&real.memcpy, "cudaMemcpy", true},
		{&real.memset, "cudaMemset", true},
		{&real.device_synchronize, "cudaDeviceSynchronize", true},
		{&real.stream_synchronize, "cudaStreamSynchronize", true},
		{&real.stream_is_capturing, "cudaStreamIsCapturing", true},
		{&real.peek_at_last_error, "cudaPeekAtLastError", true},
		{&real.get_last_error, "cudaGetLastError", true},
		{&real.get_symbol_address, "cudaGetSymbolAddress", true},
		{&real.get_symbol_size, "cudaGetSymbolSize", true},
		{&real.func_get_param_info, "cudaFuncGetParamInfo", false},
		{&real.malloc_host, "cudaMallocHost", true},
		{&real.memcpy_3d, "cudaMemcpy3D", true},
		{&real.array_get_info, "cudaArrayGetInfo", true},
		{&real.get_mipmapped_array_level, "cudaGetMipmappedArrayLevel", true},
	};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		*(void **)wanted[i].slot = wanted[i].needed ? record_next(wanted[i].name)
							    : dlsym(RTLD_NEXT, wanted[i].name);
}

/* libcudasim tells; another runtime is a GPU's. */
static bool is_simulated(void)
{
	int (*on_gpu)(void);
	*(void **)&on_gpu = dlsym(RTLD_DEFAULT, "cudasim_on_gpu");
	return on_gpu && !on_gpu();
}

static void write_header(void)
{
	cudaError_t (*describe)(void *, int);
	union {
		char name[256];
		char all[4096]; /* a cudaDeviceProp of any version */
	} properties = {""};
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	*(void **)&describe = dlsym(RTLD_NEXT, "cudaGetDeviceProperties_v2");
	if (!describe)
		*(void **)&describe = dlsym(RTLD_NEXT, "cudaGetDeviceProperties");
	if (describe)
		describe(&properties, 0);
	properties.name[255] = '\0';
	write_begin(RECORD_HEADER);
	write_bytes(RECORD_MAGIC, 8);
	write_u32(RECORD_VERSION);
	write_u32(record_simulated);
	write_text(properties.name);
	write_text(program);
	write_end();
}

/* A child of fork() is another program's run. */
static void forked(void)
{
	write_abandon();
}

/* Before the first call that is recorded. False where nothing is. */
static bool start(void)
{
	static enum { FRESH, ON, OFF } state;
	if (state != FRESH)
		return state == ON && write_is_open();
	const char *where = env_get("CUDASIM_RECORD");
	state = where ? ON : OFF;
	if (!where)
		return false;
	write_open(where);
	/* Programs that this one starts are not part of the run. */
	unsetenv("CUDASIM_RECORD");
	pthread_atfork(NULL, NULL, forked);
	find_real();
	depth++;
	record_simulated = is_simulated();
	write_header();
	depth--;
	owner_start();
	if (record_simulated)
		owner_watch_heap();
	return true;
}

__attribute__((destructor)) static void finish(void)
{
	pthread_mutex_lock(&lock);
	if (write_is_open()) {
		owner_finish();
		write_begin(RECORD_END);
		write_u64(n_launches);
		write_end();
		write_close();
	}
	pthread_mutex_unlock(&lock);
}

bool record_enter(void)
{
	pthread_mutex_lock(&lock);
	if (depth++ || !start()) {
		depth--;
		pthread_mutex_unlock(&lock);
		return false;
	}
	return true;
}

void record_leave(void)
{
	depth--;
	pthread_mutex_unlock(&lock);
}

void record_hide(void)
{
	depth++;
}

void record_show(void)
{
	depth--;
}

/* ---- memory -------------------------------------------------------------------------- */

static bool capturing(cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	if (real.stream_is_capturing(stream, &status) == cudaErrorStreamCaptureImplicit)
		real.get_last_error();
	return status != cudaStreamCaptureStatusNone;
}

/* What was there before must not be seen. The simulator's fresh pages are zero already, and
 * stay untouched if only looked at. */
static void clear(enum record_memory kind, void *address, size_t size)
{
	enum { PAGE = 4096 };
	static const char zero[PAGE];
	if (!record_simulated && kind == RECORD_HOST) {
		memset(address, 0, size);
		return;
	}
	if (!record_simulated) {
		real.memset(address, 0, size);
		real.device_synchronize();
		return;
	}
	for (size_t at = 0; at < size; at += PAGE) {
		size_t n = size - at < PAGE ? size - at : PAGE;
		if (memcmp((char *)address + at, zero, n))
			memset((char *)address + at, 0, n);
	}
}

cudaError_t record_made(cudaError_t error, enum record_memory kind, void *address, size_t size,
			const char *function)
{
	if (error || !address || !size || !record_enter())
		return error;
	clear(kind, address, size);
	memory_add(kind, (uint64_t)(uintptr_t)address, size, function, place_of_caller(), "");
	record_leave();
	return error;
}

cudaError_t record_borrowed(cudaError_t error, void *address, size_t size, const char *function)
{
	if (error || !address || !size || !record_enter())
		return error;
	memory_add(RECORD_HOST, (uint64_t)(uintptr_t)address, size, function, place_of_caller(), "")
		->borrowed = true;
	record_leave();
	return error;
}

void record_gone(const void *address)
{
	if (!address || !record_enter())
		return;
	memory_remove((uint64_t)(uintptr_t)address);
	record_leave();
}

cudaError_t cudaMalloc(void **ret, size_t size)
{
	cudaError_t error = CALL(cudaMalloc, ret, size);
	return record_made(error, RECORD_DEVICE, error ? NULL : *ret, size, __func__);
}

cudaError_t cudaMallocPitch(void **ret, size_t *pitch, size_t width, size_t height)
{
	cudaError_t error = CALL(cudaMallocPitch, ret, pitch, width, height);
	return record_made(error, RECORD_DEVICE, error ? NULL : *ret, error ? 0 : *pitch * height,
			   __func__);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *ret, struct cudaExtent e)
{
	cudaError_t error = CALL(cudaMalloc3D, ret, e);
	return record_made(error, RECORD_DEVICE, error ? NULL : ret->ptr,
			   error ? 0 : ret->pitch * e.height * e.depth, __func__);
}

cudaError_t cudaMallocManaged(void **ret, size_t size, unsigned flags)
{
	cudaError_t error = CALL(cudaMallocManaged, ret, size, flags);
	return record_made(error, RECORD_MANAGED, error ? NULL : *ret, size, __func__);
}

#define EXPORT __attribute__((visibility("default")))

/* Memory of a captured allocation is not there before the graph runs. */
#define MALLOC_ASYNC(name)                                                                         \
	EXPORT cudaError_t CUDARTAPI name(void **ret, size_t size, cudaStream_t s);                \
	cudaError_t name(void **ret, size_t size, cudaStream_t s)                                  \
	{                                                                                          \
		cudaError_t error = CALL(name, ret, size, s);                                      \
		return made_async(error, ret, size, s, __func__);                                  \
	}
#define MALLOC_POOL(name)                                                                          \
	EXPORT cudaError_t CUDARTAPI name(void **ret, size_t size, cudaMemPool_t pool,             \
					  cudaStream_t s);                                         \
	cudaError_t name(void **ret, size_t size, cudaMemPool_t pool, cudaStream_t s)              \
	{                                                                                          \
		cudaError_t error = CALL(name, ret, size, pool, s);                                \
		return made_async(error, ret, size, s, __func__);                                  \
	}

static cudaError_t made_async(cudaError_t error, void **ret, size_t size, cudaStream_t stream,
			      const char *function)
{
	if (error || !record_enter())
		return error;
	bool captured = capturing(stream);
	if (!captured)
		real.stream_synchronize(stream);
	record_leave();
	return captured ? error : record_made(error, RECORD_DEVICE, *ret, size, function);
}

MALLOC_ASYNC(cudaMallocAsync)
MALLOC_ASYNC(cudaMallocAsync_ptsz)
MALLOC_POOL(cudaMallocFromPoolAsync)
MALLOC_POOL(cudaMallocFromPoolAsync_ptsz)

cudaError_t cudaMallocHost(void **ret, size_t size)
{
	cudaError_t error = CALL(cudaMallocHost, ret, size);
	return record_made(error, RECORD_HOST, error ? NULL : *ret, size, __func__);
}

cudaError_t cudaHostAlloc(void **ret, size_t size, unsigned flags)
{
	cudaError_t error = CALL(cudaHostAlloc, ret, size, flags);
	return record_made(error, RECORD_HOST, error ? NULL : *ret, size, __func__);
}

cudaError_t cudaHostRegister(void *address, size_t size, unsigned flags)
{
	cudaError_t error = CALL(cudaHostRegister, address, size, flags);
	return record_borrowed(error, address, size, __func__);
}

/* Forgotten before it is freed: afterwards another thread may get the address. */
#define FREE(name)                                                                                 \
	cudaError_t name(void *address)                                                            \
	{                                                                                          \
		record_gone(address);                                                              \
		return CALL(name, address);                                                        \
	}
#define FREE_ASYNC(name)                                                                           \
	EXPORT cudaError_t CUDARTAPI name(void *address, cudaStream_t stream);                     \
	cudaError_t name(void *address, cudaStream_t stream)                                       \
	{                                                                                          \
		record_gone(address);                                                              \
		return CALL(name, address, stream);                                                \
	}
FREE(cudaFree)
FREE(cudaFreeHost)
FREE(cudaHostUnregister)
FREE_ASYNC(cudaFreeAsync)
FREE_ASYNC(cudaFreeAsync_ptsz)

static void forget_symbols(void);

cudaError_t cudaDeviceReset(void)
{
	if (record_enter()) {
		memory_remove_all();
		forget_symbols();
		record_leave();
	}
	return CALL(cudaDeviceReset);
}

/* ---- what the program registers ---------------------------------------------------- */

struct symbol {
	const void *host;
	char *name;
	bool known;
	struct symbol *next;
};
static struct symbol *symbols, **symbols_end = &symbols;

static void forget_symbols(void)
{
	for (struct symbol *s = symbols; s; s = s->next)
		s->known = false;
}

/* Registration comes before main(), and before anybody has called CUDA. */
static void add_symbol(const void *host, const char *name)
{
	pthread_mutex_lock(&lock);
	struct symbol *s = calloc(1, sizeof *s);
	if (!s || !(s->name = strdup(name)))
		record_die("out of memory");
	s->host = host;
	*symbols_end = s;
	symbols_end = &s->next;
	pthread_mutex_unlock(&lock);
}

/* Variables get their addresses when the device is first used. */
static void resolve_symbols(void)
{
	for (struct symbol *s = symbols; s; s = s->next) {
		void *address;
		size_t size;
		if (s->known)
			continue;
		s->known = true;
		bool clean = !real.peek_at_last_error();
		if (!real.get_symbol_address(&address, s->host) &&
		    !real.get_symbol_size(&size, s->host) && size)
			memory_add(RECORD_VARIABLE, (uint64_t)(uintptr_t)address, size, s->name, "",
				   "");
		else if (clean)
			real.get_last_error();
	}
}

EXPORT void CUDARTAPI __cudaRegisterFunction(void **, const char *, char *, const char *, int,
					     void *, void *, void *, void *, int *);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
			    const char *name, int thread_limit, void *tid, void *bid, void *block,
			    void *grid, int *warp_size)
{
	char *copy = strdup(name);
	pthread_mutex_lock(&lock);
	if (!copy || !hash_put(&kernels, stub, copy))
		record_die("out of memory");
	pthread_mutex_unlock(&lock);
	NEXT(__cudaRegisterFunction)(handle, stub, device_function, name, thread_limit, tid, bid,
				     block, grid, warp_size);
}

EXPORT void CUDARTAPI __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
					int);
void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
		       size_t size, int constant, int global)
{
	add_symbol(host, name);
	NEXT(__cudaRegisterVar)(handle, host, device_address, name, ext, size, constant, global);
}

EXPORT void CUDARTAPI __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t,
					       int, int);
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name,
			      int ext, size_t size, int constant, int global)
{
	add_symbol(host, name);
	NEXT(__cudaRegisterManagedVar)(handle, host, device_address, name, ext, size, constant,
				       global);
}

EXPORT cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaGetKernel(cudaKernel_t *ret, const void *stub)
{
	cudaError_t error = NEXT(__cudaGetKernel)(ret, stub);
	pthread_mutex_lock(&lock);
	if (!error && *ret && !hash_put(&handles, *ret, (void *)(uintptr_t)stub))
		record_die("out of memory");
	pthread_mutex_unlock(&lock);
	return error;
}

/* ---- launches -------------------------------------------------------------------------- */

static uint32_t stream_number(cudaStream_t stream)
{
	/* 0, and the two handles that name the default streams. */
	if ((uintptr_t)stream <= 2)
		return 0;
	uintptr_t number = (uintptr_t)hash_get(&streams, stream);
	if (!number) {
		number = streams.n + 1;
		if (!hash_put(&streams, stream, (void *)number))
			record_die("out of memory");
	}
	return (uint32_t)number;
}

static bool is_wanted(const char *kernel)
{
	const char *only = env_get("CUDASIM_RECORD_KERNEL");
	return !only || strstr(kernel, only);
}

/* True where the launch is to be recorded: then after() must follow. */
static bool before(struct launch *launch)
{
	if (!record_enter())
		return false;
	if (capturing(launch->stream)) {
		record_leave();
		return false;
	}
	const void *stub = launch->stub ? hash_get(&handles, launch->stub) : NULL;
	if (stub)
		launch->stub = stub;
	if (launch->stub)
		launch->kernel = hash_get(&kernels, launch->stub);
	if (!launch->kernel)
		launch->kernel = "?";
	resolve_symbols();
	if (owner_is_on())
		owner_launch(n_launches);
	else if (is_wanted(launch->kernel))
		snapshot_host();
	return true;
}

static cudaError_t after(const struct launch *launch, cudaError_t error)
{
	bool watched = is_wanted(launch->kernel) && !owner_is_on();
	cudaError_t ended = error;
	if (!error) {
		ended = real.stream_synchronize(launch->stream);
		if (!ended)
			ended = real.device_synchronize();
	}
	snapshot_launch(launch, n_launches, stream_number(launch->stream), watched, (int)ended);
	n_launches++;
	if (owner_is_on())
		owner_launch(UINT64_MAX);
	record_leave();
	return error;
}

#define LAUNCH(name, type)                                                                         \
	EXPORT cudaError_t CUDARTAPI name(type f, dim3 grid, dim3 block, void **args,              \
					  size_t shared, cudaStream_t stream);                     \
	cudaError_t name(type f, dim3 grid, dim3 block, void **args, size_t shared,                \
			 cudaStream_t stream)                                                      \
	{                                                                                          \
		struct launch launch = {.stub = (const void *)f,                                   \
					.grid = grid,                                              \
					.block = block,                                            \
					.shared = shared,                                          \
					.stream = stream,                                          \
					.arguments = args};                                        \
		if (!before(&launch))                                                              \
			return CALL(name, f, grid, block, args, shared, stream);                   \
		return after(&launch, CALL(name, f, grid, block, args, shared, stream));           \
	}
LAUNCH(cudaLaunchKernel, const void *)
LAUNCH(cudaLaunchKernel_ptsz, const void *)
LAUNCH(cudaLaunchCooperativeKernel, const void *)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, const void *)
LAUNCH(__cudaLaunchKernel, cudaKernel_t)
LAUNCH(__cudaLaunchKernel_ptsz, cudaKernel_t)

#define LAUNCH_EX(name)                                                                            \
	EXPORT cudaError_t CUDARTAPI name(const cudaLaunchConfig_t *c, const void *f,              \
					  void **args);                                            \
	cudaError_t name(const cudaLaunchConfig_t *c, const void *f, void **args)                  \
	{                                                                                          \
		struct launch launch = {.stub = f, .arguments = args};                             \
		if (!c)                                                                            \
			return CALL(name, c, f, args);                                             \
		launch.grid = c->gridDim;                                                          \
		launch.block = c->blockDim;                                                        \
		launch.shared = c->dynamicSmemBytes;                                               \
		launch.stream = c->stream;                                                         \
		if (!before(&launch))                                                              \
			return CALL(name, c, f, args);                                             \
		return after(&launch, CALL(name, c, f, args));                                     \
	}
LAUNCH_EX(cudaLaunchKernelExC)
LAUNCH_EX(cudaLaunchKernelExC_ptsz)

#define LAUNCH_GRAPH(name)                                                                         \
	EXPORT cudaError_t CUDARTAPI name(cudaGraphExec_t graph, cudaStream_t stream);             \
	cudaError_t name(cudaGraphExec_t graph, cudaStream_t stream)                               \
	{                                                                                          \
		struct launch launch = {.kernel = "cudaGraphLaunch", .stream = stream};            \
		if (!before(&launch))                                                              \
			return CALL(name, graph, stream);                                          \
		return after(&launch, CALL(name, graph, stream));                                  \
	}
LAUNCH_GRAPH(cudaGraphLaunch)
LAUNCH_GRAPH(cudaGraphLaunch_ptsz)
