# SPDX-License-Identifier: Apache-2.0
"""NVRTC's programs with and without the compile server; prints what came of each.

usage: serve.py LIBNVRTC [kill|fork|close|none]
       serve.py SERVER garbage

Without a word more: each program's status, log and code, for a comparison. kill: the server dies between two programs.
fork: parent and child compile. close: the program closes all files and opens others. none: whether a server runs.
garbage: messages to a server that are no requests, between requests."""
import contextlib
import ctypes
import glob
import os
import signal
import socket
import struct
import subprocess
import sys
import time

nvrtc = ctypes.CDLL(sys.argv[1]) if "garbage" not in sys.argv else None

PROGRAMS = {
    "plain": b'extern "C" __global__ void k(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] += 1.f; }\n',
    "again": b'__device__ int f(int x) { return x * 3; }\n__global__ void k(int *x) { x[threadIdx.x] = f(threadIdx.x); }\n',
    "warning": b'__global__ void k(int *x) { int y = x[0]; "text"; if (y = 3) x[0] = y; }\n',
    "error": b'__global__ void k(int *x) { x[0] = missing; }\n',
    "dialect": b'__global__ void k(int *x) { goto end; int y = x[0]; x[1] = y; end: x[2] = 1; }\n',
    "header": b'#include "own.h"\n__global__ void k(int *x) { x[0] = OWN; }\n',
    "half": b'#include <cuda_fp16.h>\n__global__ void k(__half *x) { x[0] = hsin(x[1]) + __half(2); }\n',
    "template": b'template <typename T, int N> __global__ void k(T *x) { x[N] = T(N); }\n'
                b'template __global__ void k<double, 3>(double *);\n',
    "printf": b'__global__ void k(int x) { printf("%d %s\\n", x, __FILE__); }\n',
    "empty": b'',
}


def compile_program(source):
    """(status, log, code)."""
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * 1)(b"#define OWN 7\n")
    names = (ctypes.c_char_p * 1)(b"own.h")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"k.cu", 1 if b"own.h" in source else 0, texts, names)
    options = (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-lineinfo")
    status = nvrtc.nvrtcCompileProgram(program, 2, options)
    parts = []
    for what in "ProgramLog", "PTX":
        n = ctypes.c_size_t()
        getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(n))
        buffer = ctypes.create_string_buffer(max(1, n.value))
        getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
        parts.append(buffer.value.decode())
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return status, *parts


def servers():
    """The pids of this user's servers in this folder; their fronts too."""
    found = []
    for path in glob.glob("/proc/[0-9]*/comm"):
        try:
            with open(path, encoding="utf-8") as file:
                ours = file.read().startswith("cudasim-compile")
            if ours and os.environ["SERVE_TEST"].encode() in open(os.path.dirname(path) + "/environ", "rb").read():
                found.append(int(path.split("/")[2]))
        except (OSError, ValueError):
            pass
    return sorted(found)


def has_ended(pid):
    """Whether its files are closed too: its environment is gone before them."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def request(words, tool=0, variables=("A=b",), magic=0x43534D31):
    """A message of formats/serve.h."""
    texts = b"".join(word.encode() + b"\0" for word in (*words, *variables))
    return struct.pack("<4I", magic, tool, len(words), len(variables)) + texts


def ask(server, message, n_fds=4):
    """(the job's pid, its status, what it printed); None where it does not answer."""
    reply, answer = os.pipe()
    out, printed = os.pipe()
    folder = os.open("/", os.O_RDONLY)
    fds = [answer, printed, printed, folder, folder][:n_fds]
    server.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))] if fds else [])
    for fd in answer, printed, folder:
        os.close(fd)
    with open(reply, "rb") as first, open(out, "rb") as second:
        numbers, text = first.read(), second.read()
    return (*struct.unpack("<2i", numbers), text) if len(numbers) == 8 else None


def garbage():
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen([sys.argv[1], str(its.fileno())], pass_fds=[its.fileno()])
    its.close()
    good = request(["cudasim-devcc", "--print-pipeline"])
    bad = [b"x", b"", good[:-1], request(["w"], magic=7), request(["w"], tool=9), request([]), good[:16], good[:20],
           struct.pack("<4I", 0x43534D31, 0, 2**31, 2**31) + b"w\0",
           request(["clang++", "x.cu"], tool=1), request(["clang++", "-include-pch", "-Xclang", "none", "-o", "x", "x.cu"], tool=1)]
    bad = [message for message in bad if message]  # an empty one is the socket's end to the server
    said = [ask(ours, message) for message in bad] + [ask(ours, good, n) for n in (0, 1, 3, 5)]
    first, second = ask(ours, good), ask(ours, request(["cudasim-devcc", "--no-such-option"]))
    ours.close()
    print("answered", sum(a is not None for a in said), "of", len(said), "then", first[1], b"libdevice" in first[2], second[1],
          second[2].decode().strip(), "end", server.wait(10))


mode = sys.argv[2] if len(sys.argv) > 2 else "all"
if mode == "garbage":
    garbage()
elif mode == "all":
    for name, source in PROGRAMS.items():
        status, log, code = compile_program(source)
        print("==", name, status)
        print(log)
        print(code)
    print("servers", min(2, len(servers())), file=sys.stderr)
elif mode == "kill":
    first = compile_program(PROGRAMS["plain"])[0]
    before = servers()
    for pid in before:
        with contextlib.suppress(ProcessLookupError):  # a job that had answered and was about to end
            os.kill(pid, signal.SIGKILL)
    while not all(has_ended(pid) for pid in before):
        time.sleep(0.05)
    second = compile_program(PROGRAMS["again"])[0]
    after = [pid for pid in servers() if pid not in before]
    print("status", first, second, "servers", bool(before), bool(after))
elif mode == "fork":
    first = compile_program(PROGRAMS["plain"])[0]
    child = os.fork()
    status = compile_program(PROGRAMS["again" if child else "half"])[0]
    if not child:
        os._exit(status)
    print("status", first, status, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
elif mode == "close":
    first = compile_program(PROGRAMS["plain"])[0]
    os.closerange(3, 100)
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
    second = compile_program(PROGRAMS["again"])[0]
    print("status", first, second, "files", len([f for f in files if os.fstat(f)]), "servers", bool(servers()))
else:
    print("servers", len(servers()))
