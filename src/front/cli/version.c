/* SPDX-License-Identifier: MIT
 *
 * The output of `ptprofil --version`. */
#include "front/cli/pages.h"

#include "common/arch/machine.h"
#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/top/screen.h"
#include "profile/push/http.h"
#include "programs/elf/debuginfod.h"
#include "programs/unwind/unwind.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#else
#include <libelf.h>
#endif
#include <lzma.h>
#include <zlib.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* Appends LIBRARY and its VERSION. NULL: configure left the library out. */
static void add_library(struct buffer *text, const char *library, const char *version, const char *use)
{
    buffer_printf(text, "  %-12s %-14s %s\n", library, version ? version : "left out", use);
}

/* Appends the version of elfutils, because libelf alone does not report its own. */
static void add_elfutils(struct buffer *text)
{
#ifdef HAVE_LIBDW
    add_library(text, "elfutils", dwfl_version(NULL), "names; lines of the source and inlined calls");
#else
    add_library(text, "libelf", elf_version(EV_CURRENT) == EV_NONE ? "too old" : "yes", "names");
    add_library(text, "libdw", NULL, "lines of the source and inlined calls");
#endif
    add_library(text, "debuginfod", elf_debuginfod_state(), "debug files from DEBUGINFOD_URLS");
}

void version_write(FILE *stream)
{
    struct buffer text = {0};
    buffer_puts(&text, "ptprofil " PACKAGE_VERSION "\n\n" ARCH_NAME " Linux; libraries:\n");
    add_library(&text, "libunwind", unwind_version(), "stacks of programs without frame pointers");
    add_elfutils(&text);
    add_library(&text, "liblzma", lzma_version_string(), "compressed symbol tables (.gnu_debugdata)");
    add_library(&text, "zlib", zlibVersion(), "compressed profiles (-o FILE.pb.gz)");
    add_library(&text, "ncurses", screen_version(), "the full screen of 'ptprofil top'");
    add_library(&text, "libcurl", http_has_library() ? "when needed" : NULL,
                "profiles sent to servers by https (--push)");
    say_own(stream, text.failed ? "ptprofil " PACKAGE_VERSION "\n" : text.bytes);
    buffer_fini(&text);
}
