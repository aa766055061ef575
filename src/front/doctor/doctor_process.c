/* SPDX-License-Identifier: MIT
 *
 * Checks of `ptprofil doctor` for a process: permission, symbols, interpreter, runtime, children. */
#include "common/arch/machine.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/reader.h"
#include "common/model/family.h"
#include "common/model/proctext.h"
#include "front/doctor/attach.h"
#include "front/doctor/attach_search.h"
#include "front/doctor/doctor_parts.h"
#include "front/doctor/refusal.h"
#include "front/doctor/runtimes.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_server.h"
#include "front/record/object.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/file.h"
#include "programs/files/process_folder.h"
#include "programs/files/regular.h"
#include "programs/interp/runtime.h"
#include "programs/jit/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The process being checked. */
struct patient {
    struct doctor *doctor;
    pid_t pid;
    char subject[24];
    struct buffer maps; /* empty if they cannot be read */
};

/* Checks the permission to attach. Returns false if nothing else can be checked. */
static bool look_at_permission(const struct patient *patient)
{
    struct error error = {0};
    int result = refusal_probe(patient->pid);
    if (result < 0) {
        refusal_explain(patient->pid, "cannot attach to it", result, &error);
        doctor_tell(patient->doctor, DOCTOR_BAD, patient->subject, "%s", error.text);
        return false;
    }
    char *name = attach_name(patient->pid);
    doctor_tell(patient->doctor, DOCTOR_FINE, patient->subject, "%s can be attached to", name ? name : "it");
    free(name);
    if (attach_is_stopped(patient->pid))
        doctor_tell(patient->doctor, DOCTOR_NOTE, patient->subject,
                    "it is stopped: it uses no CPU time until somebody continues it (kill -CONT %d)",
                    (int)patient->pid);
    return true;
}

/* Asks the reader whether the program FD has a whole table of symbols, in it or in a debug file. */
static bool has_symbols(int fd, const char *path, const char *root)
{
    struct object object = {
        .kind = OBJECT_FILE, .path = (char *)(uintptr_t)path, .root = (char *)(uintptr_t)root, .fd = fd};
    struct name_server server;
    struct name_answer answer = {0};
    struct builder builder;
    struct buffer bytes = {0};
    const struct profile_module like = {.path = object.path};
    bool full = false;
    if (name_server_start(&server, 0, false) < 0)
        return false;
    builder_init(&builder);
    if (name_server_ask(&server, &object, NULL, 0, &bytes) &&
        name_answer_read(&answer, bytes.bytes, bytes.length, 0, &builder, &like))
        full = !builder.profile->modules[answer.module].no_symbols;
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    buffer_fini(&bytes);
    name_server_end(&server);
    return full;
}

static void tell_symbols(const struct patient *patient, const char *path, int fd, const char *root)
{
    bool full = has_symbols(fd, path, root);
    doctor_tell(patient->doctor, full ? DOCTOR_FINE : DOCTOR_NOTE, "symbols", "%s has %s", path,
                full ? "symbols of all its functions"
                     : "no symbols, or those of exported functions only: its debug symbols (package *-dbgsym) in "
                       "/usr/lib/debug would bring names");
}

/* Reports about the program, not its libraries. */
static void look_at_program(const struct patient *patient)
{
    char link[64], path[PATH_MAX], folder[PROCESS_FOLDER_SIZE], root[PROCESS_FOLDER_SIZE + 8];
    struct error error = {0};
    struct elf_file *file = NULL;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)patient->pid);
    process_folder(patient->pid, folder);
    snprintf(root, sizeof root, "%s/root", folder);
    if (proc_readlink(link, path, sizeof path) < 0)
        return;
    int fd = regular_open(root, path, NULL), result = fd < 0 ? fd : elf_file_open(fd, &file, &error);
    if (!result)
        tell_symbols(patient, path, fd, root);
    else if (result == -ENOTSUP)
        doctor_tell(patient->doctor, DOCTOR_BAD, "program", "%s: %s: only programs for " ARCH_NAME " can be sampled",
                    path, error.text);
    else
        doctor_tell(patient->doctor, DOCTOR_NOTE, "symbols", "%s cannot be read, so it has no names: %s", path,
                    error.errnum ? error.text : strerror(-result));
    elf_file_close(file);
    if (fd >= 0)
        close(fd);
}

/* Returns the runtime that generates code in the process, according to its mapped files. Returns NULL if none is
 * known. */
static const struct runtime *find_runtime(const char *maps)
{
    struct maps_line line;
    const struct runtime *found = NULL;
    for (const char *at = maps; !found && proctext_maps_next(&at, &line);) {
        char *path = line.path_length ? strndup(line.path, line.path_length) : NULL;
        const char *slash = path ? strrchr(path, '/') : NULL;
        found = slash ? runtimes_find(slash + 1) : NULL;
        if (found && !found->compiled)
            found = NULL;
        free(path);
    }
    return found;
}

/* Reports about the interpreter in the file PATH, as the process sees it. */
static void tell_interpreter(const struct patient *patient, const char *path)
{
    char folder[PROCESS_FOLDER_SIZE], root[PROCESS_FOLDER_SIZE + 8];
    struct interp_runtime runtime;
    struct elf_file *file = NULL;
    process_folder(patient->pid, folder);
    snprintf(root, sizeof root, "%s/root", folder);
    int fd = regular_open(root, path, NULL);
    if (fd >= 0 && !elf_file_open(fd, &file, NULL) && interp_runtime_find(file, &runtime)) {
        const char *name = interp_language_name(runtime.language);
        const char *version = *runtime.version ? runtime.version : "of an unknown version";
        if (runtime.layout)
            doctor_tell(patient->doctor, DOCTOR_FINE, "language", "%s %s: its functions are shown, %s", name, version,
                        runtime.layout);
        else
            doctor_tell(patient->doctor, DOCTOR_NOTE, "language",
                        "%s %s: its functions are unknown to this ptprofil, which shows the interpreter's own; see "
                        "ptprofil-runtimes(7)",
                        name, version);
    }
    elf_file_close(file);
    if (fd >= 0)
        close(fd);
}

static void look_at_interpreter(const struct patient *patient)
{
    struct maps_line line;
    char *last = NULL;
    for (const char *at = patient->maps.bytes; at && proctext_maps_next(&at, &line);) {
        if (!line.executable)
            continue;
        char *path = line.path_length ? strndup(line.path, line.path_length) : NULL;
        if (path && (!last || strcmp(last, path) != 0))
            tell_interpreter(patient, path);
        free(last);
        last = path;
    }
    free(last);
}

static void look_at_runtime(const struct patient *patient)
{
    struct jit_folders folders = {0};
    struct jit_file map = {.folder = -1};
    const struct runtime *runtime = patient->maps.bytes ? find_runtime(patient->maps.bytes) : NULL;
    if (!runtime)
        return;
    jit_file_find(&folders, patient->pid, &map);
    int fd = map.folder >= 0 ? jit_file_open(&map) : -1;
    if (fd >= 0)
        doctor_tell(patient->doctor, DOCTOR_FINE, "runtime", "%s: it has written a map of its code", runtime->name);
    else
        doctor_tell(patient->doctor, DOCTOR_NOTE, "runtime", "%s: %s; see ptprofil-runtimes(7)", runtime->name,
                    runtime->compiled);
    if (fd >= 0)
        close(fd);
    jit_folders_fini(&folders);
}

static void read_maps(struct patient *patient)
{
    struct reader reader = {0};
    attach_read_in_time(&reader, patient->pid, "maps", &patient->maps);
    if (reader.in_vain)
        doctor_tell(patient->doctor, DOCTOR_NOTE, patient->subject,
                    "it is changing its memory map, and does not end that: its libraries cannot be seen");
    reader_end(&reader);
}

static void look_at_children(const struct patient *patient)
{
    struct family family = {0};
    struct error error = {0};
    size_t count = 0;
    if (!attach_search_family(&family, &error))
        for (size_t i = 0; i < family.count; i++)
            count += family_is_below(&family, family.items[i].pid, patient->pid);
    if (count)
        doctor_tell(patient->doctor, DOCTOR_FINE, "children",
                    "%zu, which are profiled with it unless --no-follow is given", count);
    family_fini(&family);
}

void doctor_process(struct doctor *doctor, pid_t pid)
{
    struct patient patient = {.doctor = doctor, .pid = pid};
    snprintf(patient.subject, sizeof patient.subject, "%d", (int)pid);
    if (!look_at_permission(&patient))
        return;
    look_at_program(&patient);
    read_maps(&patient);
    look_at_interpreter(&patient);
    look_at_runtime(&patient);
    look_at_children(&patient);
    buffer_fini(&patient.maps);
}
