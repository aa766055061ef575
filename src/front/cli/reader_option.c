/* SPDX-License-Identifier: MIT
 *
 * The option --reader-user. */
#include "front/cli/option_row.h"
#include "front/cli/options.h"
#include "front/naming/name_server.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets *USER to the user called NAME. Reads the file alone: the C library would load code and ask servers for others.
 */
static bool find_user(const char *name, struct passwd *user)
{
    FILE *list = fopen("/etc/passwd", "re");
    const struct passwd *entry = NULL;
    while (list && (entry = fgetpwent(list)) && strcmp(entry->pw_name, name) != 0)
        ;
    if (entry)
        *user = *entry;
    if (list)
        fclose(list);
    return entry != NULL;
}

int options_take_reader_user(struct options *options, const struct option_given *given)
{
    struct passwd user = {0};
    char *end;
    unsigned long number = strtoul(given->text, &end, 10);
    (void)options;
    if (geteuid() != 0)
        return option_refuse(given, "only root can change to another user");
    if (*given->text >= '0' && *given->text <= '9' && !*end && number < UINT32_MAX)
        user.pw_uid = user.pw_gid = (uid_t)number;
    else if (!find_user(given->text, &user))
        return option_refuse(given, "/etc/passwd has no user '%s'; a number is possible, too", given->text);
    if (!user.pw_uid || !user.pw_gid)
        return option_refuse(given, "'%s' is root or in its group, and files are parsed without its rights",
                             given->text);
    name_server_read_as(user.pw_uid, user.pw_gid);
    return 0;
}
