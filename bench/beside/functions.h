/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the math functions that are measured one by one, for both sides:
 * FLOAT(name, expression of x and ys[i]) and DOUBLE() likewise. x lies in (0, 8). */
#ifndef RSQRTF
#define RSQRTF(x) (1.f / sqrtf(x)) /* the C side has no function of that name */
#endif
FLOAT(divide, x / ys[i])
FLOAT(sqrtf, sqrtf(x))
FLOAT(rsqrtf, RSQRTF(x))
FLOAT(expf, expf(x))
FLOAT(exp2f, exp2f(x))
FLOAT(logf, logf(x))
FLOAT(log2f, log2f(x))
FLOAT(sinf, sinf(x))
FLOAT(cosf, cosf(x))
FLOAT(tanf, tanf(x))
FLOAT(powf, powf(x, ys[i]))
FLOAT(atan2f, atan2f(x, ys[i]))
FLOAT(tanhf, tanhf(x))
FLOAT(erff, erff(x))
FLOAT(cbrtf, cbrtf(x))
FLOAT(hypotf, hypotf(x, ys[i]))
FLOAT(fmodf, fmodf(x, ys[i]))
DOUBLE(divide_double, x / ys[i])
DOUBLE(sqrt, sqrt(x))
DOUBLE(exp, exp(x))
DOUBLE(log, log(x))
DOUBLE(sin, sin(x))
DOUBLE(cos, cos(x))
DOUBLE(pow, pow(x, ys[i]))
DOUBLE(atan, atan(x))
DOUBLE(erf, erf(x))
