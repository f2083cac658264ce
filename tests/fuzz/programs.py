# SPDX-License-Identifier: Apache-2.0
"""Programs of random kernels: what kernel_fuzz.py and flow_fuzz.py do alike.

A program is kernels.cu, with reference.cpp compiled by g++ and linked to it; it compares both itself. Programs are built
and run for a range of seeds, several kernels each, a line of TAP for each program."""
import argparse
import os
import subprocess
import tempfile


def run(command, env=None, seconds=300):
    """What the command says where it fails, else None."""
    try:
        done = subprocess.run(command, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds, text=True, errors='replace')
    except subprocess.TimeoutExpired:
        return f'no end in {seconds} s'
    return None if done.returncode == 0 else f'status {done.returncode}: {done.stdout[-3000:]}'


def failures(folder, cudasim, reference_flags, flags, runs, seconds):
    """Builds the program in folder and runs it in each of the environments; the failures as lines."""
    for command in (['g++', '-O1', '-w', '-ffp-contract=off', '-fwrapv', *reference_flags, '-c', f'{folder}/reference.cpp',
                     '-o', f'{folder}/reference.o'],
                    [cudasim, 'cc', '-w', *flags, f'{folder}/kernels.cu', f'{folder}/reference.o',
                     '-o', f'{folder}/program']):
        said = run(command, seconds=seconds)
        if said:
            return [f'{" ".join(command)}: {said}']
    results = [(env, run([f'{folder}/program'], {'CUDASIM': '1', **env}, seconds)) for env in runs]
    return [f'{env}: {said}' for env, said in results if said]


def main(doc, program, kernels, seeds, more=None):
    """program(cudasim, folder, seeds, options): the failures of one program, as lines. more: options, with argparse's words."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cudasim', required=True)
    parser.add_argument('--seeds', default=seeds, help='FIRST:LAST')
    parser.add_argument('--kernels', type=int, default=kernels, help='kernels a program')
    parser.add_argument('--keep', help='where programs are kept')
    parser.add_argument('--flags', help='of cudasim cc; flow_fuzz.py compiles in this one way, not in several in turn')
    for name, words in (more or {}).items():
        parser.add_argument(name, **words)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(':'))
    bad = 0
    print('TAP version 13')
    ranges = [range(i, min(i + options.kernels, last + 1)) for i in range(first, last + 1, options.kernels)]
    for number, part in enumerate(ranges, 1):
        with tempfile.TemporaryDirectory() as folder:
            if options.keep:
                folder = f'{options.keep}/{part[0]}'
                os.makedirs(folder, exist_ok=True)
            lines = program(options.cudasim, folder, part, options)
        print(f'{"not " if lines else ""}ok {number} - kernels {part[0]} to {part[-1]}', flush=True)
        for line in '\n'.join(lines).splitlines():
            print('#', line, flush=True)
        bad += bool(lines)
    print(f'1..{len(ranges)}')
    return bad != 0
