/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_rtc.h - what a program for NVRTC sees of its compiler: the first header of such a program,
 * behind all that cudasim brings by itself. NVRTC names neither clang nor GCC, has no host and no
 * C library's macros, and a little of std is built in. The types that C's library defines, which
 * NVRTC lacks as well, have other names (sim/nvrtc/prelude.c).
 *
 * Which macros NVRTC defines was asked of NVRTC 13.0. */
#ifndef CUDASIM_COMPAT_RTC_H
#define CUDASIM_COMPAT_RTC_H

/* The compiler and the host's system. */
#undef __clang__
#undef __clang_major__
#undef __clang_minor__
#undef __clang_patchlevel__
#undef __clang_version__
#undef __clang_literal_encoding__
#undef __clang_wide_literal_encoding__
#undef __llvm__
#undef __CUDA__
#undef __NVCC__
#undef __NVPTX__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __GNUC_GNU_INLINE__
#undef __GNUG__
#undef __GXX_ABI_VERSION
#undef __GXX_EXPERIMENTAL_CXX0X__
#undef __GXX_RTTI
#undef __GXX_WEAK__
#undef __VERSION__
#undef __ELF__
#undef __gnu_linux__
#undef __linux
#undef __linux__
#undef __unix
#undef __unix__
#undef __amd64
#undef __amd64__
#undef __k8
#undef __k8__
#undef __tune_k8__
#undef __x86_64
#undef __x86_64__
#undef __MMX__
#undef __SSE__
#undef __SSE2__
#undef __SSE_MATH__
#undef __SSE2_MATH__
#undef __code_model_small__
#undef __seg_fs
#undef __seg_gs
#undef _GNU_SOURCE
#undef __GLIBC__
#undef __GLIBC_MINOR__
#undef __GLIBCXX__
#undef _GLIBCXX_RELEASE
#undef __SIZEOF_INT128__
#undef __SIZEOF_FLOAT128__
#undef linux
#undef unix

/* Macros of the C library's headers. */
#undef ADJ_ESTERROR
#undef ADJ_FREQUENCY
#undef ADJ_MAXERROR
#undef ADJ_MICRO
#undef ADJ_NANO
#undef ADJ_OFFSET
#undef ADJ_OFFSET_SINGLESHOT
#undef ADJ_OFFSET_SS_READ
#undef ADJ_SETOFFSET
#undef ADJ_STATUS
#undef ADJ_TAI
#undef ADJ_TICK
#undef ADJ_TIMECONST
#undef AIO_PRIO_DELTA_MAX
#undef BC_BASE_MAX
#undef BC_DIM_MAX
#undef BC_SCALE_MAX
#undef BC_STRING_MAX
#undef BIG_ENDIAN
#undef BOOL_MAX
#undef BOOL_WIDTH
#undef BUFSIZ
#undef BYTE_ORDER
#undef CHARCLASS_NAME_MAX
#undef CHAR_BIT
#undef CHAR_MAX
#undef CHAR_MIN
#undef CHAR_WIDTH
#undef CLOCKS_PER_SEC
#undef CLOCK_BOOTTIME
#undef CLOCK_BOOTTIME_ALARM
#undef CLOCK_MONOTONIC
#undef CLOCK_MONOTONIC_COARSE
#undef CLOCK_MONOTONIC_RAW
#undef CLOCK_PROCESS_CPUTIME_ID
#undef CLOCK_REALTIME
#undef CLOCK_REALTIME_ALARM
#undef CLOCK_REALTIME_COARSE
#undef CLOCK_TAI
#undef CLOCK_THREAD_CPUTIME_ID
#undef COLL_WEIGHTS_MAX
#undef DELAYTIMER_MAX
#undef EOF
#undef EXIT_FAILURE
#undef EXIT_SUCCESS
#undef EXPR_NEST_MAX
#undef FD_CLR
#undef FD_ISSET
#undef FD_SET
#undef FD_SETSIZE
#undef FD_ZERO
#undef FILENAME_MAX
#undef FOPEN_MAX
#undef FP_ILOGB0
#undef FP_ILOGBNAN
#undef FP_INFINITE
#undef FP_INT_DOWNWARD
#undef FP_INT_TONEAREST
#undef FP_INT_TONEARESTFROMZERO
#undef FP_INT_TOWARDZERO
#undef FP_INT_UPWARD
#undef FP_LLOGB0
#undef FP_LLOGBNAN
#undef FP_NAN
#undef FP_NORMAL
#undef FP_SUBNORMAL
#undef FP_ZERO
#undef HOST_NAME_MAX
#undef HUGE_VAL
#undef HUGE_VALF
#undef HUGE_VALL
#undef HUGE_VAL_F32
#undef HUGE_VAL_F32X
#undef HUGE_VAL_F64
#undef HUGE_VAL_F64X
#undef INFINITY
#undef INT16_C
#undef INT16_MAX
#undef INT16_MIN
#undef INT16_WIDTH
#undef INT32_C
#undef INT32_MAX
#undef INT32_MIN
#undef INT32_WIDTH
#undef INT64_C
#undef INT64_MAX
#undef INT64_MIN
#undef INT64_WIDTH
#undef INT8_C
#undef INT8_MAX
#undef INT8_MIN
#undef INT8_WIDTH
#undef INTMAX_C
#undef INTMAX_MAX
#undef INTMAX_MIN
#undef INTMAX_WIDTH
#undef INTPTR_MAX
#undef INTPTR_MIN
#undef INTPTR_WIDTH
#undef INT_FAST16_MAX
#undef INT_FAST16_MIN
#undef INT_FAST16_WIDTH
#undef INT_FAST32_MAX
#undef INT_FAST32_MIN
#undef INT_FAST32_WIDTH
#undef INT_FAST64_MAX
#undef INT_FAST64_MIN
#undef INT_FAST64_WIDTH
#undef INT_FAST8_MAX
#undef INT_FAST8_MIN
#undef INT_FAST8_WIDTH
#undef INT_LEAST16_MAX
#undef INT_LEAST16_MIN
#undef INT_LEAST16_WIDTH
#undef INT_LEAST32_MAX
#undef INT_LEAST32_MIN
#undef INT_LEAST32_WIDTH
#undef INT_LEAST64_MAX
#undef INT_LEAST64_MIN
#undef INT_LEAST64_WIDTH
#undef INT_LEAST8_MAX
#undef INT_LEAST8_MIN
#undef INT_LEAST8_WIDTH
#undef INT_MAX
#undef INT_MIN
#undef INT_WIDTH
#undef IOV_MAX
#undef LINE_MAX
#undef LITTLE_ENDIAN
#undef LLONG_MAX
#undef LLONG_MIN
#undef LLONG_WIDTH
#undef LOGIN_NAME_MAX
#undef LONG_BIT
#undef LONG_LONG_MAX
#undef LONG_LONG_MIN
#undef LONG_MAX
#undef LONG_MIN
#undef LONG_WIDTH
#undef L_ctermid
#undef L_cuserid
#undef L_tmpnam
#undef MATH_ERREXCEPT
#undef MATH_ERRNO
#undef MAXFLOAT
#undef MAX_CANON
#undef MAX_INPUT
#undef MB_CUR_MAX
#undef MB_LEN_MAX
#undef MOD_CLKA
#undef MOD_CLKB
#undef MOD_ESTERROR
#undef MOD_FREQUENCY
#undef MOD_MAXERROR
#undef MOD_MICRO
#undef MOD_NANO
#undef MOD_OFFSET
#undef MOD_STATUS
#undef MOD_TAI
#undef MOD_TIMECONST
#undef MQ_PRIO_MAX
#undef M_1_PI
#undef M_1_PIf
#undef M_1_PIf32
#undef M_1_PIf32x
#undef M_1_PIf64
#undef M_1_PIf64x
#undef M_1_PIl
#undef M_2_PI
#undef M_2_PIf
#undef M_2_PIf32
#undef M_2_PIf32x
#undef M_2_PIf64
#undef M_2_PIf64x
#undef M_2_PIl
#undef M_2_SQRTPI
#undef M_2_SQRTPIf
#undef M_2_SQRTPIf32
#undef M_2_SQRTPIf32x
#undef M_2_SQRTPIf64
#undef M_2_SQRTPIf64x
#undef M_2_SQRTPIl
#undef M_E
#undef M_Ef
#undef M_Ef32
#undef M_Ef32x
#undef M_Ef64
#undef M_Ef64x
#undef M_El
#undef M_LN10
#undef M_LN10f
#undef M_LN10f32
#undef M_LN10f32x
#undef M_LN10f64
#undef M_LN10f64x
#undef M_LN10l
#undef M_LN2
#undef M_LN2f
#undef M_LN2f32
#undef M_LN2f32x
#undef M_LN2f64
#undef M_LN2f64x
#undef M_LN2l
#undef M_LOG10E
#undef M_LOG10Ef
#undef M_LOG10Ef32
#undef M_LOG10Ef32x
#undef M_LOG10Ef64
#undef M_LOG10Ef64x
#undef M_LOG10El
#undef M_LOG2E
#undef M_LOG2Ef
#undef M_LOG2Ef32
#undef M_LOG2Ef32x
#undef M_LOG2Ef64
#undef M_LOG2Ef64x
#undef M_LOG2El
#undef M_PI
#undef M_PI_2
#undef M_PI_2f
#undef M_PI_2f32
#undef M_PI_2f32x
#undef M_PI_2f64
#undef M_PI_2f64x
#undef M_PI_2l
#undef M_PI_4
#undef M_PI_4f
#undef M_PI_4f32
#undef M_PI_4f32x
#undef M_PI_4f64
#undef M_PI_4f64x
#undef M_PI_4l
#undef M_PIf
#undef M_PIf32
#undef M_PIf32x
#undef M_PIf64
#undef M_PIf64x
#undef M_PIl
#undef M_SQRT1_2
#undef M_SQRT1_2f
#undef M_SQRT1_2f32
#undef M_SQRT1_2f32x
#undef M_SQRT1_2f64
#undef M_SQRT1_2f64x
#undef M_SQRT1_2l
#undef M_SQRT2
#undef M_SQRT2f
#undef M_SQRT2f32
#undef M_SQRT2f32x
#undef M_SQRT2f64
#undef M_SQRT2f64x
#undef M_SQRT2l
#undef NAME_MAX
#undef NAN
#undef NFDBITS
#undef NGROUPS_MAX
#undef NL_ARGMAX
#undef NL_LANGMAX
#undef NL_MSGMAX
#undef NL_NMAX
#undef NL_SETMAX
#undef NL_TEXTMAX
#undef NZERO
#undef PATH_MAX
#undef PDP_ENDIAN
#undef PIPE_BUF
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#undef PTHREAD_KEYS_MAX
#undef PTHREAD_STACK_MIN
#undef PTRDIFF_MAX
#undef PTRDIFF_MIN
#undef PTRDIFF_WIDTH
#undef P_tmpdir
#undef RAND_MAX
#undef RENAME_EXCHANGE
#undef RENAME_NOREPLACE
#undef RENAME_WHITEOUT
#undef RESOURCE_ABI_EXTERNAL_BYTES
#undef RESOURCE_ABI_VERSION
#undef RE_DUP_MAX
#undef RTSIG_MAX
#undef SCHAR_MAX
#undef SCHAR_MIN
#undef SCHAR_WIDTH
#undef SEEK_CUR
#undef SEEK_DATA
#undef SEEK_END
#undef SEEK_HOLE
#undef SEEK_SET
#undef SEM_VALUE_MAX
#undef SHRT_MAX
#undef SHRT_MIN
#undef SHRT_WIDTH
#undef SIG_ATOMIC_MAX
#undef SIG_ATOMIC_MIN
#undef SIG_ATOMIC_WIDTH
#undef SIZE_MAX
#undef SIZE_WIDTH
#undef SNAN
#undef SNANF
#undef SNANF32
#undef SNANF32X
#undef SNANF64
#undef SNANF64X
#undef SNANL
#undef SSIZE_MAX
#undef STA_CLK
#undef STA_CLOCKERR
#undef STA_DEL
#undef STA_FLL
#undef STA_FREQHOLD
#undef STA_INS
#undef STA_MODE
#undef STA_NANO
#undef STA_PLL
#undef STA_PPSERROR
#undef STA_PPSFREQ
#undef STA_PPSJITTER
#undef STA_PPSSIGNAL
#undef STA_PPSTIME
#undef STA_PPSWANDER
#undef STA_RONLY
#undef STA_UNSYNC
#undef TIMER_ABSTIME
#undef TIME_UTC
#undef TMP_MAX
#undef TTY_NAME_MAX
#undef UCHAR_MAX
#undef UCHAR_WIDTH
#undef UINT16_C
#undef UINT16_MAX
#undef UINT16_WIDTH
#undef UINT32_C
#undef UINT32_MAX
#undef UINT32_WIDTH
#undef UINT64_C
#undef UINT64_MAX
#undef UINT64_WIDTH
#undef UINT8_C
#undef UINT8_MAX
#undef UINT8_WIDTH
#undef UINTMAX_C
#undef UINTMAX_MAX
#undef UINTMAX_WIDTH
#undef UINTPTR_MAX
#undef UINTPTR_WIDTH
#undef UINT_FAST16_MAX
#undef UINT_FAST16_WIDTH
#undef UINT_FAST32_MAX
#undef UINT_FAST32_WIDTH
#undef UINT_FAST64_MAX
#undef UINT_FAST64_WIDTH
#undef UINT_FAST8_MAX
#undef UINT_FAST8_WIDTH
#undef UINT_LEAST16_MAX
#undef UINT_LEAST16_WIDTH
#undef UINT_LEAST32_MAX
#undef UINT_LEAST32_WIDTH
#undef UINT_LEAST64_MAX
#undef UINT_LEAST64_WIDTH
#undef UINT_LEAST8_MAX
#undef UINT_LEAST8_WIDTH
#undef UINT_MAX
#undef UINT_WIDTH
#undef ULLONG_MAX
#undef ULLONG_WIDTH
#undef ULONG_LONG_MAX
#undef ULONG_MAX
#undef ULONG_WIDTH
#undef USHRT_MAX
#undef USHRT_WIDTH
#undef WCHAR_MAX
#undef WCHAR_MIN
#undef WCHAR_WIDTH
#undef WCONTINUED
#undef WEXITED
#undef WEXITSTATUS
#undef WIFCONTINUED
#undef WIFEXITED
#undef WIFSIGNALED
#undef WIFSTOPPED
#undef WINT_MAX
#undef WINT_MIN
#undef WINT_WIDTH
#undef WNOHANG
#undef WNOWAIT
#undef WORD_BIT
#undef WSTOPPED
#undef WSTOPSIG
#undef WTERMSIG
#undef WUNTRACED
#undef XATTR_LIST_MAX
#undef XATTR_NAME_MAX
#undef XATTR_SIZE_MAX
#undef assert_perror
#undef be16toh
#undef be32toh
#undef be64toh
#undef htobe16
#undef htobe32
#undef htobe64
#undef htole16
#undef htole32
#undef htole64
#undef issubnormal
#undef le16toh
#undef le32toh
#undef le64toh
#undef math_errhandling
#undef offsetof
#undef stderr
#undef stdin
#undef stdout
#undef strdupa
#undef strndupa

#if __cplusplus >= 201103L
namespace std {
template <class __T>
struct __cudasim_plain {
	typedef __T type;
};
template <class __T>
struct __cudasim_plain<__T &> {
	typedef __T type;
};
template <class __T>
struct __cudasim_plain<__T &&> {
	typedef __T type;
};

#if __NV_BUILTIN_MOVE_FORWARD
template <class __T>
__host__ __device__ constexpr typename __cudasim_plain<__T>::type &&move(__T &&__t) noexcept
{
	return static_cast<typename __cudasim_plain<__T>::type &&>(__t);
}

template <class __T>
__host__ __device__ constexpr __T &&forward(typename __cudasim_plain<__T>::type &__t) noexcept
{
	return static_cast<__T &&>(__t);
}

template <class __T>
__host__ __device__ constexpr __T &&forward(typename __cudasim_plain<__T>::type &&__t) noexcept
{
	return static_cast<__T &&>(__t);
}
#endif

#ifndef __CUDASIM_NO_INITIALIZER_LIST__
template <class __E>
class initializer_list {
	const __E *__first;
	size_t __n;

public:
	typedef __E value_type;
	typedef const __E &reference;
	typedef const __E &const_reference;
	typedef size_t size_type;
	typedef const __E *iterator;
	typedef const __E *const_iterator;

	__host__ __device__ constexpr initializer_list() noexcept : __first(nullptr), __n(0) {}
	__host__ __device__ constexpr size_t size() const noexcept { return __n; }
	__host__ __device__ constexpr const __E *begin() const noexcept { return __first; }
	__host__ __device__ constexpr const __E *end() const noexcept { return __first + __n; }
};
#endif
}
#endif

#endif
