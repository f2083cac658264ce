/* SPDX-License-Identifier: Apache-2.0 */
#include "devcc.h"

int main(int argc, char **argv)
{
	return devcc_run(argc, argv);
}
