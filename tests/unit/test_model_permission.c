/* SPDX-License-Identifier: MIT */
#include "model/permission.h"

#include "unit.h"

#include <errno.h>

/* What an ordinary process of the same user looks like; each row changes something. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define USUAL .error = EPERM, .exists = true, .user = 1000, .own_user = 1000, .same_namespace = true, .yama = -1

static const struct {
    struct permission_facts facts;
    enum permission_reason reason;
} rows[] = {
    {{.error = ESRCH}, PERMISSION_GONE},
    {{.error = EPERM}, PERMISSION_GONE},
    {{.error = ESRCH, .exists = true}, PERMISSION_GONE},
    {{USUAL, .zombie = true}, PERMISSION_ZOMBIE},
    {{.error = ESRCH, .exists = true, .zombie = true}, PERMISSION_ZOMBIE},
    {{USUAL, .kernel_thread = true, .user = 0}, PERMISSION_KERNEL_THREAD},
    {{USUAL, .tracer = 77}, PERMISSION_TRACED},
    {{USUAL, .tracer = 77, .user = 0}, PERMISSION_TRACED},
    {{USUAL, .user = 0}, PERMISSION_OTHER_USER},
    {{USUAL, .user = 0, .yama = 1}, PERMISSION_OTHER_USER},
    {{USUAL, .ids_differ = true}, PERMISSION_PRIVILEGED},
    {{USUAL, .ids_differ = true, .protected = true}, PERMISSION_PRIVILEGED},
    {{USUAL, .protected = true}, PERMISSION_PROTECTED},
    {{USUAL, .protected = true, .yama = 2}, PERMISSION_PROTECTED},
    {{USUAL, .yama = 0}, PERMISSION_MODULE},
    {{USUAL, .yama = 1}, PERMISSION_YAMA_CHILDREN},
    {{USUAL, .yama = 2}, PERMISSION_YAMA_ADMIN},
    {{USUAL, .yama = 3}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 3, .capable = true}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 2, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .user = 1, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .capable = true, .same_namespace = false}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .filtered = true}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .capable = true}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .user = 3}, PERMISSION_OTHER_USER},
    {{.error = EACCES, .exists = true, .same_namespace = true, .yama = -1}, PERMISSION_MODULE},
    {{.error = ENOMEM, .exists = true, .tracer = 5}, PERMISSION_OTHER_ERROR},
    {{.error = EIO, .exists = true, .yama = 3}, PERMISSION_OTHER_ERROR},
};

START_TEST(reasons_follow_the_table)
{
    ck_assert_int_eq((int)permission_judge(&rows[_i].facts), (int)rows[_i].reason);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/permission");
    UNIT_ADD_TABLE(tests, reasons_follow_the_table, rows);
    return unit_end();
}
