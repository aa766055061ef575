/* SPDX-License-Identifier: MIT
 *
 * Parses the input as text files of /proc, and as /proc/PID/auxv, which is binary. */
#include "common/model/address_map.h"
#include "common/model/cgroup.h"
#include "common/model/proctext.h"

#include "fuzz.h"

static void read_maps(const char *text)
{
    struct maps_line line;
    struct address_map map = {0}, again = {0};

    for (const char *at = text; proctext_maps_next(&at, &line);) {
        FUZZ_EXPECT(line.path >= text && line.path + line.path_length <= text + strlen(text));
        FUZZ_EXPECT(line.start <= line.end && at <= text + strlen(text));
    }
    FUZZ_EXPECT(address_map_parse(&map, text, 100) && map.count <= 100);
    for (size_t i = 0; i < map.count; i++) {
        FUZZ_EXPECT(i == 0 || map.items[i - 1].end <= map.items[i].start);
        FUZZ_EXPECT(map.items[i].start == map.items[i].end ||
                    address_map_find(&map, map.items[i].start) == &map.items[i]);
    }
    FUZZ_EXPECT(address_map_parse(&again, text, 100) && address_map_equal(&map, &again));
    address_map_fini(&map);
    address_map_fini(&again);
}

static void read_others(const char *text)
{
    struct schedstat schedstat;
    struct blocked blocked;
    struct schedlook schedlook;
    struct mount_line mount;
    uint64_t number, other, numbers[4];
    char state, type[8];
    int cpu;

    proctext_schedstat(text, &schedstat);
    proctext_blocked(text, &blocked);
    proctext_stat(text, &state, &cpu);
    proctext_times(text, &number, &other);
    proctext_stack_start(text, &number);
    proctext_status_number(text, "SigBlk", 16, &number);
    proctext_status_number(text, "TracerPid", 10, &number);
    FUZZ_EXPECT(proctext_status_numbers(text, "Uid", 10, numbers, 4) <= 4);
    proctext_sched(text, &schedlook);
    cgroup_is_in(text, "/system.slice/a");
    cgroup_is_in(text, "/sys/fs/cgroup/memory/a");
    FUZZ_EXPECT(!cgroup_container(text, "0", type, sizeof type) || strlen(type) < sizeof type);
    FUZZ_EXPECT(!proctext_mount(text, "/home/a", &mount) || strlen(mount.type) < sizeof mount.type);
}

/* Copies the input, so that AddressSanitizer reports a read beyond its end. */
static void read_auxv(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint8_t *words = fuzz_copy(&input, &size);

    FUZZ_EXPECT(!proctext_auxv_is_compat(words, size) || size >= 8);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    read_auxv(bytes, size);
    char *text = fuzz_text(&input);

    read_maps(text);
    read_others(text);
    free(text);
    return 0;
}
