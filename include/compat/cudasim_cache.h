/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_cache.h - loads and stores with cache operators: __ldcg, __ldca,
 * __ldcs, __ldlu, __ldcv, __stwb, __stcg, __stcs, __stwt. The toolkit has them in
 * one header with __ldg and the funnel shifts, which clang brings itself; those
 * are put aside under other names. */
#ifndef CUDASIM_COMPAT_CACHE_H
#define CUDASIM_COMPAT_CACHE_H

/* clang sets these so that the header stays out. */
#undef __SM_32_INTRINSICS_H__
#undef __SM_32_INTRINSICS_HPP__
#pragma push_macro("__ldg")
#pragma push_macro("__funnelshift_l")
#pragma push_macro("__funnelshift_lc")
#pragma push_macro("__funnelshift_r")
#pragma push_macro("__funnelshift_rc")
#define __ldg __cudasim_ignored_ldg
#define __funnelshift_l __cudasim_ignored_funnelshift_l
#define __funnelshift_lc __cudasim_ignored_funnelshift_lc
#define __funnelshift_r __cudasim_ignored_funnelshift_r
#define __funnelshift_rc __cudasim_ignored_funnelshift_rc
#include "sm_32_intrinsics.h"
#pragma pop_macro("__ldg")
#pragma pop_macro("__funnelshift_l")
#pragma pop_macro("__funnelshift_lc")
#pragma pop_macro("__funnelshift_r")
#pragma pop_macro("__funnelshift_rc")

#endif
