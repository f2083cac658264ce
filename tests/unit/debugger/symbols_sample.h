/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_sample.h - what symbols_test.c and its sample program share. */
#ifndef SYMBOLS_SAMPLE_H
#define SYMBOLS_SAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif
/* Called by the sample at each SAMPLE_PROBE() with a place behind it and its frame. */
void sample_probe(void *frame);
#ifdef __cplusplus
}
int sample_walk(int depth);
#endif
#define SAMPLE_PROBE() sample_probe(__builtin_frame_address(0))

#endif
