/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "blob.h"
#include "fatbin_format.h"

/* As `cudasim cc --gpu` embeds it: 21 bytes of entries, 3 of padding, the blob. */
static struct embedded {
	struct fatbin_header header;
	char entries[21], pad[3];
	struct cudasim_blob blob;
} with_gpu = {.header = {FATBIN_MAGIC, 1, sizeof(struct fatbin_header), 21},
	      .blob = {CUDASIM_BLOB_MAGIC, "0123456789abcdef", -40, 37}};

static void alone_it_is_found(void **state)
{
	(void)state;
	static const struct cudasim_blob alone = {.magic = CUDASIM_BLOB_MAGIC, .id = "an id"};
	assert_ptr_equal(blob_find(&alone), &alone);
	assert_null(blob_gpu_code(&alone));
}

static void behind_a_fat_binary_it_is_found(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct embedded, blob), 40);
	assert_ptr_equal(blob_find(&with_gpu), &with_gpu.blob);
	assert_ptr_equal(blob_gpu_code(&with_gpu.blob), &with_gpu);
}

static void before_a_fat_binary_it_is_found(void **state)
{
	(void)state;
	static const struct {
		struct cudasim_blob blob;
		struct fatbin_header header;
	} linked = {{CUDASIM_BLOB_MAGIC, "0123456789abcdef", 40, 16}, {FATBIN_MAGIC, 1, 16, 0}};
	assert_ptr_equal(blob_find(&linked), &linked);
	assert_ptr_equal(blob_gpu_code(&linked.blob), &linked.header);
}

static void what_does_not_count_back_to_the_fat_binary_is_no_blob(void **state)
{
	(void)state;
	struct embedded saved = with_gpu;
	with_gpu.blob.gpu_offset = -32;
	assert_null(blob_find(&with_gpu));
	with_gpu = saved;
	with_gpu.blob.magic[7] = 1; /* an earlier version's */
	assert_null(blob_find(&with_gpu));
	with_gpu = saved;
}

/* nvcc's may end where its segment does: nothing behind it is read. */
static void behind_the_last_loaded_byte_nothing_is_read(void **state)
{
	(void)state;
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + 4096, 4096, PROT_NONE), 0);
	struct fatbin_header header = {FATBIN_MAGIC, 1, sizeof header, 0};
	char *last = pages + 4096 - sizeof header;
	memcpy(last, &header, sizeof header);
	assert_null(blob_find(last));
	munmap(pages, 8192);
}

static void nothing_is_found_in_nothing(void **state)
{
	(void)state;
	assert_null(blob_find(NULL));
	assert_null(blob_find("neither of them"));
	assert_null(blob_gpu_code(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_it_is_found),
		cmocka_unit_test(behind_a_fat_binary_it_is_found),
		cmocka_unit_test(before_a_fat_binary_it_is_found),
		cmocka_unit_test(what_does_not_count_back_to_the_fat_binary_is_no_blob),
		cmocka_unit_test(behind_the_last_loaded_byte_nothing_is_read),
		cmocka_unit_test(nothing_is_found_in_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
