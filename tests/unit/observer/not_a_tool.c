/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is no observer. */
int not_a_tool(void);
int not_a_tool(void)
{
	return 0;
}
