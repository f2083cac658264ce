// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "shapes.h"

__device__ int area(const shape &s);
__device__ int circle_area(const shape &s);
extern __constant__ int unit;
