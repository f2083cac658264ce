/* SPDX-License-Identifier: Apache-2.0 */
/* cache_known.h: files of an entry are known while they are what they were. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_digest.h"
#include "cache_file.h"
#include "cache_known.h"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The entry of a header with this text, in a file. */
static void remember(const char *header, const char *entry)
{
	struct words names = {0}, macros = {0};
	struct timespec later = cache_file_now();
	const char *why = NULL;
	later.tv_sec++;
	json_t *file = cache_file_remember(header, later, &names, &macros, &why);
	assert_non_null(file);
	assert_int_equal(names.n, 1);
	json_t *whole = json_pack("{s[o] s[s] s[s]}", "files", file, "names", names.at[0], "macros",
				  "HAS");
	assert_int_equal(json_dump_file(whole, entry, 0), 0);
	json_decref(whole);
	words_fini(&names);
	words_fini(&macros);
}

static void test_known(void **state)
{
	(void)state;
	char folder[] = "/tmp/test-cache-known-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *header = text_format("%s/a.h", folder), *entry = text_format("%s/entry", folder);
	struct cache_known known = {0};
	cache_known_add(&known, entry); /* not there */
	assert_null(cache_known_get(&known, header));
	put(header, "#if __has_include(<b.h>)\n#endif\n");
	remember(header, entry);
	cache_known_add(&known, entry);
	assert_non_null(cache_known_get(&known, header));
	assert_true(words_have(&known.names, "b.h") && words_have(&known.macros, "HAS"));
	assert_null(cache_known_get(&known, entry));
	put(header, "#if __has_include(<c.h>)\n#endif\n"); /* as long as before */
	assert_null(cache_known_get(&known, header));
	unlink(header);
	assert_null(cache_known_get(&known, header));
	cache_known_fini(&known);
	/* Damage: text in the place of the digest. */
	put(entry, "{\"files\": [[\"/dev/null\", 0, 0, 0, 0, \"short\"], 7], \"names\": 3}");
	cache_known_add(&known, entry);
	assert_null(cache_known_get(&known, "/dev/null"));
	cache_known_fini(&known);
	unlink(entry);
	rmdir(folder);
	free(header);
	free(entry);
}

/* XXH3's 128 bits of an empty text, from xxHash's own tests (XSUM_XXH128_testdata, length 0, seed 0). */
static void test_digest(void **state)
{
	(void)state;
	char digits[33];
	cache_digest("", 0, digits);
	assert_string_equal(digits, "99aa06d3014798d86001c324468d497f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_digest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
