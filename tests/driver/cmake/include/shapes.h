// SPDX-License-Identifier: Apache-2.0
#pragma once

struct shape {
	int width, height, radius;
};

int run_areas(int *areas, int n); // 0, or a CUDA error's number
int run_total(int n);
int run_piece();
void scale_all(int *values, int n);
