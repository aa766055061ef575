/* SPDX-License-Identifier: MIT */
#include "common/model/cgroup.h"

#include "unit.h"

#include <string.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define V1 "12:cpu,cpuacct:/docker/" ID "\n4:memory:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/\n"
#define SERVICE "0::/system.slice/nginx.service\n"
#define POD                                                                                                            \
    "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice/cri-containerd-" ID ".scope\n"

static const struct {
    const char *text, *path;
    bool in;
} paths[] = {
    {SERVICE, "/system.slice/nginx.service", true},
    {SERVICE, "/system.slice/nginx.service/", true},
    {SERVICE, "/system.slice", true},
    {SERVICE, "/", true},
    {SERVICE, "/sys/fs/cgroup/system.slice/nginx.service", true},
    {SERVICE, "/sys/fs/cgroup/system.slice", true},
    {SERVICE, "/sys/fs/cgroup", true},
    {SERVICE, "nginx.service", true},
    {SERVICE, "system.slice", true},
    {SERVICE, "system.slice/nginx.service", true},
    {SERVICE, "/nginx.service", false},
    {SERVICE, "/system.slice/nginx", false},
    {SERVICE, "/system.slice/nginx.service2", false},
    {SERVICE, "/system.slice/nginx.service/worker", false},
    {SERVICE, "ginx.service", false},
    {SERVICE, "nginx", false},
    {SERVICE, "/sys/fs/cgroups/system.slice", false},
    {SERVICE, "/sys/fs/cgroup/user.slice", false},
    {SERVICE, "/sys/fs/cgroup/unified", false}, /* a controller's whole tree is not one group */
    {V1, "/docker/" ID, true},
    {V1, "/docker", true},
    {V1, "/sys/fs/cgroup/memory/docker/" ID, true},
    {V1, "/sys/fs/cgroup/cpu,cpuacct/docker", true},
    {V1, "/memory/docker", false},
    {V1, "/docker/0123", false},
    {"0::/a:b/c\n", "/a:b", true}, /* names may have a colon */
    {"0::/a", "/a", true},
    {"0::/../b\n", "/../b", true}, /* as seen inside a cgroup namespace */
    {"", "/", false},
    {"\n\n", "/a", false},
    {"x", "/", false},
    {"0:", "/", false},
    {"0::", "/", true},
    {"0::\n0:/a:\n", "/a", false},
};

START_TEST(paths_follow_the_table)
{
    ck_assert_int_eq(cgroup_is_in(paths[_i].text, paths[_i].path), paths[_i].in);
}
END_TEST

static const struct {
    const char *text, *id, *found; /* NULL: none */
} containers[] = {
    {V1, ID, ID},
    {V1, "0123456789ab", ID},
    {V1, "0", ID},
    {V1, "1", NULL},
    {V1, "", NULL},
    {V1, ID "0", NULL},
    {"0::/system.slice/docker-" ID ".scope\n", "0123", ID},
    {"0::/system.slice/docker-" ID ".scope/init.scope\n", "0123", ID},
    {"0::/machine.slice/libpod-" ID ".scope/container\n", "0123", ID},
    {"0::/machine.slice/libpod-conmon-" ID ".scope\n", "0123", NULL}, /* the monitor of a container */
    {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n", "0123", ID},
    {POD, "0123456789ab", ID},
    {POD, "12", NULL},
    {"0::/kubepods/burstable/pod12-34/" ID "\n", "0123", ID},
    {"0::/system.slice:cri-containerd:" ID "\n", "0123", ID},
    {"0::/kubepods.slice/crio-" ID ".scope\n", "0123", ID},
    {"0::/lxc.payload.web\n", "web", "web"},
    {"0::/lxc.payload.web\n", "we", NULL},
    {"0::/lxc/web\n", "web", "web"},
    {"0::/machine.slice/machine-web.scope\n", "web", "web"},
    {"0::/default/web\n", "web", "web"},
    {"0::/system.slice/x" ID "0.scope\n", "0123", NULL}, /* the hexadecimal digits end a longer word */
    {"0::/0123\n", "012", NULL},                         /* too short for an ID */
    {SERVICE, "nginx", NULL},
    {"0::/\n", "0", NULL},
    {"", "0", NULL},
};

START_TEST(containers_follow_the_table)
{
    char found[128] = "";
    bool is_one = cgroup_container(containers[_i].text, containers[_i].id, found, sizeof found);
    ck_assert_int_eq(is_one, containers[_i].found != NULL);
    ck_assert_str_eq(found, containers[_i].found ? containers[_i].found : "");
}
END_TEST

START_TEST(long_names_are_truncated)
{
    char found[8];
    ck_assert(cgroup_container(V1, "0123", found, sizeof found));
    ck_assert_str_eq(found, "0123456");
}
END_TEST

static const struct {
    const char *text, *unit, *container;
} names[] = {
    {SERVICE, "nginx.service", ""},
    {V1, "", ID},
    {POD, "", ID},
    {"0::/system.slice/docker.service/docker-" ID ".scope\n", "docker.service", ID},
    {"0::/user.slice/user-7.slice/user@7.service/app.slice/editor.service\n", "editor.service", ""},
    {"0::/user.slice/user-7.slice/user@7.service/init.scope\n", "", ""},
    {"0::/a.service/b.service\n", "b.service", ""},
    {"0::/.service\n", "", ""},
    {"2:pids:/a.service\n1:cpu:/docker/" ID "\n0::/b.service\n", "a.service", ID},
    {"0::/docker-" ID ID ".scope\n", "", ""}, /* too long */
    {"0::/machine.slice/libpod-conmon-" ID ".scope\n", "", ""},
    {"0::/\n", "", ""},
    {"", "", ""},
};

START_TEST(names_follow_the_table)
{
    struct cgroup_names found;
    cgroup_find_names(names[_i].text, &found);
    ck_assert_str_eq(found.unit, names[_i].unit);
    ck_assert_str_eq(found.container, names[_i].container);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/cgroup");
    UNIT_ADD_TABLE(tests, paths_follow_the_table, paths);
    UNIT_ADD_TABLE(tests, containers_follow_the_table, containers);
    tcase_add_test(tests, long_names_are_truncated);
    UNIT_ADD_TABLE(tests, names_follow_the_table, names);
    return unit_end();
}
