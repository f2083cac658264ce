/* SPDX-License-Identifier: Apache-2.0 */
/* texture_fetch_functions.h - empty. CUDA 13 dropped this header with the
 * texture references; clang 19 still includes it. */
