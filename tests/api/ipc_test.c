/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, events and pools that two processes share: each test is a parent and a child that
 * executes this file again and gets the handles in its environment. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "child.h"

enum { BYTES = 3 << 20 };

static void CHECK_(cudaError_t error, const char *what, int line)
{
	if (error) {
		fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorName(error));
		exit(70);
	}
}
#define CHECK(call) CHECK_((call), #call, __LINE__)

/* NAME=bytes in hexadecimal; good until the fourth call after it. */
static char *as_variable(const char *name, const void *data, size_t n)
{
	static char room[4][256];
	static unsigned calls;
	char *text = room[calls++ % 4], *at = text + sprintf(text, "%s=", name);
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%02x", ((const unsigned char *)data)[i]);
	return text;
}

static void from_text(const char *text, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned byte = 0;
		sscanf(text + 2 * i, "%2x", &byte);
		((unsigned char *)to)[i] = (unsigned char)byte;
	}
}

static unsigned char byte_at(const unsigned char *device, size_t i)
{
	unsigned char byte = 0;
	CHECK(cudaMemcpy(&byte, device + i, 1, cudaMemcpyDeviceToHost));
	return byte;
}

/* ---- memory ---------------------------------------------------------------------- */

static int write_memory(void)
{
	cudaIpcMemHandle_t handle, small;
	unsigned char *p, *again, *q;
	from_text(getenv("MEMORY"), &handle, sizeof handle);
	from_text(getenv("SMALL"), &small, sizeof small);
	CHECK(cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess));
	CHECK(cudaIpcOpenMemHandle((void **)&again, handle, cudaIpcMemLazyEnablePeerAccess));
	CHECK(cudaIpcOpenMemHandle((void **)&q, small, cudaIpcMemLazyEnablePeerAccess));
	struct cudaPointerAttributes about;
	CHECK(cudaPointerGetAttributes(&about, p + 5));
	printf("%d %d %d %d, freed %s", p == again, about.type, byte_at(p, 0), byte_at(p, BYTES - 1),
	       cudaGetErrorName(cudaFree(p)));
	CHECK(cudaMemset(p, 9, BYTES / 2));
	CHECK(cudaMemset(q, 4, 16));
	CHECK(cudaIpcCloseMemHandle(p));
	CHECK(cudaMemset(p + 8, 8, 1)); /* it was opened twice */
	CHECK(cudaIpcCloseMemHandle(p));
	printf(", closed %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(p)));
	CHECK(cudaIpcCloseMemHandle(q));
	return 0;
}

static void a_child_reads_and_writes_the_parents_memory(void **state)
{
	(void)state;
	unsigned char *p, *small, *neighbour;
	cudaIpcMemHandle_t handle;
	CHECK(cudaMalloc((void **)&p, BYTES));
	CHECK(cudaMalloc((void **)&small, 16));
	CHECK(cudaMalloc((void **)&neighbour, 16));
	CHECK(cudaMemset(p, 3, BYTES));
	CHECK(cudaMemset(small, 1, 16));
	CHECK(cudaMemset(neighbour, 2, 16));
	CHECK(cudaIpcGetMemHandle(&handle, p));
	char *memory = as_variable("MEMORY", &handle, sizeof handle);
	CHECK(cudaIpcGetMemHandle(&handle, small));
	char *other = as_variable("SMALL", &handle, sizeof handle);
	struct child c;
	child_run(&c, "write", (const char *[]){"CUDASIM=1", memory, other, NULL});
	assert_string_equal(c.err, "");
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "1 2 3 3, freed cudaErrorInvalidValue, closed cudaErrorInvalidValue\n");
	assert_int_equal(byte_at(p, 0), 9);
	assert_int_equal(byte_at(p, 8), 8);
	assert_int_equal(byte_at(p, BYTES / 2 - 1), 9);
	assert_int_equal(byte_at(p, BYTES / 2), 3);
	assert_int_equal(byte_at(small, 15), 4);
	assert_int_equal(byte_at(neighbour, 0), 2);
	CHECK(cudaFree(p));
	CHECK(cudaFree(small));
	CHECK(cudaFree(neighbour));
	/* What comes to lie there is not shared any more. */
	CHECK(cudaMalloc((void **)&p, BYTES));
	CHECK(cudaMemset(p, 0, BYTES));
	child_run(&c, "write", (const char *[]){"CUDASIM=1", memory, other, NULL});
	assert_int_equal(c.status, 70);
	assert_non_null(strstr(c.err, "cudaErrorMapBufferObjectFailed"));
	assert_int_equal(byte_at(p, 0), 0);
	CHECK(cudaFree(p));
}

static int tell_memory(void)
{
	void *p;
	cudaIpcMemHandle_t handle;
	CHECK(cudaMalloc(&p, 64));
	CHECK(cudaIpcGetMemHandle(&handle, p));
	char *text = as_variable("", &handle, sizeof handle);
	printf("%s\n", text + 1);
	return 0;
}

static void a_handle_of_a_process_that_is_gone_is_refused(void **state)
{
	(void)state;
	cudaIpcMemHandle_t handle;
	void *p = NULL;
	struct child c;
	child_run(&c, "tell", (const char *[]){"CUDASIM=1", NULL});
	assert_int_equal(c.status, 0);
	from_text(c.out, &handle, sizeof handle);
	assert_int_equal(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess),
			 cudaErrorMapBufferObjectFailed);
	memset(&handle, 7, sizeof handle);
	assert_int_equal(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess),
			 cudaErrorInvalidValue);
	assert_null(p);
}

/* ---- events ------------------------------------------------------------------------ */

static int wait_for_event(void)
{
	cudaIpcEventHandle_t event_handle;
	cudaIpcMemHandle_t handle;
	cudaEvent_t event;
	cudaStream_t s;
	unsigned char *p, one = 1;
	from_text(getenv("EVENT"), &event_handle, sizeof event_handle);
	from_text(getenv("MEMORY"), &handle, sizeof handle);
	CHECK(cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess));
	CHECK(cudaIpcOpenEventHandle(&event, event_handle));
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	printf("%s\n", cudaGetErrorName(cudaEventQuery(event)));
	CHECK(cudaStreamWaitEvent(s, event, 0));
	CHECK(cudaMemsetAsync(p + 1, 7, 1, s));
	CHECK(cudaEventRecord(event, s)); /* the child's mark, for the parent */
	CHECK(cudaMemcpy(p, &one, 1, cudaMemcpyHostToDevice)); /* all is asked for */
	CHECK(cudaStreamSynchronize(s));
	CHECK(cudaEventDestroy(event));
	return 0;
}

static atomic_int may_go;

static void CUDART_CB hold(void *user)
{
	(void)user;
	while (!atomic_load(&may_go))
		sched_yield();
}

struct running {
	struct child c;
	const char *variables[4];
};

static void *run_child(void *arg)
{
	struct running *r = arg;
	child_run(&r->c, "wait", r->variables);
	return NULL;
}

static void a_childs_stream_waits_for_the_parents_event(void **state)
{
	(void)state;
	unsigned char *p;
	cudaIpcMemHandle_t handle;
	cudaIpcEventHandle_t event_handle;
	cudaEvent_t event;
	cudaStream_t held, look;
	CHECK(cudaMalloc((void **)&p, 64));
	CHECK(cudaMemset(p, 0, 64));
	CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&look, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	CHECK(cudaIpcGetMemHandle(&handle, p));
	CHECK(cudaIpcGetEventHandle(&event_handle, event));
	CHECK(cudaLaunchHostFunc(held, hold, NULL));
	CHECK(cudaEventRecord(event, held));
	struct running r = {.variables = {"CUDASIM=1", as_variable("MEMORY", &handle, sizeof handle),
					  as_variable("EVENT", &event_handle, sizeof event_handle)}};
	pthread_t thread;
	pthread_create(&thread, NULL, run_child, &r);
	unsigned char seen[2] = {0, 0};
	do {
		CHECK(cudaMemcpyAsync(seen, p, 2, cudaMemcpyDeviceToHost, look));
		CHECK(cudaStreamSynchronize(look));
		usleep(1000);
	} while (!seen[0] && pthread_tryjoin_np(thread, NULL));
	assert_int_equal(seen[0], 1);
	assert_int_equal(seen[1], 0);
	assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
	atomic_store(&may_go, 1);
	CHECK(cudaEventSynchronize(event)); /* the child's record of it, the later one */
	assert_int_equal(byte_at(p, 1), 7);
	pthread_join(thread, NULL);
	assert_string_equal(r.c.err, "");
	assert_int_equal(r.c.status, 0);
	assert_string_equal(r.c.out, "cudaErrorNotReady\n");
	assert_int_equal(cudaEventQuery(event), cudaSuccess);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(held));
	CHECK(cudaStreamDestroy(look));
	CHECK(cudaFree(p));
}

/* ---- pools -------------------------------------------------------------------------- */

static int use_pool(void)
{
	cudaMemPool_t pool;
	struct cudaMemPoolPtrExportData data;
	unsigned char *p;
	from_text(getenv("POINTER"), &data, sizeof data);
	CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)atoi(getenv("POOL")),
						   cudaMemHandleTypePosixFileDescriptor, 0));
	CHECK(cudaMemPoolImportPointer((void **)&p, pool, &data));
	printf("%d, %s\n", byte_at(p, 99),
	       cudaGetErrorName(cudaMallocFromPoolAsync((void **)&(void *){NULL}, 16, pool, 0)));
	CHECK(cudaMemset(p, 6, 50));
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemPoolDestroy(pool));
	return 0;
}

static void a_child_imports_a_pool_and_its_memory(void **state)
{
	(void)state;
	struct cudaMemPoolProps props = {0};
	cudaMemPool_t pool;
	struct cudaMemPoolPtrExportData data;
	unsigned char *p;
	int fd = -1;
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	CHECK(cudaMallocFromPoolAsync((void **)&p, 100, pool, 0));
	CHECK(cudaMemset(p, 5, 100));
	CHECK(cudaMemPoolExportPointer(&data, p));
	char number[32], *pointer = as_variable("POINTER", &data, sizeof data);
	int inherited = dup(fd);
	snprintf(number, sizeof number, "POOL=%d", inherited);
	struct child c;
	child_run(&c, "pool", (const char *[]){"CUDASIM=1", number, pointer, NULL});
	assert_string_equal(c.err, "");
	assert_int_equal(c.status, 0);
	assert_string_equal(c.out, "5, cudaErrorInvalidValue\n");
	assert_int_equal(byte_at(p, 49), 6);
	assert_int_equal(byte_at(p, 50), 5);
	close(inherited);
	close(fd);
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemPoolDestroy(pool));
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*run)(void); } parts[] = {
		{"write", write_memory}, {"tell", tell_memory}, {"wait", wait_for_event}, {"pool", use_pool},
	};
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(argv[1], parts[i].name))
			return parts[i].run();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_reads_and_writes_the_parents_memory),
		cmocka_unit_test(a_handle_of_a_process_that_is_gone_is_refused),
		cmocka_unit_test(a_childs_stream_waits_for_the_parents_event),
		cmocka_unit_test(a_child_imports_a_pool_and_its_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
