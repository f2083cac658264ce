// SPDX-License-Identifier: Apache-2.0
#include "area.cuh"

__constant__ int unit = 2;

__device__ int area(const shape &s)
{
	return s.radius ? circle_area(s) : unit * s.width * s.height;
}
