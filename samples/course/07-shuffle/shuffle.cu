/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 7, shuffle: lanes of a warp exchange registers.
 *
 * The 32 threads of a warp can read each other's variables without shared memory and without a
 * barrier of the block: __shfl_sync(mask, x, lane), __shfl_up_sync, __shfl_down_sync and
 * __shfl_xor_sync. The mask names the lanes that take part, and each of them has to come to the
 * call. All functions here are called by whole warps, so the mask is ALL. */
#define ALL 0xffffffffu

/* The sum of the values of the warp's 32 lanes, in every lane. */
__device__ int warp_sum(int value)
{
	/* TODO: five steps. With __shfl_xor_sync every lane gets the sum, with __shfl_down_sync only
	 * lane 0 does. */
	return value;
}

/* The value of the lane that is by places further on; after lane 31 comes lane 0. by >= 0. */
__device__ int rotate(int value, int by)
{
	/* TODO */
	return value;
}

/* The sum of the values of this lane and of all lanes before it: exercise 6 in one warp. */
__device__ int warp_scan(int value)
{
	/* TODO: __shfl_up_sync leaves the value of lanes alone that have no lane so far below: those
	 * must not add it. */
	return value;
}
