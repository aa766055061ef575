/* SPDX-License-Identifier: MIT
 *
 * The front needs too many calls for a list of allowed ones: libraries make them, and its children name, write and copy
 * files. So this refuses what would let a fault in a reader of files reach other programs or machines. */
#include "front/session/confine.h"

#include "common/confine/confine.h"
#include "common/confine/refuse.h"
#include "front/session/options.h"

#include <linux/capability.h>
#include <stdlib.h>

/* To attach to processes, and to undo the tracer's changes; to open and write files with our own rights, and with those
 * of a program's user; to pass signals on to the command; for the root directory and the user of children. */
static const uint64_t kept = 1U << CAP_SYS_PTRACE | 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH |
                             1U << CAP_CHOWN | 1U << CAP_FOWNER | 1U << CAP_FSETID | 1U << CAP_SETUID |
                             1U << CAP_SETGID | 1U << CAP_KILL | 1U << CAP_SYS_CHROOT |
                             UINT64_C(1) << CAP_CHECKPOINT_RESTORE; /* for map_files */

/* A browser gets neither a filter nor no_new_privs: a part of its own sandbox can be a set-user-ID program. --push
 * needs no network here, because the process that sends has been started before. */
static int refuse(const struct session_options *options)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    unsigned network = servers && *servers ? 0 : REFUSE_NETWORK, programs = options->executes ? 0 : REFUSE_PROGRAMS;
    return options->opens_browser ? 0 : refuse_calls(REFUSE_SYSTEM | network | programs);
}

unsigned confine_front(const struct session_options *options)
{
    unsigned refused = confine_capabilities_tracing(kept) < 0 ? 1U << CONFINE_CAPABILITIES : 0;
    return refused | (refuse(options) < 0 ? 1U << CONFINE_CALLS : 0);
}
