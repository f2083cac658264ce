# SPDX-License-Identifier: Apache-2.0
"""The patterns of forms.py, whose head says how they are written, by chapter."""
import itertools

I = "<u16|u32|u64|s16|s32|s64>"
W = "<u32|s32>"
M = "{.rn,.rz,.rm,.rp}"
MO = "{,.rn,.rz,.rm,.rp}"
RI = "{.rni,.rzi,.rmi,.rpi}"
CI = "{.eq,.ne,.lt,.le,.gt,.ge,.lo,.ls,.hi,.hs}"
CF = "{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}"
BOOL = "{.and,.or,.xor}"
BITS = "<b16|b32|b64>"
ALL = "<b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64|f16|bf16|f16x2|bf16x2>"
HALF = "<f16|f16x2|bf16|bf16x2>"
SCOPE = "{.cta,.cluster,.gpu,.sys}"
SCOPE_O = "{,.cta,.cluster,.gpu,.sys}"
MEM = "<b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64>"
SPACES = {"": "A", ".global": "G", ".shared": "S", ".shared::cta": "S", ".shared::cluster": "S"}

integer = f"""
{{add,sub}}{I} 0:00
{{add,sub,min,max}}<u16x2|s16x2> 0:00
{{add,sub}}.sat{I} 0:00
{{mul}}{{.lo,.hi}}{I} 0:00
mul.wide<u16|s16> r:00
mul.wide<u32|s32> l:00
{{mad}}{{.lo,.hi}}{{,.sat}}{I} 0:000
mad.wide<u16|s16> r:00r
mad.wide<u32|s32> l:00l
mul24{{.lo,.hi}}{W} 0:00
mad24{{.lo,.hi}}{{,.sat}}{W} 0:000
sad{I} 0:000
{{div,rem,min,max}}{I} 0:00
{{min,max}}.relu<s16|s32|s64|s16x2|u16x2|u32> 0:00
{{abs,neg}}<s16|s32|s64|u32> 0:0
{{popc,clz}}<b32|b64|u32|s32> r:0
brev<b32|b64> 0:0
bfind{{,.shiftamt}}<u32|u64|s32|s64> r:0
fns<b32> r:rrr
bfe<u32|u64|s32|s64> 0:0rr
bfi<b32|b64> 0:00rr
bmsk{{.clamp,.wrap}}<b32> r:rr
szext{{.clamp,.wrap}}{W} 0:0r
prmt<b32>{{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}} r:rrr
dp4a{W}{W} r:rrr
dp2a{{.lo,.hi}}{W}{W} r:rrr
{{and,or,xor}}<pred|b16|b32|b64> 0:00
not<pred|b16|b32|b64> 0:0
cnot<b16|b32|b64> 0:0
lop3<b32> r:rrrn
lop3{{.or,.and}}<b32> R:rrrnp
{{shl,shr}}<b16|b32|b64|u16|u32|u64|s16|s32|s64> 0:0r
shf{{.l,.r}}{{.clamp,.wrap}}<b32> r:rrr
"""

carry = """
{add,sub,addc,subc}{,.cc}<u32|s32|u64|s64> 0:00
{mad,madc}{.lo,.hi}{,.cc}<u32|s32|u64|s64> 0:000
"""

floats = f"""
{{add,sub,mul}}{MO}{{,.ftz}}{{,.sat}}<f32|f64> 0:00
{{fma,mad}}{MO}{{,.ftz}}{{,.sat}}<f32|f64> 0:000
{{add,sub}}{MO}{{,.sat}}<f32><f16|bf16> 0:10
{{fma}}{M}{{,.sat}}<f32><f16|bf16> 0:110
div{{.approx,.full,.rn,.rz,.rm,.rp}}{{,.ftz}}<f32|f64> 0:00
{{rcp,sqrt}}{{.approx,.rn,.rz,.rm,.rp}}{{,.ftz}}<f32|f64> 0:0
rsqrt.approx{{,.ftz}}<f32|f64> 0:0
{{sin,cos,lg2,ex2}}.approx{{,.ftz}}<f32> 0:0
tanh.approx<f32|f16|f16x2|bf16|bf16x2> 0:0
ex2.approx{{,.ftz}}{HALF} 0:0
{{min,max}}{{,.ftz}}{{,.NaN}}{{,.xorsign.abs}}<f32|f64> 0:00
{{min,max}}{{,.ftz}}{{,.NaN}}{{,.abs}}<f32> 0:000
{{neg,abs}}{{,.ftz}}<f32|f64> 0:0
copysign<f32|f64> 0:00
testp{{.finite,.infinite,.number,.notanumber,.normal,.subnormal}}<f32|f64> p:0
{{add,sub,mul}}{{,.rn}}{{,.ftz}}{{,.sat}}{HALF} 0:00
fma.rn{{,.ftz}}{{,.sat,.relu,.oob,.oob.relu}}{HALF} 0:000
{{min,max}}{{,.ftz}}{{,.NaN}}{{,.xorsign.abs}}{HALF} 0:00
{{neg,abs}}{{,.ftz}}{HALF} 0:0
"""

compare = f"""
setp{CI}{{,{BOOL[1:-1]}}}{I} P:00B
setp{CI}<b16|b32|b64> p:00
setp{CF}{{,{BOOL[1:-1]}}}{{,.ftz}}<f32|f64> P:00B
setp{CF}{{,{BOOL[1:-1]}}}{{,.ftz}}<f16|bf16> p:00B
setp{CF}<f16|bf16> P:00
setp{CF}{{,{BOOL[1:-1]}}}{{,.ftz}}<f16x2|bf16x2> P:00B
set{CI}{{,.and,.or,.xor}}<u32|s32|f32|f16>{I} 0:11B
set{{.eq,.ne}}<u32|s32|f32>{BITS} 0:11
set{CF}{{,.and,.or,.xor}}{{,.ftz}}<u32|s32|f32><f32|f64> 0:11B
set{CF}{{,.and,.xor}}{{,.ftz}}<u16|s16|u32|s32|f16|bf16><f16|bf16> 0:11B
set{CF}{{,.or}}{{,.ftz}}<u32|s32|f16x2|bf16x2><f16x2|bf16x2> 0:11B
selp{ALL} 0:00p
slct{{,.ftz}}<b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64><s32|f32> 0:001
"""

NUM = "<u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64>"
convert = f"""
cvt{{,{RI[1:-1]},{M[1:-1]}}}{{,.ftz}}{{,.sat}}{NUM}{NUM} 0:1
cvt{{.rn,.rz,.rna}}{{,.satfinite}}{{,.relu}}<f16|bf16|tf32><f32> 0:1
cvt{{.rn,.rz}}{{,.satfinite}}{{,.relu}}<f16x2|bf16x2><f32> 0:11
cvt{{.rn}}.satfinite{{,.relu}}<e4m3x2|e5m2x2><f32> 0:11
cvt{{.rn}}.satfinite{{,.relu}}<e4m3x2|e5m2x2><f16x2> 0:1
cvt{{.rn}}{{,.relu}}<f16x2><e4m3x2|e5m2x2> 0:1
cvt.pack.sat<u16|s16|u8|s8><s32> r:11
cvt.pack.sat<u8|s8|u16|s16|u4|s4|u2|s2><s32><b32> r:11r
"""

V = "<u32|s32>"
video = f"""
{{vadd,vsub,vabsdiff,vmin,vmax}}{V}{V}{V}{{,.sat}} r:rr
{{vadd,vsub,vabsdiff,vmin,vmax}}{V}{V}{V}{{,.sat}}{{.add,.min,.max}} r:rrr
{{vshl,vshr}}{V}{V}<u32>{{,.sat}}{{.clamp,.wrap}} r:rr
{{vshl,vshr}}{V}{V}<u32>{{,.sat}}{{.clamp,.wrap}}{{.add,.min,.max}} r:rrr
vset{V}{V}{{.eq,.ne,.lt,.le,.gt,.ge}} r:rr
vset{V}{V}{{.eq,.ne,.lt,.le,.gt,.ge}}{{.add,.min,.max}} r:rrr
vmad{V}{V}{V}{{,.po}}{{,.sat}}{{,.shr7,.shr15}} r:rrr
{{vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2,vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}}{V}{V}{V}{{,.sat,.add}} r:rrr
{{vset2,vset4}}{V}{V}{{.eq,.ne,.lt,.le,.gt,.ge}}{{,.add}} r:rrr
"""

move = f"""
mov<pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f16|bf16|f16x2|bf16x2|f32|f64> 0:0
mov<b32> 0:{{hh}}
mov<b64> 0:{{rr}}
mov<b64> 0:{{hhhh}}
mov<b128> 0:{{ll}}
mov<b32> {{hh}}:0
mov<b64> {{rr}}:0
mov<b64> {{hhhh}}:0
mov<b128> {{ll}}:0
cvta{{,.to}}{{.global,.shared,.local,.const,.shared::cta,.shared::cluster,.param,.param::entry}}<u64> l:l
isspacep{{.global,.shared,.local,.const,.shared::cta,.shared::cluster,.param,.param::entry}} p:l
mapa{{,.shared::cluster}}<u32|u64> 0:0r
getctarank{{,.shared::cluster}}<u32|u64> r:0
"""

warp = """
shfl.sync{.up,.down,.bfly,.idx}<b32> r:rrnM
shfl.sync{.up,.down,.bfly,.idx}<b32> R:rrnM
vote.sync{.all,.any,.uni}<pred> p:pM
vote.sync.ballot<b32> r:pM
match.any.sync<b32|b64> r:0M
match.all.sync<b32|b64> r:0M
match.all.sync<b32|b64> R:0M
redux.sync{.add,.min,.max,.and,.or,.xor}<u32|s32|b32> r:0M
redux.sync{.min,.max}{,.abs}{,.NaN}<f32> f:0M
elect.sync R:M
activemask<b32> r:
bar{,.cta}.sync :n
bar{,.cta}.sync :nN
bar{,.cta}.arrive :nN
bar{,.cta}.red.popc<u32> r:np
bar{,.cta}.red.popc<u32> r:nNp
bar{,.cta}.red{.and,.or}<pred> p:np
bar{,.cta}.red{.and,.or}<pred> p:nNp
bar.warp.sync :M
barrier{,.cta}.sync{,.aligned} :n
barrier{,.cta}.sync{,.aligned} :nN
barrier{,.cta}.arrive{,.aligned} :nN
barrier{,.cta}.red.popc{,.aligned}<u32> r:np
barrier{,.cta}.red.popc{,.aligned}<u32> r:nNp
barrier{,.cta}.red{.and,.or}{,.aligned}<pred> p:np
barrier{,.cta}.red{.and,.or}{,.aligned}<pred> p:nNp
barrier.cluster.arrive{,.release,.relaxed}{,.aligned} :
barrier.cluster.wait{,.acquire}{,.aligned} :
"""


def spaced(text, spaces=SPACES, letter="@"):
    """A pattern for each space: $ is the space's modifier, @ its address."""
    out = []
    for line in text.strip().splitlines():
        for space, address in spaces.items():
            out.append(line.replace("$", space).replace(letter, address))
    return "\n".join(out) + "\n"


LDSPACES = dict(SPACES, **{".const": "C", ".local": "L"})
STSPACES = dict(SPACES, **{".local": "L"})
HINT1 = "{,.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}"
memory = (
    spaced(f"""
ld{{,.weak,.volatile}}${MEM} 0:@
ld{{.ca,.cg,.cs,.lu,.cv}}$<u32|s8|f64> 0:@
ld$.ca.v2<b32|f64> v2 0:@
ld${{.v2,.v4}}{MEM} V0:@
ld.volatile${{.v2,.v4}}<b32|u8> V0:@
""".replace("v2 0", "V0"), LDSPACES)
    + spaced(f"""
st{{,.weak,.volatile}}${MEM} :@0
st{{.wb,.cg,.cs,.wt}}$<u32|s8|f64> :@0
st${{.v2,.v4}}{MEM} :@V0
st.volatile${{.v2,.v4}}<b32|u8> :@V0
""", STSPACES)
    + spaced(f"""
ld{{.relaxed,.acquire}}{SCOPE}${MEM} 0:@
ld{{.relaxed,.acquire}}{SCOPE}$.v2<b32|u64> V0:@
ld.mmio.relaxed.sys$<b8|u16|s32|b64|f32> 0:@
st{{.relaxed,.release}}{SCOPE}${MEM} :@0
st{{.relaxed,.release}}{SCOPE}$.v2<b32|u64> :@V0
st.mmio.relaxed.sys$<b8|u16|s32|b64|f32> :@0
""")
    + f"""
ld.global{{,.ca,.cg,.cs}}.nc{HINT1}{{,.L2::64B,.L2::128B,.L2::256B}}<b32|f64|u8> 0:G
ld.global.nc{HINT1}{{,.L2::128B}}{{.v2,.v4}}<b32|f32|u64> V0:G
ld.global{HINT1}{{,.L2::64B,.L2::128B,.L2::256B}}<b32|s16> 0:G
ld.global{{.L2::cache_hint,.L1::no_allocate.L2::cache_hint,.nc.L2::cache_hint}}<b32> 0:Gl
ld.relaxed.gpu.global{HINT1}{{,.L2::128B}}<b32> 0:G
st.global{HINT1}<b32|u8> :G0
st.global{{,.L1::no_allocate}}.L2::cache_hint<b32> :G0l
st.relaxed.gpu.global{HINT1}<b32> :G0
ld.global{{,.nc}}{{.L2::evict_first,.L2::evict_last,.L2::evict_normal}}.v4<b64> V0:G
ldu{{,.global}}{MEM} 0:G
ldu{{,.global}}{{.v2,.v4}}<b32|f32|u8> V0:G
ld.param<u32> 0:G
"""
)

ORDER = "{,.relaxed,.acquire,.release,.acq_rel}"
ATOMS = [
    ("{.and,.or,.xor}<b32|b64|u32|s32>", "0", 1),
    ("{.exch}<b32|b64|b128|u32|s32|f32|u64|s64|f64>", "0", 1),
    ("{.add}<u32|s32|u64|s64|f32|f64>", "0", 1),
    ("{.inc,.dec}<u32>", "0", 1),
    ("{.min,.max}<u32|s32|u64|s64|f32>", "0", 1),
    ("{.cas}<b16|b32|b64|b128|u32|s32|u64|s64>", "0", 2),
    ("{.add}.noftz<f16|f16x2|bf16|bf16x2>", "0", 1),
]
VECTORS = [
    ("{.add}{.v2,.v4}<f32>", "V0", 1),
    ("{.add,.min,.max}.noftz{.v2,.v4,.v8}<f16|bf16>", "V0", 1),
    ("{.add,.min,.max}.noftz{.v2,.v4}<f16x2|bf16x2>", "V0", 1),
]


def atomics():
    out = ""
    for order, scope in (("", ""), (ORDER, "{,.gpu}"), ("{.relaxed,.acq_rel}", SCOPE)):
        for op, value, n in ATOMS:
            out += spaced(f"atom{order}{scope}${op} {value}:@{value * n}")
            if n == 1 and "exch" not in op:
                out += spaced(f"red{order}{scope}${op} :@{value}")
    for op, value, n in VECTORS:
        out += f"atom{{,.relaxed,.acq_rel}}{{,.gpu,.sys}}.global{op} {value}:G{value}\n"
        out += f"red{{,.relaxed,.release}}{{,.gpu,.cta}}.global{op} :G{value}\n"
    out += "atom.global.add.L2::cache_hint<u32|f32> 0:G0l\n"
    out += "atom.global.cas.L2::cache_hint<b32> 0:G00l\n"
    out += "red.global.add.L2::cache_hint<u32|f32> :G0l\n"
    return out


asynchronous = """
membar{.cta,.gl,.sys} :
fence{,.sc,.acq_rel,.acquire,.release}{.cta,.cluster,.gpu,.sys} :
fence.proxy{.alias,.async,.async.global,.async.shared::cta,.async.shared::cluster} :
fence.mbarrier_init.release.cluster :
fence.acquire.sync_restrict::shared::cluster.cluster :
fence.release.sync_restrict::shared::cta.cluster :
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster :
fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster :
fence.proxy.tensormap::generic.release{.cta,.cluster,.gpu,.sys} :
fence.proxy.tensormap::generic.acquire{.cta,.cluster,.gpu,.sys} :Gn
prefetch{,.global,.local}{.L1,.L2} :G
prefetch.global{.L2::evict_last,.L2::evict_normal} :G
prefetchu.L1 :A
discard{,.global}.L2 :Gn
applypriority{,.global}.L2::evict_normal :Gn
createpolicy.range{,.global}{.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged}<b64> l:Grr
createpolicy.range{,.global}{.L2::evict_last,.L2::evict_first}{.L2::evict_unchanged,.L2::evict_first}<b64> l:Grr
createpolicy.fractional{.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged}<b64> l:
createpolicy.fractional{.L2::evict_last,.L2::evict_first}{,.L2::evict_unchanged}<b64> l:f
createpolicy.cvt.L2<b64> l:l
cp.async.ca{.shared,.shared::cta}.global{,.L2::64B,.L2::128B,.L2::256B} :SGn
cp.async.ca{.shared,.shared::cta}.global{,.L2::64B} :SGnr
cp.async.ca{.shared,.shared::cta}.global{,.L2::64B} :SGnp
cp.async.cg{.shared,.shared::cta}.global{,.L2::64B,.L2::128B,.L2::256B} :SGK
cp.async.cg{.shared,.shared::cta}.global{,.L2::64B} :SGKr
cp.async.cg{.shared,.shared::cta}.global{,.L2::64B} :SGKp
cp.async.ca.shared.global.L2::cache_hint :SGnl
cp.async.ca.shared.global.L2::cache_hint :SGnrl
cp.async.commit_group :
cp.async.wait_group :n
cp.async.wait_all :
cp.async.mbarrier.arrive{,.noinc}{,.shared,.shared::cta}<b64> :S
cp.async.bulk{.shared::cluster,.shared::cta}.global.mbarrier::complete_tx::bytes :SGrS
cp.async.bulk{.shared::cluster,.shared::cta}.global.mbarrier::complete_tx::bytes.L2::cache_hint :SGrSl
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes :SSrS
cp.async.bulk.global.shared::cta.bulk_group :GSr
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint :GSrl
cp.async.bulk.commit_group :
cp.async.bulk.wait_group{,.read} :n
cp.async.bulk.prefetch.L2.global :Gr
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{.and,.or,.xor,.add,.inc,.dec,.min,.max}<s32|u32|s64|u64|b32|b64> :SSrS
cp.reduce.async.bulk.global.shared::cta.bulk_group{.and,.or,.xor,.add,.inc,.dec,.min,.max}<s32|u32|s64|u64|b32|b64|f16|bf16|f32|f64> :GSr
cp.reduce.async.bulk.global.shared::cta.bulk_group{.add}.noftz<f16|bf16> :GSr
cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint{.add,.max}<u32|f32> :GSrl
mbarrier.init{,.shared,.shared::cta}<b64> :Sr
mbarrier.inval{,.shared,.shared::cta}<b64> :S
mbarrier.expect_tx{,.relaxed.cta,.relaxed.cluster,.relaxed}{,.shared,.shared::cta,.shared::cluster}<b64> :Sr
mbarrier.complete_tx{,.relaxed.cta,.relaxed.cluster}{,.shared,.shared::cta,.shared::cluster}<b64> :Sr
mbarrier{.arrive,.arrive_drop}{,.release.cta,.release.cluster,.relaxed.cta}{,.shared,.shared::cta}<b64> l:S
mbarrier{.arrive,.arrive_drop}{,.release.cta,.release.cluster}{,.shared,.shared::cta}<b64> l:Sr
mbarrier{.arrive,.arrive_drop}.noComplete{,.release.cta}{,.shared,.shared::cta}<b64> l:Sr
mbarrier{.arrive,.arrive_drop}.expect_tx{,.release.cta,.relaxed.cta}{,.shared,.shared::cta}<b64> l:Sr
mbarrier{.arrive,.arrive_drop}{,.release.cta,.release.cluster}.shared::cluster<b64> _:S
mbarrier{.arrive,.arrive_drop}{,.release.cta,.release.cluster}.shared::cluster<b64> _:Sr
mbarrier{.arrive,.arrive_drop}.expect_tx{,.release.cluster}.shared::cluster<b64> _:Sr
mbarrier.pending_count<b64> r:l
mbarrier{.test_wait,.try_wait}{,.acquire.cta,.acquire.cluster,.relaxed.cta}{,.shared,.shared::cta}<b64> p:Sl
mbarrier{.test_wait,.try_wait}.parity{,.acquire.cta,.acquire.cluster,.relaxed.cta}{,.shared,.shared::cta}<b64> p:Sr
mbarrier.try_wait{,.acquire.cta}{,.shared,.shared::cta}<b64> p:Slr
mbarrier.try_wait.parity{,.acquire.cta}{,.shared,.shared::cta}<b64> p:Srr
st.async{,.weak}{,.shared::cluster}.mbarrier::complete_tx::bytes<b32|b64|u32|u64|s32|s64|f32|f64> :S0S
st.async{,.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}<b32|b64|u32|f32|f64> :SV0S
red.async.relaxed.cluster{,.shared::cluster}.mbarrier::complete_tx::bytes{.inc,.dec,.min,.max,.add,.and,.or,.xor}<u32|s32|b32|u64> :S0S
griddepcontrol{.launch_dependents,.wait} :
nanosleep<u32> :r
exit :
trap :
brkpt :
pmevent :n
pmevent.mask :n
"""

SPECIALS = """tid.x ntid.y ctaid.z nctaid.x tid.w laneid warpid nwarpid smid nsmid gridid
clusterid.x nclusterid.y cluster_ctaid.z cluster_nctaid.x cluster_ctarank cluster_nctarank
lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge clock clock_hi globaltimer_lo
globaltimer_hi pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7 envreg0 envreg1 envreg2 envreg3 envreg31
total_smem_size dynamic_smem_size aggr_smem_size reserved_smem_offset_begin
reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0
reserved_smem_offset_1""".split()
SPECIALS64 = "clock64 globaltimer pm0_64 pm7_64 current_graph_exec gridid".split()


def tensor():
    """Products, loads and stores of matrices, with as many registers as their parts take."""
    def regs(kind, n):
        return "{" + {"f32": "f", "f64": "d"}.get(kind, "r") * n + "}"

    lines = []

    def product(head, d, a, b, c, n_d, n_a, n_b, n_c):
        of = regs(d, n_d), regs(a, n_a), regs(b, n_b), regs(c, n_c)
        lines.append("%s %s:%s%s%s" % ((head,) + of))

    def accumulator(kind, n):
        return n // 2 if kind == "f16" else n

    layouts, floats = "{.row,.col}{.row,.col}", ("f16", "f32")
    for d, c in itertools.product(floats, floats):
        product(f"mma.sync.aligned.m8n8k4{layouts}.{d}.f16.f16.{c}", d, "r", "r", c,
                accumulator(d, 8), 2, 2, accumulator(c, 8))
        for k, n in ((8, 2), (16, 4)):
            product(f"mma.sync.aligned.m16n8k{k}{layouts}.{d}.f16.f16.{c}", d, "r", "r", c,
                    accumulator(d, 4), n, n // 2, accumulator(c, 4))
            product(f"mma.sync.aligned.m16n8k{2 * k}.row.col.{d}{{.e4m3,.e5m2}}{{.e4m3,.e5m2}}.{c}", d, "r", "r", c,
                    accumulator(d, 4), n, n // 2, accumulator(c, 4))
        for shape in ("m16n16k16", "m32n8k16", "m8n32k16"):
            product(f"wmma.mma.sync.aligned{layouts}.{shape}.{d}.{c}", d, "r", "r", c,
                    accumulator(d, 8), 8, 8, accumulator(c, 8))
    for k, n in ((8, 2), (16, 4)):
        product(f"mma.sync.aligned.m16n8k{k}{layouts}.f32.bf16.bf16.f32", "f32", "r", "r", "f32", 4, n, n // 2, 4)
        product(f"mma.sync.aligned.m16n8k{k // 2}{layouts}.f32.tf32.tf32.f32", "f32", "r", "r", "f32", 4, n, n // 2, 4)
    for k, n in ((4, 2), (8, 4), (16, 8)):
        product(f"mma.sync.aligned.m16n8k{k}.row.col{MO}.f64.f64.f64.f64", "f64", "f64", "f64", "f64", 4, n, n // 2, 4)
    for head in (f"mma.sync.aligned.m8n8k4.row.col{MO}", f"wmma.mma.sync.aligned{layouts}.m8n8k4{MO}"):
        product(f"{head}.f64.f64.f64.f64", "f64", "f64", "f64", "f64", 2, 1, 1, 2)
    for bits, kinds in ((8, "{.s8,.u8,.s4}"), (4, "{.s4,.u4}")):
        for m, k, d, a, b in ((8, 16, 2, 1, 1), (16, 16, 4, 2, 1), (16, 32, 4, 4, 2)):
            product(f"mma.sync.aligned.m{m}n8k{k * 8 // bits}.row{{.col,.row}}{{,.satfinite}}.s32{kinds}{kinds}.s32",
                    "r", "r", "r", "r", d, a, b, d)
    for m, k, d, a, b in ((8, 128, 2, 1, 1), (16, 128, 4, 2, 1), (16, 256, 4, 4, 2)):
        product(f"mma.sync.aligned.m{m}n8k{k}.row.col.s32.b1.b1.s32{{.xor,.and,.or}}.popc", "r", "r", "r", "r", d, a, b, d)
    for shape, a, b in (("m16n16k16", 4, 4), ("m32n8k16", 8, 2), ("m8n32k16", 2, 8)):
        product(f"wmma.mma.sync.aligned{layouts}.{shape}.f32.bf16.bf16.f32", "f32", "r", "r", "f32", 8, a, b, 8)
        for one in ("u8", "s8"):
            product(f"wmma.mma.sync.aligned{layouts}.{shape}.s32.{one}.{one}.s32{{,.satfinite}}",
                    "r", "r", "r", "r", 8, a // 2, b // 2, 8)
        for kind, n_a, n_b in (("f16", 8, 8), ("bf16", a, b), ("s8", a // 2, b // 2), ("u8", a // 2, b // 2)):
            for of, n in (("a", n_a), ("b", n_b)):
                lines.append(f"wmma.load.{of}.sync.aligned{{.row,.col}}.{shape}{{,.global}}.{kind} {regs('r', n)}:A")
                lines.append(f"wmma.load.{of}.sync.aligned{{.row,.col}}.{shape}.shared.{kind} {regs('r', n)}:Sr")
        for kind in ("f16", "f32", "s32"):
            part = regs(kind, accumulator(kind, 8))
            lines.append(f"wmma.load.c.sync.aligned{{.row,.col}}.{shape}{{,.global}}.{kind} {part}:Ar")
            lines.append(f"wmma.store.d.sync.aligned{{.row,.col}}.{shape}{{,.global}}.{kind} :A{part}r")
            lines.append(f"wmma.store.d.sync.aligned{{.row,.col}}.{shape}{{.shared,.shared::cta}}.{kind} :S{part}")
    product(f"wmma.mma.sync.aligned{layouts}.m16n16k8.f32.tf32.tf32.f32", "f32", "r", "r", "f32", 8, 4, 4, 8)
    for one in ("s4", "u4"):
        product(f"wmma.mma.sync.aligned{layouts}.m8n8k32.s32.{one}.{one}.s32{{,.satfinite}}", "r", "r", "r", "r", 2, 1, 1, 2)
    product(f"wmma.mma{{.xor,.and}}.popc.sync.aligned{layouts}.m8n8k128.s32.b1.b1.s32", "r", "r", "r", "r", 2, 1, 1, 2)
    for shape, kind, n in (("m16n16k8", "tf32", 4), ("m8n8k4", "f64", 1), ("m8n8k32", "s4", 1), ("m8n8k32", "u4", 1),
                           ("m8n8k128", "b1", 1)):
        lines.append(f"wmma.load{{.a,.b}}.sync.aligned{{.row,.col}}.{shape}.{kind} {regs(kind, n)}:Ar")
    for shape, kind, n in (("m16n16k8", "f32", 8), ("m8n8k4", "f64", 2), ("m8n8k32", "s32", 2), ("m8n8k128", "s32", 2)):
        lines.append(f"wmma.load.c.sync.aligned{{.row,.col}}.{shape}.{kind} {regs(kind, n)}:Ar")
        lines.append(f"wmma.store.d.sync.aligned{{.row,.col}}.{shape}.{kind} :A{regs(kind, n)}")
    for x in (1, 2, 4):
        part = regs("r", x)
        lines.append(f"ldmatrix.sync.aligned.m8n8.x{x}{{,.trans}}{{.shared,.shared::cta}}.b16 {part}:S")
        lines.append(f"ldmatrix.sync.aligned.m8n8.x{x}{{,.trans}}{{,.global}}.b16 {part}:A")
        lines.append(f"stmatrix.sync.aligned.m8n8.x{x}{{,.trans}}{{.shared,.shared::cta}}.b16 :S{part}")
    lines.append("movmatrix.sync.aligned.m8n8{,.trans}.b16 r:r")
    return "\n".join(lines)


def chapters():
    return {
        "integer": integer, "carry": carry, "float": floats, "compare": compare,
        "convert": convert, "move": move, "video": video, "warp": warp, "memory": memory,
        "atomic": atomics(), "async": asynchronous, "tensor": tensor(),
    }
