# SPDX-License-Identifier: Apache-2.0
"""nvJitLink's functions by ctypes: codes, logs, and what linked code stores.

usage: jitlink.py LIBRARY [STORE.ltoir OTHER.ltoir IMAGE LIBCUDADEVRT FATBIN]

Codes and the beginnings of logs are those of NVIDIA's libnvJitLink.so.13 of CUDA 13.0 on such inputs (with its path as LIBRARY,
and no files, this script passes, too); so are the codes for LTO-IR, of which its compiler's own was given to it."""
import ctypes
import sys

N = 0
PTX, LTOIR, FATBIN, OBJECT, LIBRARY, ANY, CUBIN = 2, 3, 4, 5, 6, 10, 1
ours = "cudasim" in sys.argv[1]
jitlink = ctypes.CDLL(sys.argv[1])

HEAD = b".version 8.0\n.target sm_90\n.address_size 64\n"
CALLS = HEAD + b""".extern .func (.param .b32 r) other(.param .b32 x);
.visible .entry store(.param .u64 p)
{
	.reg .u64 %a;
	.reg .u32 %v;
	ld.param.u64 %a, [p];
	{
		.param .b32 x;
		.param .b32 r;
		st.param.b32 [x], 3;
		call (r), other, (x);
		ld.param.b32 %v, [r];
	}
	st.global.u32 [%a], %v;
	ret;
}
"""
OTHER = HEAD + b""".visible .func (.param .b32 r) other(.param .b32 x)
{
	.reg .u32 %v;
	ld.param.b32 %v, [x];
	add.u32 %v, %v, 39;
	st.param.b32 [r], %v;
	ret;
}
"""
ALONE = HEAD + b".visible .entry k(.param .u64 p) { ret; }\n"


def case(name, right, why=""):
    global N
    N += 1
    print(f"{'' if right else 'not '}ok {N} - {name}")
    if not right:
        print(f"# {why}")


class Link:
    def __init__(self, *options):
        self.handle = ctypes.c_void_p()
        words = (ctypes.c_char_p * max(1, len(options)))(*(o.encode() for o in options))
        self.status = jitlink.nvJitLinkCreate(ctypes.byref(self.handle), len(options), words)

    def add(self, kind, data, name=b"n"):
        return jitlink.nvJitLinkAddData(self.handle, kind, data, ctypes.c_size_t(len(data)), name)

    def file(self, kind, path):
        return jitlink.nvJitLinkAddFile(self.handle, kind, path.encode())

    def complete(self):
        return jitlink.nvJitLinkComplete(self.handle)

    def log(self):
        size = ctypes.c_size_t()
        jitlink.nvJitLinkGetErrorLogSize(self.handle, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        jitlink.nvJitLinkGetErrorLog(self.handle, text)
        return text.value.decode()

    def product(self, what="Cubin"):
        size = ctypes.c_size_t()
        status = getattr(jitlink, f"nvJitLinkGetLinked{what}Size")(self.handle, ctypes.byref(size))
        if status:
            return status, b""
        data = ctypes.create_string_buffer(size.value)
        return getattr(jitlink, f"nvJitLinkGetLinked{what}")(self.handle, data), data.raw


def options():
    table = [
        ((), 2, ""),
        (("-arch=sm_90",), 0, ""),
        (("-arch=sm_90a",), 0, ""),
        (("-arch=sm_12",), 17, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_12)\n"),
        (("-arch=bad",), 1, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=bad)\n"),
        (("-arch=sm_",), 1, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=sm_)\n"),
        (("-arch", "sm_90"), 1, "unrecognized option: -arch\n"),
        (("-arch=compute_90",), 11, "ERROR: virtual arch requires -ptx\n"),
        (("-arch=compute_90", "-lto", "-ptx"), 0, ""),
        (("-arch=sm_90", "-ptx"), 11, "ERROR: -ptx requires -lto\n"),
        (("-frob", "-arch=sm_90"), 1, "unrecognized option: -frob\n"),
        (("-arch=sm_90", "-O2"), 1, "unsupported value of -O: 2. Only 0 and 3 are supported.\n"),
        (("-arch=sm_90", "-O0", "-g", "-lineinfo", "-time", "-verbose", "-no-cache"), 0, ""),
        (("-arch=sm_90", "-ftz=1", "-ftz=0", "-prec-div=0", "-prec-sqrt=0", "-fma=0", "-maxrregcount=32"), 0, ""),
        (("-arch=sm_90", "-ftz"), 1, "unrecognized option: -ftz\n"),
        (("-arch=sm_90", "-kernels-used=k", "-variables-used=v", "-optimize-unused-variables", "-Xptxas=-v",
          "-split-compile=2", "-split-compile-extended=2", "-jump-table-density=50"), 0, ""),
        (("-arch=sm_90", "--lto"), 1, "unrecognized option: --lto\n"),
        (("-arch=sm_90", ""), 1, "unrecognized option: \n"),
    ]
    for words, status, log in table:
        link = Link(*words)
        case("options " + " ".join(words), (link.status, link.log()) == (status, log), f"{link.status} {link.log()}")


def codes():
    null = ctypes.c_void_p()
    case("no handle", jitlink.nvJitLinkCreate(None, 0, None) == 10)
    case("nothing to destroy", (jitlink.nvJitLinkDestroy(ctypes.byref(null)), jitlink.nvJitLinkDestroy(None)) == (10, 10))
    case("no link", (jitlink.nvJitLinkComplete(None), jitlink.nvJitLinkAddFile(None, 2, b"x")) == (10, 10))
    link = Link("-arch=sm_90")
    case("before the link", (link.product()[0], link.product("Ptx")[0]) == (6, 3))
    case("a link of nothing", (link.complete(), link.product()[0], link.product("Ptx")[0]) == (0, 0, 3))
    case("a second time", (link.complete(), link.add(PTX, ALONE)) == (6, 6))
    case("destroyed", (jitlink.nvJitLinkDestroy(ctypes.byref(link.handle)), link.handle.value) == (0, None))
    hello = b"hello world\0"
    for kind, data, status, log in [
            (PTX, hello, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_PTXn\n"),
            (CUBIN, ALONE, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINn\n"),
            (FATBIN, hello, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_FATBINn\n"),
            (OBJECT, hello, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_OBJECTn\n"),
            (LIBRARY, hello, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_LIBRARYn\n"),
            (LTOIR, hello, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_LTOIRn\n"),
            (ANY, hello, 8, "unrecognized input type: n\n"),
            (0, ALONE, 12, "unsupported input type: n\n"),
            (7, ALONE, 12, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_INDEXn\n"),
            (PTX, b"", 3, ""),
            (PTX, ALONE.replace(b"ret", b"frob"), 4, "ptxas application ptx input, line 4; error   : "),
    ]:
        link = Link("-arch=sm_90")
        got = link.add(kind, data), link.log()
        case(f"{data[:5]} as {kind}", got[0] == status and got[1].startswith(log) and bool(log) == bool(got[1]), got)
    link = Link("-arch=sm_90")
    case("a file that is not there", (link.file(PTX, "/nonexistent"), link.log()) == (3, "no such file: /nonexistent\n"))
    link = Link("-arch=sm_90", "-lto")
    case("-lto of PTX alone", (link.add(PTX, ALONE), link.complete(), link.log()) ==
         (0, 5, "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n"), link.log())
    link = Link("-arch=sm_90", "-lto", "-ptx")
    case("-ptx of PTX", (link.add(PTX, ALONE), link.complete(), link.log()) ==
         (0, 12, "ERROR: -ptx requires that all inputs have LTOIR\n"), link.log())
    link = Link("-arch=sm_90")
    case("an undefined function", (link.add(PTX, CALLS), link.complete()) == (0, 6) and "other" in link.log(), link.log())
    case("names with versions", all(hasattr(jitlink, f"__nvJitLinkAddData_{v}") for v in
                                    (["12_0", "12_4", "12_9", "13_0"] if ours else ["13_0"])))


def launched(image, name):
    """What the kernel stores; as the driver API of libcuda.so.1 runs it."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, module, kernel, memory = (ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64())
    value = ctypes.c_int(-1)
    status = [cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context),
              cuda.cuModuleLoadData(ctypes.byref(module), image),
              cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name),
              cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4))]
    if any(status):
        return status
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    status += [cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, parameters, None),
               cuda.cuMemcpyDtoH_v2(ctypes.byref(value), memory, ctypes.c_size_t(4))]
    return value.value if not any(status) else status


def linked(name, expected, options_, *inputs, product="Cubin"):
    link = Link("-arch=sm_90", *options_)
    added = [link.add(kind, data) if isinstance(data, bytes) else link.file(kind, data) for kind, data in inputs]
    status, image = (link.complete(), b"")
    if not status:
        status, image = link.product(product)
    got = launched(image, b"store") if not status else status
    case(name, not any(added) and got == expected, f"{added} {got} {link.log()}")


def main():
    options()
    codes()
    if ours:
        linked("PTX with PTX", 42, (), (PTX, CALLS), (PTX, OTHER))
        linked("of any kind", 42, (), (ANY, CALLS), (ANY, OTHER))
    if len(sys.argv) > 2:
        ltoir, other, image, devrt, *fatbins = sys.argv[2:]
        linked("two products of -ltoir", 42, ("-lto",), (LTOIR, ltoir), (ANY, other))
        linked("as PTX", 42, ("-lto", "-ptx"), (LTOIR, ltoir), (LTOIR, other), product="Ptx")
        linked("-ltoir with PTX", 42, ("-lto",), (LTOIR, ltoir), (PTX, OTHER))
        linked("with an object", 42, ("-lto",), (LTOIR, ltoir), (OBJECT, other.replace(".ltoir", ".o")))
        linked("with a library", 42, ("-lto",), (LIBRARY, devrt), (LTOIR, ltoir), (LIBRARY, other.replace(".ltoir", ".a")))
        linked("an image as it is", 42, (), (CUBIN, image))
        linked("an image with the library of device code", 42, (), (CUBIN, image), (LIBRARY, devrt))
        for fatbin in fatbins:
            linked("a fat binary", 42, (), (FATBIN, fatbin))
            linked("a fat binary of any kind, and PTX", 42, (), (ANY, fatbin), (PTX, ALONE))
        link = Link("-arch=sm_90")
        case("LTO-IR without -lto", (link.file(LTOIR, ltoir), link.log()) ==
             (18, "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)\n"), link.log())
        link = Link("-arch=sm_90", "-lto")
        case("an undefined function of LTO-IR", (link.file(LTOIR, ltoir), link.complete(), link.product()[0]) == (0, 4, 6) and
             "other" in link.log(), link.log())
        link = Link("-arch=sm_90", "-lto")
        case("one twice", (link.file(LTOIR, other), link.file(LTOIR, other), link.complete(), link.product()[0]) ==
             (0, 0, 5, 6) and "other" in link.log(), link.log())
        link = Link("-arch=sm_90", "-lto", "-ptx")
        case("-ptx of LTO-IR and PTX", (link.file(LTOIR, ltoir), link.add(PTX, OTHER), link.complete()) == (0, 0, 12), link.log())
        case("which has no cubin", (link.product()[0], link.product("Ptx")[0]) == (6, 6), link.log())
        link = Link("-arch=sm_90", "-lto")
        case("NVIDIA's LTO-IR", link.add(LTOIR, b"\xed\x43\x4e\x7f" + bytes(60)) == 8 and "licence" in link.log(), link.log())
        link = Link("-arch=sm_90")
        head = b"//\n// Generated by NVIDIA NVVM Compiler\n//\n"
        case("PTX of NVIDIA's compiler", link.add(PTX, head + ALONE) == 4 and "licence" in link.log(), link.log())
        link = Link("-arch=sm_90")
        elf = bytearray(64)
        elf[:4], elf[18] = b"\x7fELF", 190
        case("NVIDIA's machine code", link.add(CUBIN, bytes(elf)) == 8 and "machine code" in link.log(), link.log())
        damaged = bytearray(open(ltoir, "rb").read())
        damaged[100] ^= 1
        link = Link("-arch=sm_90", "-lto")
        case("damaged", (link.add(LTOIR, bytes(damaged)), link.complete()) == (0, 5) and "damaged" in link.log(), link.log())
    print(f"1..{N}")


main()
