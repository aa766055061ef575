/* SPDX-License-Identifier: MIT
 *
 * ptprofil's own commands: the words that its command line can begin with. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

/* Returns the one that WORD may have been meant for, WORD itself included, or NULL. */
const char *commands_nearest(const char *word);

#endif
