/* SPDX-License-Identifier: Apache-2.0 */
/* Precision: the defaults of nvcc. */
#include "precision.cuh"
