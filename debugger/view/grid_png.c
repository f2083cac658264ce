/* SPDX-License-Identifier: Apache-2.0 */
/* grid_png.c - elements as a picture: numbers in the colours of a heat map, a pixel or more each;
 * bytes whose last dimension is 3 or 4 as the colours that they are. libpng writes the file. */
#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "error.h"
#include "grid.h"
#include "ramp.h"

enum { SMALL = 256, MOST_PIXELS = 1 << 26 };

/* Small arrays are enlarged, so that elements can be told apart. */
static uint32_t scale_of(uint64_t width, uint64_t height)
{
	uint64_t longer = width > height ? width : height;
	return longer < SMALL ? (uint32_t)(SMALL / longer) : 1;
}

static struct cudasim_error *write_pixels(const char *path, const unsigned char *pixels,
					  uint64_t width, uint64_t height, bool has_alpha)
{
	png_image image = {.version = PNG_IMAGE_VERSION,
			   .width = (png_uint_32)width,
			   .height = (png_uint_32)height,
			   .format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
	if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
		return NULL;
	return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", path, image.message);
}

/* NaN, infinity and what has no value have colours that are not in the ramp. */
static void colour_of(const struct grid *grid, const struct range_of_grid *range, uint64_t i,
		      unsigned char ret[3])
{
	static const unsigned char magenta[] = {255, 0, 255}, white[] = {255, 255, 255},
				   grey[] = {128, 128, 128};
	long double number = grid_is_unset(grid, i) ? 0 : grid_number(grid, i);
	if (grid_is_unset(grid, i))
		memcpy(ret, grey, sizeof grey);
	else if (isnan(number))
		memcpy(ret, magenta, sizeof magenta);
	else if (isinf(number))
		memcpy(ret, white, sizeof white);
	else
		ramp_rgb(range_part(range, number), ret);
}

static struct cudasim_error *write_heat(const struct grid *grid, const char *path, uint64_t width,
					uint64_t height)
{
	uint32_t scale = scale_of(width, height);
	struct range_of_grid range = grid_range(grid);
	uint64_t line = width * scale;
	unsigned char *pixels = calloc(line * height * scale, 3);
	if (!pixels)
		return &cudasim_error_nomem;
	for (uint64_t y = 0; y < height * scale; y++)
		for (uint64_t x = 0; x < line; x++)
			colour_of(grid, &range, y / scale * width + x / scale,
				  pixels + 3 * (y * line + x));
	struct cudasim_error *error = write_pixels(path, pixels, line, height * scale, false);
	free(pixels);
	if (!error)
		fprintf(console(), "Wrote a picture of %" PRIu64 " x %" PRIu64 " pixels to %s",
			line, height * scale, path);
	if (!error && range.n)
		fprintf(console(), ", from %.6Lg to %.6Lg", range.least, range.greatest);
	if (!error) {
		range_print_others(console(), &range);
		fputs(".\n", console());
	}
	return error;
}

static bool is_picture(const struct grid *grid)
{
	const struct type *type = grid->element;
	return grid->rank == 3 && (grid->axes[2].n == 3 || grid->axes[2].n == 4) &&
	       type->size == 1 && !type->is_signed && type_is_integral(type);
}

static struct cudasim_error *check_size(uint64_t width, uint64_t height)
{
	if (!width || !height)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "There are no elements to draw.");
	if (width > MOST_PIXELS / height)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "A picture of %" PRIu64 " x %" PRIu64
					 " pixels is too large: choose a part with --slice.",
					 width, height);
	return NULL;
}

struct cudasim_error *grid_write_png(const struct grid *grid, const char *path)
{
	struct cudasim_error *error;
	if (is_picture(grid)) {
		uint64_t width = grid->axes[1].n, height = grid->axes[0].n;
		error = check_size(width, height);
		if (!error)
			error = write_pixels(path, grid->bytes, width, height,
					     grid->axes[2].n == 4);
		if (!error)
			fprintf(console(),
				"Wrote a picture of %" PRIu64 " x %" PRIu64 " pixels to %s.\n",
				width, height, path);
		return error;
	}
	error = grid_check_numbers(grid, "--png");
	if (!error && (!grid->rank || grid->rank > 2))
		error = cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"--png draws one or two dimensions, or unsigned bytes whose third is 3 or "
			"4, and there are %u: choose with --slice.",
			grid->rank);
	if (error)
		return error;
	uint64_t width = grid->axes[grid->rank - 1].n,
		 height = grid->rank == 2 ? grid->axes[0].n : 1;
	error = check_size(width, height);
	return error ? error : write_heat(grid, path, width, height);
}
