// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime.h>
#include "shapes.h"

int main()
{
	int areas[3], devices = 0;
	if (int error = run_areas(areas, 3))
		return error;
	scale_all(areas, 3);
	cudaGetDeviceCount(&devices);
	std::printf("%d %d %d total %d piece %d devices %d\n", areas[0], areas[1], areas[2],
		    run_total(3) + 8, run_piece(), devices);
}
