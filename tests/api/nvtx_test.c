/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's headers with libcudasim as the tool behind them: every range, mark and domain that a
 * program makes comes out in the summary, as text and as JSON, and nothing is asked of a program
 * that wants no summary. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
#include <cmocka.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <jansson.h>
#include <nvtx3/nvToolsExt.h>

#include "child.h"

/* ---- the program ----------------------------------------------------------------- */

static void *end_it(void *id)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)id);
	return NULL;
}

static int use_nvtx(void)
{
	nvtxEventAttributes_t a = {0};
	a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	a.messageType = NVTX_MESSAGE_TYPE_ASCII, a.message.ascii = "with \"attributes\"";
	printf("%d", nvtxRangePushA("outer"));
	for (int i = 0; i < 3; i++) {
		printf(" %d", nvtxRangePushA("inner"));
		printf(" %d", nvtxRangePop());
	}
	printf(" %d", nvtxRangePushEx(&a));
	printf(" %d", nvtxRangePop());
	printf(" %d", nvtxRangePop());
	printf(" %d\n", nvtxRangePop() < 0);
	nvtxMarkA("here");
	nvtxMarkA("here");
	nvtxRangeId_t id = nvtxRangeStartA("across threads");
	pthread_t thread;
	pthread_create(&thread, NULL, end_it, &id);
	pthread_join(thread, NULL);
	nvtxRangeEnd(id); /* again: nothing is counted */
	nvtxRangeStartW(L"never ended");
	nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
	nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "registered");
	a.messageType = NVTX_MESSAGE_TYPE_REGISTERED, a.message.registered = text;
	for (int i = 0; i < 2; i++) {
		nvtxDomainRangePushEx(domain, &a);
		nvtxDomainRangePop(domain);
	}
	a.messageType = NVTX_MESSAGE_TYPE_UNICODE, a.message.unicode = L"gr\u00fcn";
	nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &a));
	nvtxDomainMarkEx(domain, &a);
	nvtxDomainDestroy(domain);
	nvtxNameOsThreadA(1, "main");
	int n = 0;
	return cudaGetDeviceCount(&n) || cudaProfilerStart() || cudaProfilerStop();
}

/* ---- what is told of it ---------------------------------------------------------------- */

#define LEVELS "0 1 1 1 1 1 1 1 1 0 1\n"

static json_int_t count_of(const json_t *list, const char *name, const char *kind)
{
	size_t i;
	json_t *row;
	json_array_foreach(list, i, row) {
		const char *k = json_string_value(json_object_get(row, "kind"));
		if (!strcmp(json_string_value(json_object_get(row, "name")), name) &&
		    (!kind || (k && !strcmp(k, kind))))
			return json_integer_value(json_object_get(row, "count"));
	}
	return 0;
}

static void ranges_come_out_as_json(void **state)
{
	(void)state;
	char path[] = "/tmp/cudasim-nvtx-XXXXXX.json", variable[64];
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	snprintf(variable, sizeof variable, "CUDASIM_SUMMARY=%s", path);
	struct child c;
	child_run(&c, "use", (const char *[]){variable, "CUDASIM=1", NULL});
	assert_int_equal(c.status, 0);
	assert_string_equal(c.err, "");
	assert_string_equal(c.out, LEVELS);
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	if (!root)
		fail_msg("%s: %s", path, error.text);
	unlink(path);
	const json_t *ranges = json_object_get(root, "ranges");
	assert_int_equal(json_array_size(ranges), 8);
	assert_int_equal(count_of(ranges, ":outer", "push/pop"), 1);
	assert_int_equal(count_of(ranges, ":inner", "push/pop"), 3);
	assert_int_equal(count_of(ranges, ":with \"attributes\"", "push/pop"), 1);
	assert_int_equal(count_of(ranges, ":here", "mark"), 2);
	assert_int_equal(count_of(ranges, ":across threads", "start/end"), 1);
	assert_int_equal(count_of(ranges, "library:registered", "push/pop"), 2);
	assert_int_equal(count_of(ranges, "library:gr\xc3\xbcn", "start/end"), 1);
	assert_int_equal(count_of(ranges, "library:gr\xc3\xbcn", "mark"), 1);
	assert_int_equal(count_of(json_object_get(root, "calls"), "cudaProfilerStart", NULL), 1);
	assert_true(json_is_array(json_object_get(root, "kernels")));
	assert_true(json_is_array(json_object_get(root, "copies")));
	json_decref(root);
}

static void ranges_come_out_as_text(void **state)
{
	(void)state;
	struct child c;
	child_run(&c, "use", (const char *[]){"CUDASIM_SUMMARY=1", "CUDASIM=1", NULL});
	assert_int_equal(c.status, 0);
	assert_non_null(strstr(c.err, "cudasim: NVTX ranges"));
	char *row = strstr(c.err, ":inner (push/pop)"), calls[32];
	assert_non_null(row);
	while (row[-1] != '\n')
		row--;
	assert_int_equal(sscanf(row, "%*s %*s %31s", calls), 1);
	assert_string_equal(calls, "3");
}

/* Then NVTX does nothing: it returns that it tracks nothing. */
static void without_a_summary_nothing_is_tracked(void **state)
{
	(void)state;
	struct child c;
	child_run(&c, "use", (const char *[]){"CUDASIM=1", NULL});
	assert_int_equal(c.status, 0);
	assert_string_equal(c.err, "");
	assert_non_null(strstr(c.out, "-2 -2"));
}

static void another_tool_is_left_in_place(void **state)
{
	(void)state;
	struct child c;
	child_run(&c, "use", (const char *[]){"CUDASIM_SUMMARY=1", "CUDASIM=1",
					      "NVTX_INJECTION64_PATH=/no/such/tool.so", NULL});
	assert_int_equal(c.status, 0);
	assert_null(strstr(c.err, "NVTX ranges"));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "use"))
		return use_nvtx();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_come_out_as_json),
		cmocka_unit_test(ranges_come_out_as_text),
		cmocka_unit_test(without_a_summary_nothing_is_tracked),
		cmocka_unit_test(another_tool_is_left_in_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
