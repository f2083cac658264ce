/* SPDX-License-Identifier: Apache-2.0 */
/* devcc.h - the device compiler as a command: cudasim-devcc, and a job of the compile server. */
#ifndef CUDASIM_COMPILER_DEVCC_H
#define CUDASIM_COMPILER_DEVCC_H

/* Its exit status. The process may run it once. */
int devcc_run(int argc, char **argv);

#endif
