/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnostics.h"

#include <stdlib.h>
#include <string.h>

/* The line without terminal escapes. The caller frees it. */
static char *plain_line(const char *line, size_t length)
{
	char *text = text_copy_n(line, length), *to = text;
	for (const char *c = text; *c; c++) {
		if (*c == '\033' && c[1] == '[') {
			while (*c && *c != 'm' && *c != 'K')
				c++;
			if (!*c)
				break;
			continue;
		}
		*to++ = *c;
	}
	*to = 0;
	return text;
}

enum line_kind {
	LINE_CONTEXT, /* "In file included from": belongs to what follows */
	LINE_HEAD,    /* begins a diagnostic */
	LINE_BODY,    /* source, caret, note: belongs to what came before */
	LINE_COUNT,   /* "1 warning generated." */
};

static enum line_kind classify(const char *line)
{
	if (text_starts(line, "In file included from "))
		return LINE_CONTEXT;
	if (strstr(line, ": error: ") || strstr(line, ": warning: ") ||
	    strstr(line, ": fatal error: ") || text_starts(line, "error: ") ||
	    text_starts(line, "warning: "))
		return LINE_HEAD;
	const char *generated = strstr(line, " generated");
	if (generated && line[0] >= '1' && line[0] <= '9' &&
	    (generated[10] == '.' || text_starts(generated + 10, " when compiling for ")))
		return LINE_COUNT;
	return LINE_BODY;
}

/* What a message of clang's means in CUDA's terms. */
static const struct hint {
	const char *message, *note;
} hints[] = {
#define REFERENCES                                                                                 \
	"texture references were removed in CUDA 12: use a texture object "                        \
	"(cudaCreateTextureObject) instead"
	{"function requires relocatable device code (i.e. requires -fgpu-rdc)",
	 "kernel launch from __device__ or __global__ functions requires separate compilation "
	 "mode (-rdc=true)"},
	{"no template named 'texture'", REFERENCES},
	{"unknown type name 'texture'", REFERENCES},
	{"undeclared identifier 'texture'", REFERENCES},
	{"unknown type name 'textureReference'", REFERENCES},
	{"undeclared identifier 'cudaBindTexture", REFERENCES},
	{"undeclared identifier 'cudaUnbindTexture'", REFERENCES},
	{"undeclared identifier 'cudaGetTextureReference'", REFERENCES},
};

static void show_hint(const char *piece, FILE *out)
{
	char *plain = plain_line(piece, strlen(piece));
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
		if (!strstr(plain, hints[i].message))
			continue;
		fprintf(out, "cudasim: note: %s\n", hints[i].note);
		break;
	}
	free(plain);
}

static void show_piece(const char *start, const char *end, struct words *seen, FILE *out)
{
	if (start == end)
		return;
	char *piece = text_copy_n(start, (size_t)(end - start));
	if (!words_have(seen, piece)) {
		fputs(piece, out);
		show_hint(piece, out);
		words_add(seen, piece);
	}
	free(piece);
}

void diagnostics_show(const char *text, struct words *seen, FILE *out)
{
	const char *piece = text;
	bool has_head = false, in_context = false;
	while (*text) {
		const char *newline = strchr(text, '\n');
		const char *next = newline ? newline + 1 : text + strlen(text);
		char *line = plain_line(text, (size_t)(next - text));
		enum line_kind kind = classify(line);
		free(line);
		/* A new piece begins at its context, or at its head without one. A note
		 * may have a context of its own; it then starts a piece, which is shown
		 * with its diagnostic because both are new or both are not. */
		bool begins = (kind == LINE_CONTEXT && !in_context && has_head) ||
			      (kind == LINE_HEAD && has_head && !in_context) || kind == LINE_COUNT;
		if (begins) {
			show_piece(piece, text, seen, out);
			piece = text;
			has_head = false;
		}
		if (kind == LINE_COUNT)
			piece = next;
		in_context = kind == LINE_CONTEXT;
		has_head |= kind == LINE_HEAD;
		text = next;
	}
	show_piece(piece, text, seen, out);
}
