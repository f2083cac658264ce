# SPDX-License-Identifier: Apache-2.0
"""The items of the conformance test: every instruction form, operator and libdevice
function whose bits are compared with an H200's.

An item is (name, operand types, result type, text, set). The text assigns r from
a0, a1, ...; the types are letters: f d float and double, i l integers of 32 and 64
bits, h 16 bits (half, bfloat16 or short), H a pair of halves, n and e small
integers. Sets: "operations" (PTX instructions and plain C++), "libdevice", "flush" (single
precision under -use_fast_math only).
"""

import contractions
import divisions
import flushes

items = []


def add(name, args, out, text, which="operations"):
    items.append((name, args, out, text, which))


CT = {
    "f": "float",
    "d": "double",
    "i": "int",
    "l": "long long",
    "h": "unsigned short",
    "n": "int",
    "e": "int",
    "H": "unsigned",
    "u": "unsigned",
    "L": "unsigned long long",
}
AC = {
    "f": "f",
    "d": "d",
    "i": "r",
    "u": "r",
    "l": "l",
    "L": "l",
    "h": "h",
    "H": "r",
    "n": "r",
    "e": "r",
}


def asm(name, ins, out, args):
    ops = ", ".join(["%0"] + ["%%%d" % (k + 1) for k in range(len(args))])
    a = ", ".join('"%s"(a%d)' % (AC[c], k) for k, c in enumerate(args))
    add(name, args, out, 'asm volatile("%s %s;" : "=%s"(r) : %s);' % (ins, ops, AC[out], a))


def A(ins, out, args):
    asm(ins, ins, out, args)


M = ["rn", "rz", "rm", "rp"]
for m in M:
    for z in ("", ".ftz"):
        for o in ("add", "mul", "div", "sub"):
            A(f"{o}.{m}{z}.f32", "f", "ff")
        A(f"fma.{m}{z}.f32", "f", "fff")
        for o in ("rcp", "sqrt"):
            A(f"{o}.{m}{z}.f32", "f", "f")
        A(f"cvt.{m}{z}.f32.f64", "f", "d")
    for o in ("add", "mul", "div"):
        A(f"{o}.{m}.f64", "d", "dd")
    A(f"fma.{m}.f64", "d", "ddd")
    for o in ("rcp", "sqrt"):
        A(f"{o}.{m}.f64", "d", "d")
    for t, c in (("s32", "i"), ("u32", "i"), ("s64", "l"), ("u64", "l")):
        A(f"cvt.{m}.f32.{t}", "f", c)
        A(f"cvt.{m}.f64.{t}", "d", c)
        for z in ("", ".ftz"):
            A(f"cvt.{m}i{z}.{t}.f32", c, "f")
        A(f"cvt.{m}i.{t}.f64", c, "d")
    for t in ("s16", "u16"):
        A(f"cvt.{m}i.{t}.f32", "h", "f")
        A(f"cvt.{m}i.{t}.f64", "h", "d")
    for t, c in (
        ("s32", "i"),
        ("u32", "i"),
        ("s64", "l"),
        ("u64", "l"),
        ("s16", "h"),
        ("u16", "h"),
    ):
        A(f"cvt.{m}i.{t}.f16", c, "h")
        A(f"cvt.{m}.f16.{t}", "h", c)
    A(f"cvt.{m}.f16.f32", "h", "f")
    if m in ("rn",):
        A(f"cvt.{m}.f16.f64", "h", "d")
    A(f"cvt.{m}i.f32.f32", "f", "f")
    A(f"cvt.{m}i.f64.f64", "d", "d")
    A(f"cvt.{m}i.f16.f16", "h", "h")
for t, c in (("s8", "i"), ("u8", "i")):
    A(f"cvt.rzi.{t}.f32", c, "f")
A("cvt.f64.f32", "d", "f")
A("cvt.ftz.f64.f32", "d", "f")
A("cvt.f32.f16", "f", "h")
A("cvt.f64.f16", "d", "h")
A("cvt.sat.f32.f32", "f", "f")
A("cvt.ftz.sat.f32.f32", "f", "f")
A("cvt.sat.f64.f64", "d", "d")
A("cvt.rn.bf16.f32", "h", "f")
A("cvt.rz.bf16.f32", "h", "f")
A("cvt.rn.relu.bf16.f32", "h", "f")
A("cvt.rz.relu.bf16.f32", "h", "f")
A("cvt.rna.tf32.f32", "i", "f")
A("cvt.rn.relu.f16.f32", "h", "f")
A("cvt.f32.bf16", "f", "h")
A("cvt.rn.f16x2.f32", "i", "ff")
A("cvt.rz.f16x2.f32", "i", "ff")
A("cvt.rn.bf16x2.f32", "i", "ff")
A("cvt.rz.bf16x2.f32", "i", "ff")
A("cvt.rn.relu.f16x2.f32", "i", "ff")
A("cvt.rn.relu.bf16x2.f32", "i", "ff")
for o in ("min", "max"):
    for z in ("", ".ftz"):
        for n in ("", ".NaN"):
            for x in ("", ".xorsign.abs"):
                A(f"{o}{z}{n}{x}.f32", "f", "ff")
    A(f"{o}.f64", "d", "dd")
    for n in ("", ".NaN"):
        A(f"{o}{n}.f16", "h", "hh")
        A(f"{o}{n}.bf16", "h", "hh")
        A(f"{o}.ftz{n}.f16", "h", "hh")
        A(f"{o}{n}.xorsign.abs.f16", "h", "hh")
for z in ("", ".ftz"):
    A(f"add{z}.sat.f32", "f", "ff")
    A(f"mul{z}.sat.f32", "f", "ff")
    A(f"fma.rn{z}.sat.f32", "f", "fff")
    A(f"abs{z}.f32", "f", "f")
    A(f"neg{z}.f32", "f", "f")
    for o in ("add", "sub", "mul"):
        A(f"{o}{z}.f16", "h", "hh")
        A(f"{o}{z}.sat.f16", "h", "hh")
        A(f"{o}{z}.f16x2", "H", "HH")
    A(f"fma.rn{z}.f16", "h", "hhh")
    A(f"fma.rn{z}.sat.f16", "h", "hhh")
    A(f"fma.rn{z}.relu.f16", "h", "hhh")
    A(f"abs{z}.f16", "h", "h")
    A(f"neg{z}.f16", "h", "h")
A("fma.rn.bf16", "h", "hhh")
A("fma.rn.relu.bf16", "h", "hhh")
A("abs.bf16", "h", "h")
A("neg.bf16", "h", "h")
A("add.rn.bf16", "h", "hh")
A("sub.rn.bf16", "h", "hh")
A("mul.rn.bf16", "h", "hh")
A("abs.f64", "d", "d")
A("neg.f64", "d", "d")
for z in ("", ".ftz"):
    A(f"div.approx{z}.f32", "f", "ff")
    A(f"div.full{z}.f32", "f", "ff")
    for o in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
        A(f"{o}.approx{z}.f32", "f", "f")
A("tanh.approx.f32", "f", "f")
A("rcp.approx.ftz.f64", "d", "d")
A("rsqrt.approx.ftz.f64", "d", "d")
A("rsqrt.approx.f64", "d", "d")
A("ex2.approx.f16", "h", "h")
A("tanh.approx.f16", "h", "h")
A("ex2.approx.ftz.bf16", "h", "h")
A("tanh.approx.bf16", "h", "h")
# integers
for o in ("div", "rem"):
    for t, c in (
        ("s32", "i"),
        ("u32", "i"),
        ("s64", "l"),
        ("u64", "l"),
        ("s16", "h"),
        ("u16", "h"),
    ):
        A(f"{o}.{t}", c, c * 2)
for t, c in (("b16", "h"), ("b32", "i"), ("b64", "l")):
    A(f"shl.{t}", c, c + "i")
for t, c in (
    ("u16", "h"),
    ("u32", "i"),
    ("u64", "l"),
    ("s16", "h"),
    ("s32", "i"),
    ("s64", "l"),
):
    A(f"shr.{t}", c, c + "i")
for t, c in (("u32", "i"), ("s32", "i"), ("u64", "l"), ("s64", "l")):
    A(f"bfe.{t}", c, c + "ii")
    A(f"bfind.{t}", "i", c)
    A(f"bfind.shiftamt.{t}", "i", c)
    A(f"mul.hi.{t}", c, c + c)
    A(f"sad.{t}", c, c * 3)
    A(f"min.{t}", c, c * 2)
    A(f"max.{t}", c, c * 2)
A("bfi.b32", "i", "iiii")
A("bfi.b64", "l", "llii")
for o in ("sad.s16", "sad.u16"):
    A(o, "h", "hhh")
for o in ("mul.hi.s16", "mul.hi.u16"):
    A(o, "h", "hh")
for x in ("mul24.lo", "mul24.hi"):
    for t in ("s32", "u32"):
        A(f"{x}.{t}", "i", "ii")
A("mad.hi.sat.s32", "i", "iii")
A("add.sat.s32", "i", "ii")
A("sub.sat.s32", "i", "ii")
A("prmt.b32", "i", "iii")
for x in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
    A(f"prmt.b32.{x}", "i", "iii")
A("fns.b32", "i", "iii")
for x in ("shf.l.clamp", "shf.r.clamp", "shf.l.wrap", "shf.r.wrap"):
    A(f"{x}.b32", "i", "iii")
for x in ("clamp", "wrap"):
    A(f"bmsk.{x}.b32", "i", "ii")
    A(f"szext.{x}.u32", "i", "ii")
    A(f"szext.{x}.s32", "i", "ii")
for a in "su":
    for b in "su":
        A(f"dp4a.{a}32.{b}32", "i", "iii")
        A(f"dp2a.lo.{a}32.{b}32", "i", "iii")
        A(f"dp2a.hi.{a}32.{b}32", "i", "iii")
for t in (0x1E, 0x96, 0xE8, 0xCA, 0x2D):
    add(
        f"lop3.{t:#x}",
        "iii",
        "i",
        'asm volatile("lop3.b32 %%0,%%1,%%2,%%3,%#x;" : "=r"(r) : "r"(a0),"r"(a1),"r"(a2));'
        % t,
    )
A("popc.b64", "i", "l")
A("clz.b64", "i", "l")
A("clz.b32", "i", "i")
A("brev.b64", "l", "l")
A("abs.s32", "i", "i")
A("abs.s64", "l", "l")
A("copysign.f32", "f", "ff")


# plain C
def C(name, args, out, expr):
    add("C:" + name, args, out, "r=(%s);" % expr)


C("a/b int", "ii", "i", "a0/a1")
C("a%b int", "ii", "i", "a0%a1")
C("a/b uint", "ii", "i", "(unsigned)a0/(unsigned)a1")
C("a%b uint", "ii", "i", "(unsigned)a0%(unsigned)a1")
C("a/b ll", "ll", "l", "a0/a1")
C("a%b ll", "ll", "l", "a0%a1")
C("a/b ull", "ll", "l", "(unsigned long long)a0/(unsigned long long)a1")
C("a%b ull", "ll", "l", "(unsigned long long)a0%(unsigned long long)a1")
C("a/b short", "hh", "h", "(short)a0/(short)a1")
C("a<<b", "ii", "i", "a0<<a1")
C("a>>b", "ii", "i", "a0>>a1")
C("a>>b u", "ii", "i", "(unsigned)a0>>a1")
C("a<<b ll", "li", "l", "a0<<a1")
C("a>>b ll", "li", "l", "a0>>a1")
C("a>>b ull", "li", "l", "(unsigned long long)a0>>a1")
C("(int)f", "f", "i", "(int)a0")
C("(unsigned)f", "f", "i", "(unsigned)a0")
C("(ll)f", "f", "l", "(long long)a0")
C("(ull)f", "f", "l", "(unsigned long long)a0")
C("(short)f", "f", "h", "(short)a0")
C("(ushort)f", "f", "h", "(unsigned short)a0")
C("(char)f", "f", "i", "(signed char)a0")
C("(uchar)f", "f", "i", "(unsigned char)a0")
C("(short)d", "d", "h", "(short)a0")
C("(ushort)d", "d", "h", "(unsigned short)a0")
C("(char)d", "d", "i", "(signed char)a0")
C("(uchar)d", "d", "i", "(unsigned char)a0")
C("(int)d", "d", "i", "(int)a0")
C("(unsigned)d", "d", "i", "(unsigned)a0")
C("(ll)d", "d", "l", "(long long)a0")
C("(ull)d", "d", "l", "(unsigned long long)a0")
C("(bool)f", "f", "i", "(bool)a0")
C("a/b f", "ff", "f", "a0/a1")
C("sqrtf", "f", "f", "sqrtf(a0)")
C("a+b f", "ff", "f", "a0+a1")
C("a*b f", "ff", "f", "a0*a1")
C("1/a f", "f", "f", "1.0f/a0")
C("-a f", "f", "f", "-a0")
C("1/sqrtf", "f", "f", "1.0f/sqrtf(a0)")
C("a/b d", "dd", "d", "a0/a1")
C("a+b d", "dd", "d", "a0+a1")
C("a*b d", "dd", "d", "a0*a1")
C("sqrt d", "d", "d", "sqrt(a0)")
C("fmin", "ff", "f", "fminf(a0,a1)")
C("fmax", "ff", "f", "fmaxf(a0,a1)")
C("(double)f", "f", "d", "(double)a0")
C("(float)d", "d", "f", "(float)a0")
C("a<b?a:b", "ff", "f", "a0<a1?a0:a1")
C("f mod", "ff", "f", "fmodf(a0,a1)")
C("min int", "ii", "i", "min(a0,a1)")
C("abs", "i", "i", "abs(a0)")
E = [
    "a0*a1+a2",
    "a0*a1-a2",
    "a2-a0*a1",
    "a2+a0*a1",
    "a0*a1+a2*a3",
    "a0*a1-a2*a3",
    "a0*a1*a2+a3",
    "a3+a0*a1*a2",
    "a0+a1*a2+a3*a0",
    "(a0+a1)*a2+a3",
    "a0*a1+a0",
    "-(a0*a1)+a2",
    "-(a0*a1)-a2",
    "-a0*a1-a2",
    "a0*a1+a2*a3+a0*a2",
    "a0*a0+a1*a1+a2*a2",
    "a0*a1-a2*a3-a0*a2",
    "(a0*a1+a2)*a3+a0",
    "a0*(a1+a2*a3)",
    "a0*a1+(a2*a3+a0*a3)",
    "(a0*a1)*(a2+a3*a0)",
    "a0*a1-(a2-a3*a0)",
    "a0-a1*a2-a3*a0",
    "(a0*a1-a2)-(a3*a2-a0)",
    "a0*2.0F+a1",
    "a0*a1+a2/a3",
    "(a0*a1+a2*a3)/(a0*a0+a1*a1)",
    "a0*a1+1.0F",
    "a0*a1+a2*0.5F",
    "a0*a0-2.0F*a0*a1+a1*a1",
    "(a0-a1)*(a0-a1)+(a2-a3)*(a2-a3)",
]
for e in E:
    C("f " + e, "ffff", "f", e.replace("F", "f"))
    C("d " + e, "dddd", "d", e.replace("F", ""))


def C2(n, stm):
    for T, t in (("float", "f"), ("double", "d")):
        add(f"C:{t} {n}", t * 4, t, stm.replace("T", T))


C2("shared product", "T p=a0*a1; r=(p+a2)*(p-a3);")
C2("shared product2", "T p=a0*a1; r=p+a2; r=r/(p);")
C2("loop dot", "r=0; for(int j=0;j<4;j++) r+=a0*a1, a0=a0+a2, a1=a1-a3;")
C2("select", "T p=a0*a1; if(a2>a3) p=a2*a3; r=p+a0;")
C2("accumulate", "T s=a0*a1; s+=a2*a3; s+=a0*a3; s-=a1*a2; r=s;")
C2("complex re", "r=a0*a2-a1*a3;")
C2("horner", "r=((a0*a1+a2)*a1+a3)*a1+a0;")


# libdevice's functions, name:result:operands; p is a pointer to a result, whose type
# POINTERS names (norm and rnorm take a count and a pointer to operands instead).
POINTERS = {
    "frexp": "i",
    "frexpf": "i",
    "modf": "d",
    "modff": "f",
    "remquo": "i",
    "remquof": "i",
    "sincos": "dd",
    "sincospi": "dd",
    "sincosf": "ff",
    "sincospif": "ff",
    "fast_sincosf": "ff",
}
LIBDEVICE = """
clz:i:i clzll:i:l popc:i:i popcll:i:l byte_perm:i:iii min:i:ii umin:i:ii llmin:l:ll
ullmin:l:ll max:i:ii umax:i:ii llmax:l:ll ullmax:l:ll mulhi:i:ii umulhi:i:ii
mul64hi:l:ll umul64hi:l:ll mul24:i:ii umul24:i:ii brev:i:i brevll:l:l sad:i:iii
usad:i:iii abs:i:i llabs:l:l floorf:f:f floor:d:d fabsf:f:f fabs:d:d rcp64h:d:d
fminf:f:ff fmaxf:f:ff rsqrtf:f:f fmin:d:dd fmax:d:dd rsqrt:d:d ceil:d:d trunc:d:d
exp2f:f:f truncf:f:f ceilf:f:f saturatef:f:f fmaf_rn:f:fff fmaf_rz:f:fff fmaf_rd:f:fff
fmaf_ru:f:fff fmaf_ieee_rn:f:fff fmaf_ieee_rz:f:fff fmaf_ieee_rd:f:fff
fmaf_ieee_ru:f:fff fma_rn:d:ddd fma_rz:d:ddd fma_rd:d:ddd fma_ru:d:ddd
fast_fdividef:f:ff fdiv_rn:f:ff fdiv_rz:f:ff fdiv_rd:f:ff fdiv_ru:f:ff frcp_rn:f:f
frcp_rz:f:f frcp_rd:f:f frcp_ru:f:f fsqrt_rn:f:f fsqrt_rz:f:f fsqrt_rd:f:f fsqrt_ru:f:f
ddiv_rn:d:dd ddiv_rz:d:dd ddiv_rd:d:dd ddiv_ru:d:dd drcp_rn:d:d drcp_rz:d:d drcp_rd:d:d
drcp_ru:d:d dsqrt_rn:d:d dsqrt_rz:d:d dsqrt_rd:d:d dsqrt_ru:d:d sqrtf:f:f sqrt:d:d
dadd_rn:d:dd dadd_rz:d:dd dadd_rd:d:dd dadd_ru:d:dd dmul_rn:d:dd dmul_rz:d:dd
dmul_rd:d:dd dmul_ru:d:dd fadd_rd:f:ff fadd_ru:f:ff fmul_rd:f:ff fmul_ru:f:ff
fadd_rn:f:ff fadd_rz:f:ff fmul_rn:f:ff fmul_rz:f:ff double2float_rn:f:d
double2float_rz:f:d double2float_rd:f:d double2float_ru:f:d double2int_rn:i:d
double2int_rz:i:d double2int_rd:i:d double2int_ru:i:d double2uint_rn:i:d
double2uint_rz:i:d double2uint_rd:i:d double2uint_ru:i:d int2double_rn:d:i
uint2double_rn:d:i float2int_rn:i:f float2int_rz:i:f float2int_rd:i:f float2int_ru:i:f
float2uint_rn:i:f float2uint_rz:i:f float2uint_rd:i:f float2uint_ru:i:f
int2float_rn:f:i int2float_rz:f:i int2float_rd:f:i int2float_ru:f:i uint2float_rn:f:i
uint2float_rz:f:i uint2float_rd:f:i uint2float_ru:f:i hiloint2double:d:ii
double2loint:i:d double2hiint:i:d float2ll_rn:l:f float2ll_rz:l:f float2ll_rd:l:f
float2ll_ru:l:f float2ull_rn:l:f float2ull_rz:l:f float2ull_rd:l:f float2ull_ru:l:f
double2ll_rn:l:d double2ll_rz:l:d double2ll_rd:l:d double2ll_ru:l:d double2ull_rn:l:d
double2ull_rz:l:d double2ull_rd:l:d double2ull_ru:l:d ll2float_rn:f:l ll2float_rz:f:l
ll2float_rd:f:l ll2float_ru:f:l ull2float_rn:f:l ull2float_rz:f:l ull2float_rd:f:l
ull2float_ru:f:l ll2double_rn:d:l ll2double_rz:d:l ll2double_rd:d:l ll2double_ru:d:l
ull2double_rn:d:l ull2double_rz:d:l ull2double_rd:d:l ull2double_ru:d:l
float2half_rn:h:f half2float:f:h int_as_float:f:i float_as_int:i:f uint_as_float:f:i
float_as_uint:i:f longlong_as_double:d:l double_as_longlong:l:d fast_sinf:f:f
fast_cosf:f:f fast_log2f:f:f fast_logf:f:f fast_expf:f:f fast_tanhf:f:f tanhf:f:f
fast_tanf:f:f fast_sincosf:v:fpp fast_exp10f:f:f fast_log10f:f:f fast_powf:f:ff
hadd:i:ii rhadd:i:ii uhadd:i:ii urhadd:i:ii fsub_rn:f:ff fsub_rz:f:ff fsub_rd:f:ff
fsub_ru:f:ff frsqrt_rn:f:f ffs:i:i ffsll:i:l rintf:f:f llrintf:l:f nearbyintf:f:f
isnanf:i:f signbitf:i:f copysignf:f:ff finitef:i:f isinff:i:f nextafterf:f:ff sinf:f:f
cosf:f:f sincosf:v:fpp sinpif:f:f cospif:f:f sincospif:v:fpp tanf:f:f log2f:f:f
expf:f:f exp10f:f:f coshf:f:f sinhf:f:f atan2f:f:ff atanf:f:f asinf:f:f acosf:f:f
logf:f:f log10f:f:f log1pf:f:f acoshf:f:f asinhf:f:f atanhf:f:f expm1f:f:f hypotf:f:ff
rhypotf:f:ff norm3df:f:fff rnorm3df:f:fff norm4df:f:ffff rnorm4df:f:ffff normf:f:ip
rnormf:f:ip cbrtf:f:f rcbrtf:f:f j0f:f:f j1f:f:f y0f:f:f y1f:f:f ynf:f:if jnf:f:if
cyl_bessel_i0f:f:f cyl_bessel_i1f:f:f erff:f:f erfinvf:f:f erfcf:f:f erfcxf:f:f
erfcinvf:f:f normcdfinvf:f:f normcdff:f:f lgammaf:f:f ldexpf:f:fi scalbnf:f:fi
frexpf:f:fp modff:f:fp fmodf:f:ff remainderf:f:ff remquof:f:ffp fmaf:f:fff powif:f:fi
powi:d:di powf:f:ff tgammaf:f:f roundf:f:f llroundf:l:f fdimf:f:ff ilogbf:i:f logbf:f:f
rint:d:d llrint:l:d nearbyint:d:d signbitd:i:d isfinited:i:d isinfd:i:d isnand:i:d
copysign:d:dd sincos:v:dpp sincospi:v:dpp sin:d:d cos:d:d sinpi:d:d cospi:d:d tan:d:d
log:d:d log2:d:d log10:d:d log1p:d:d exp:d:d exp2:d:d exp10:d:d expm1:d:d cosh:d:d
sinh:d:d tanh:d:d atan2:d:dd atan:d:d asin:d:d acos:d:d acosh:d:d asinh:d:d atanh:d:d
hypot:d:dd rhypot:d:dd norm3d:d:ddd rnorm3d:d:ddd norm4d:d:dddd rnorm4d:d:dddd
norm:d:ip rnorm:d:ip cbrt:d:d rcbrt:d:d pow:d:dd j0:d:d j1:d:d y0:d:d y1:d:d yn:d:id
jn:d:id cyl_bessel_i0:d:d cyl_bessel_i1:d:d erf:d:d erfinv:d:d erfcinv:d:d
normcdfinv:d:d erfc:d:d erfcx:d:d normcdf:d:d tgamma:d:d lgamma:d:d ldexp:d:di
scalbn:d:di frexp:d:dp modf:d:dp fmod:d:dd remainder:d:dd remquo:d:ddp nextafter:d:dd
round:d:d llround:l:d ilogb:i:d logb:d:d fma:d:ddd dsub_rn:d:dd dsub_rz:d:dd
dsub_ru:d:dd dsub_rd:d:dd fdim:d:dd"""

declarations = {}  # of libdevice's functions, by name


def libdevice(name, result, operands):
    full = "__nv_" + name
    if name in ("norm", "rnorm", "normf", "rnormf"):
        t = "f" if name.endswith("f") else "d"
        declarations[full] = f"{CT[t]} {full}(int, const {CT[t]} *);"
        text = f"{CT[t]} v[4] = {{a0, a1, a2, a3}}; r = {full}(4, v);"
        add("L:" + name, t * 4, t, text, "libdevice")
        return
    pointers = POINTERS.get(name, "")
    ins, call, types, before, n = "", [], [], "", 0
    for c in operands:
        if c == "p":
            before += f"{CT[pointers[n]]} q{n} = 0; "
            call.append(f"&q{n}")
            types.append(CT[pointers[n]] + " *")
            n += 1
            continue
        if c == "i" and name.rstrip("f") in ("jn", "yn"):
            c = "n"
        if c == "i" and name.rstrip("f") in ("ldexp", "scalbn"):
            c = "e"
        call.append(f"a{len(ins)}")
        types.append(CT[c])
        ins += c
    returns = "void" if result == "v" else CT[result]
    declarations[full] = f"{returns} {full}({', '.join(types)});"
    text = f"{full}({', '.join(call)})"
    if result != "v":
        add("L:" + name, ins, result, f"{before}r = {text};", "libdevice")
    for k, t in enumerate(pointers):
        add(f"L:{name}.{k}", ins, t, f"{before}{text}; r = q{k};", "libdevice")


for word in LIBDEVICE.split():
    libdevice(*word.split(":"))

for module in contractions, divisions, flushes:
    module.add_to(add)
