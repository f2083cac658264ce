/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "names.h"

#include <assert.h>
#include <stdio.h>

void name_set_id(struct device_program *program)
{
	for (size_t i = 0; i < sizeof(program->options->id); i++)
		snprintf(program->id_text + 2 * i, 3, "%02x", program->options->id[i]);
}

char *name_shared(const struct device_program *program, const char *what, const char *name)
{
	char *text;
	int n = asprintf(&text, "__cudasim_%s_%s%s%s", program->id_text, what, name ? "_" : "",
			 name ? name : "");
	assert(n >= 0);
	return text;
}

const char *name_body(enum device_stage stage)
{
	static const char *const names[] = {[DEVICE_V3] = "v3",
					    [DEVICE_V4] = "v4",
					    [DEVICE_WATCHED] = "watched",
					    [DEVICE_WATCHED_LOOPS] = "watched"};
	assert(stage >= DEVICE_V3 && stage <= DEVICE_WATCHED_LOOPS);
	return names[stage];
}

char *name_in_body(const struct device_program *program, const char *what, const char *name,
		   enum device_stage body)
{
	char *text;
	int n = asprintf(&text, "__cudasim_%s_%s_%s.%s", program->id_text, what, name,
			 name_body(body));
	assert(n >= 0);
	return text;
}

const char *name_of(LLVMValueRef global)
{
	size_t length;
	return LLVMGetValueName2(global, &length);
}
