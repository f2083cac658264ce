/* SPDX-License-Identifier: Apache-2.0 */
/* complete.c - the link: one image is the product as it is; else `cudasim cc -dlink` makes one of all
 * inputs. What is bitcode there is linked as one module and optimised as one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit_link.h"
#include "nvjitlink.h"

/* cc's log becomes a part of the link's. */
static enum nvjitlink_result report(struct nvJitLink *link, enum jit_result result, char *log,
				    enum nvjitlink_result failure)
{
	if (result == JIT_NO_COMPILER)
		nvjitlink_say(&link->error, "ERROR: cudasim cc, which compiles, cannot be run\n");
	else if (log && *log)
		nvjitlink_say(result ? &link->error : &link->info, "%s\n", log);
	free(log);
	return !result                ? NVJITLINK_SUCCESS
	       : result == JIT_FAILED ? failure
				      : NVJITLINK_ERROR_INTERNAL;
}

enum nvjitlink_result nvjitlink_check_ptx(struct nvJitLink *link,
					  const struct nvjitlink_input *input)
{
	static const char *const options[] = {"-cubin", NULL};
	struct jit_piece piece = {input->data, input->size, NULL, "ptx"};
	char *log;
	enum jit_result done = jit_link(options, &piece, 1, NULL, NULL, &log);
	enum nvjitlink_result result = report(link, done, log, NVJITLINK_ERROR_PTX_COMPILE);
	if (result == NVJITLINK_ERROR_PTX_COMPILE)
		nvjitlink_say(&link->error, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)\n",
			      input->name);
	return result;
}

static enum nvjitlink_result compile(struct nvJitLink *link)
{
	const struct nvjitlink_options *options = &link->options;
	const char *words[sizeof options->words / sizeof *options->words + 3] = {
		options->ptx ? "-ptx" : "-cubin"};
	char architecture[sizeof options->architecture + 8], *log;
	struct jit_piece *pieces = calloc(link->n_inputs + 1, sizeof *pieces);
	if (!pieces)
		return NVJITLINK_ERROR_INTERNAL;
	snprintf(architecture, sizeof architecture, "-arch=%s", options->architecture);
	words[1] = architecture;
	memcpy(words + 2, options->words, options->n_words * sizeof *options->words);
	for (size_t i = 0; i < link->n_inputs; i++) {
		const struct nvjitlink_input *input = &link->inputs[i];
		pieces[i] = (struct jit_piece){input->data, input->size,
					       *input->name ? input->name : NULL, input->ending};
	}
	enum jit_result done = jit_link(words, pieces, link->n_inputs, &link->product,
					&link->n_product, &log);
	free(pieces);
	/* By the step in which NVIDIA's library finds it. */
	enum nvjitlink_result failure = NVJITLINK_ERROR_INTERNAL;
	if (options->lto)
		failure = log && (strstr(log, "Unresolved extern") ||
				  strstr(log, "undefined device function"))
				  ? NVJITLINK_ERROR_PTX_COMPILE
				  : NVJITLINK_ERROR_NVVM_COMPILE;
	enum nvjitlink_result result = report(link, done, log, failure);
	if (result == NVJITLINK_ERROR_INTERNAL)
		nvjitlink_say(&link->error, "ERROR 9: finish\n");
	return result;
}

static enum nvjitlink_result add_nothing(struct nvJitLink *link)
{
	static const char nothing[] = ".version 7.0\n.target sm_50\n.address_size 64\n";
	return nvjitlink_add(link, NVJITLINK_INPUT_PTX, nothing, sizeof nothing, NULL);
}

enum nvjitlink_result nvjitlink_complete(struct nvJitLink *link)
{
	bool all = true, any = false;
	for (size_t i = 0; i < link->n_inputs; i++) {
		any |= link->inputs[i].has_bitcode;
		all &= link->inputs[i].has_bitcode;
	}
	if (link->options.ptx && !all) {
		nvjitlink_say(&link->error, "ERROR: -ptx requires that all inputs have LTOIR\n");
		return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
	}
	if (link->options.lto && !any) {
		nvjitlink_say(&link->error, "ERROR in nvvmCompileProgram: "
					    "NVVM_ERROR_NO_MODULE_IN_PROGRAM\n");
		return NVJITLINK_ERROR_NVVM_COMPILE;
	}
	if (!link->n_inputs) {
		enum nvjitlink_result result = add_nothing(link);
		if (result)
			return result;
	}
	if (link->n_inputs > 1 || !link->inputs[0].is_image)
		return compile(link);
	link->product = strdup(link->inputs[0].data);
	link->n_product = link->inputs[0].size;
	return link->product ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INTERNAL;
}
