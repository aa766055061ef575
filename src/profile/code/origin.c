/* SPDX-License-Identifier: MIT */
#include "profile/code/origin.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "programs/elf/embedded.h"
#include "programs/elf/file.h"
#include "programs/files/regular.h"
#include "programs/files/roots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_file(struct origin *origin)
{
    elf_file_close(origin->file);
    if (origin->fd >= 0)
        close(origin->fd);
    free(origin->path);
    origin->file = NULL;
    origin->fd = -1;
    origin->path = NULL;
}

static int open_file(struct origin *origin, struct error *error)
{
    struct error why = {0};
    origin->fd = regular_open_for(origin->module->viewer_named ? &origin->module->viewer : NULL, origin->root,
                                  origin->path, NULL);
    if (origin->fd == -EINVAL)
        return error_set(error, EINVAL, "'%s%s' is not a regular file", origin->root, origin->path);
    if (origin->fd < 0)
        return error_system(error, -origin->fd, "cannot read '%s%s'", origin->root, origin->path);
    int result = fstat(origin->fd, &origin->about) < 0 ? -errno : elf_file_open(origin->fd, &origin->file, &why);
    if (result < 0)
        return error_set(error, -result, "cannot read '%s%s': %s", origin->root, origin->path, why.text);
    origin->viewer = origin->module->viewer;
    viewer_take_owner(&origin->viewer, &origin->about);
    return 0;
}

/* Checks that the file is the profiled one: by its build-id, or if neither has one, by the size of its code. */
static int check_file(struct origin *origin, struct error *error)
{
    const struct profile_module *module = origin->module;
    const char *recorded = module->build_id ? module->build_id : "";
    struct buffer id = {0};
    uint64_t start, end;
    size_t size;
    const uint8_t *bytes = elf_file_build_id(origin->file, &size);
    buffer_hex(&id, bytes, bytes ? size : 0);
    buffer_puts(&id, "");
    elf_file_text_range(origin->file, &start, &end);
    origin->unproven = !id.length && !*recorded;
    int result = 0;
    if (id.failed)
        result = error_set(error, ENOMEM, "out of memory");
    else if (strcmp(id.bytes, recorded) != 0 ||
             (origin->unproven && module->text_end - module->text_start != end - start))
        result = error_set(error, ESTALE,
                           "'%s%s' is not the file that was profiled (its build-id is %s; while recording it was %s)",
                           origin->root, origin->path, id.length ? id.bytes : "none", *recorded ? recorded : "none");
    buffer_fini(&id);
    return result;
}

/* Opens the ELF image inside the profiled file, for example a library that was mapped from an archive. Only a build-id
 * identifies the right image. */
static int open_image(struct origin *origin)
{
    const char *id = origin->module->build_id;
    uint64_t base = 0;
    int image, result = -ENOENT;
    while (result < 0 && id && *id && (image = elf_embedded_next(origin->fd, &base)) >= 0) {
        elf_file_close(origin->file);
        origin->file = NULL;
        result = elf_file_open(image, &origin->file, NULL);
        result = result < 0 ? result : check_file(origin, NULL);
        close(result < 0 ? image : origin->fd);
        origin->fd = result < 0 ? origin->fd : image;
        base++;
    }
    if (result < 0) {
        elf_file_close(origin->file);
        origin->file = NULL;
    }
    origin->viewer = origin->module->viewer;
    viewer_take_owner(&origin->viewer, &origin->about);
    return result;
}

/* Opens PATH below ROOT, if it is the profiled file. */
static int try_path(struct origin *origin, const char *root, const char *path, struct error *error)
{
    close_file(origin);
    origin->path = strdup(path);
    if (!origin->path)
        return error_set(error, ENOMEM, "out of memory");
    snprintf(origin->root, sizeof origin->root, "%s", root);
    int result = open_file(origin, error);
    result = result < 0 ? result : check_file(origin, error);
    return result < 0 && origin->fd >= 0 && open_image(origin) == 0 ? 0 : result;
}

/* Opens the file by its build-id: packages of some systems have links named by it. */
static int try_build_id(struct origin *origin, const char *root)
{
    static const char *const folders[] = {"/usr/lib/debug/.build-id", "/usr/lib/.build-id"};
    const char *id = origin->module->build_id;
    int result = -ENOENT;
    if (!id || strlen(id) < 3 || strspn(id, "0123456789abcdef") != strlen(id))
        return result;
    for (size_t i = 0; result < 0 && i < sizeof folders / sizeof *folders; i++) {
        struct buffer path = {0};
        buffer_printf(&path, "%s/%.2s/%s", folders[i], id, id + 2);
        result = path.failed ? -ENOMEM : try_path(origin, root, path.bytes, NULL);
        buffer_fini(&path);
    }
    return result;
}

static int try_below(struct origin *origin, const char *root, struct error *error)
{
    int result = try_path(origin, root, origin->module->path, error);
    return result < 0 && try_build_id(origin, root) == 0 ? 0 : result;
}

/* Looks for the file in the root directories of other processes. Many files can have its name, so only a build-id
 * identifies the right one. */
static int try_other_roots(struct origin *origin)
{
    struct roots roots = {0};
    int result = -ENOENT;
    if (origin->module->build_id && *origin->module->build_id)
        roots_find(&roots);
    for (size_t i = 0; result < 0 && i < roots.count; i++)
        result = try_path(origin, roots.items[i].path, origin->module->path, NULL);
    roots_fini(&roots);
    return result;
}

static int open_anywhere(struct origin *origin, struct error *error)
{
    struct error why = {0};
    int result = try_below(origin, "", &why);
    if (result == 0 || try_other_roots(origin) == 0)
        return 0;
    return error_set(error, -result, "%s; if the file is in a container or an image, --sysroot=DIR says where",
                     why.text);
}

/* Sets the root directory to PATH, as an absolute path without a slash at its end. */
static int open_below(struct origin *origin, const char *path, struct error *error)
{
    char here[PATH_MAX] = "", root[PATH_MAX];
    if (*path != '/' && !getcwd(here, sizeof here))
        return error_system(error, errno, "cannot find the working directory");
    int length = snprintf(root, sizeof root, "%s%s%s", here, *here ? "/" : "", path);
    if (length < 0 || (size_t)length >= sizeof root)
        return error_system(error, ENAMETOOLONG, "cannot use --sysroot=%s", path);
    while (length && root[length - 1] == '/')
        root[--length] = 0;
    return try_below(origin, root, error);
}

static int open_vdso(struct origin *origin, struct error *error)
{
    int result = elf_file_from_vdso(&origin->file, error);
    origin->path = result < 0 ? NULL : strdup(origin->module->path);
    if (!result && !origin->path)
        return error_set(error, ENOMEM, "out of memory");
    return result < 0 ? result : check_file(origin, error);
}

int origin_open(struct origin *origin, const struct profile_module *module, const char *sysroot, struct error *error)
{
    const char *path = module->path;
    *origin = (struct origin){.module = module, .fd = -1};
    if (!strcmp(path, "[vdso]"))
        return open_vdso(origin, error);
    if (!strcmp(path, "[jit]") || !strcmp(path, "[anon]"))
        return error_set(error, ENOTSUP, "the process generated this code while it ran (JIT): it is in no file");
    if (*path != '/')
        return error_set(error, ENOTSUP, "its code is not in a file (%s)", path);
    return sysroot ? open_below(origin, sysroot, error) : open_anywhere(origin, error);
}

void origin_fini(struct origin *origin)
{
    close_file(origin);
}
