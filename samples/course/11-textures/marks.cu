/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "textures.cu"
#endif
#include ANSWER

/* What magnify makes of an image. */
static std::vector<float> magnified(const std::vector<float> &image, int width, int height, int factor)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	cudasim_need(cudaMallocArray(&array, &format, width, height));
	cudasim_need(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(float),
					 width * sizeof(float), height, cudaMemcpyHostToDevice));
	cudaTextureObject_t texture = make_texture(array);
	int wide = width * factor, high = height * factor;
	float *out = cudasim_device_array(float, wide * high);
	magnify<<<dim3((wide + 7) / 8, (high + 7) / 8), dim3(8, 8)>>>(texture, out, wide, high, factor);
	std::vector<float> ret = cudasim_host_copy(out, wide * high);
	cudasim_need(cudaDestroyTextureObject(texture));
	cudasim_need(cudaFreeArray(array));
	return ret;
}

static void factor_one_is_the_image(void **)
{
	std::vector<float> image = {1, 2, 3, 4, 5, 6};
	cudasim_assert_equal(magnified(image, 3, 2, 1), image);
}

/* Centres are at 0.125, 0.375 ... of a pixel: the first two and the last two lie beyond the centres
 * of both pixels, the others 1/8, 3/8, 5/8 and 7/8 between them. The weights are exact. */
static void two_pixels_in_a_row(void **)
{
	cudasim_assert_equal(magnified({0, 8}, 2, 1, 4), std::vector<float>{
		0, 0, 1, 3, 5, 7, 8, 8,
		0, 0, 1, 3, 5, 7, 8, 8,
		0, 0, 1, 3, 5, 7, 8, 8,
		0, 0, 1, 3, 5, 7, 8, 8,
	});
}

/* 0 16
 * 32 48 doubled: 1/4 and 3/4 between the centres. */
static void two_by_two(void **)
{
	cudasim_assert_equal(magnified({0, 16, 32, 48}, 2, 2, 2), std::vector<float>{
		0, 4, 12, 16,
		8, 12, 20, 24,
		24, 28, 36, 40,
		32, 36, 44, 48,
	});
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factor_one_is_the_image),
		cmocka_unit_test(two_pixels_in_a_row),
		cmocka_unit_test(two_by_two),
	};
	return cudasim_run_tests(tests, argc, argv);
}
