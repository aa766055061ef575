/* SPDX-License-Identifier: MIT
 *
 * Opens a shared library while it runs, works in its plugin_work, and closes it again, several times:
 *
 *     loader [-u | -c] LIBRARY [CPU_MS]
 * -u: removes the library's file after a part of the work. -c: works for a while and opens the library once. The
 * library then calls the program's own function to work. */
#include "target.h"

#include <dlfcn.h>

DEFINE_SPIN(loader_work, 0xe01)

static uint64_t called_milliseconds;

static void called(void)
{
    spin_cpu_ms(loader_work, called_milliseconds);
}

static int be_called(const char *path, uint64_t milliseconds)
{
    void (*call)(void (*)(void)) = NULL;
    spin_cpu_ms(loader_work, 150);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die("%s", dlerror());
    *(void **)&call = dlsym(library, "plugin_call");
    CHECK(call);
    called_milliseconds = milliseconds;
    call(called);
    return 0;
}

int main(int argc, char **argv)
{
    bool remove_it = false;
    target_begin();
    if (argc == 4 && strcmp(argv[1], "-c") == 0)
        return be_called(argv[2], (uint64_t)atoi(argv[3]));
    if (argc > 1 && strcmp(argv[1], "-u") == 0) {
        remove_it = true;
        argv++;
        argc--;
    }
    CHECK(argc > 1);
    uint64_t milliseconds = argc > 2 ? (uint64_t)atoi(argv[2]) : 200;
    for (int i = 0; i < (remove_it ? 1 : 4); i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            die("%s", dlerror());
        spin_function *function = NULL;
        *(void **)&function = dlsym(library, "plugin_work");
        CHECK(function);
        if (remove_it) {
            spin_cpu_ms(function, 50);
            CHECK(unlink(argv[1]) == 0);
        }
        spin_cpu_ms(function, milliseconds / (remove_it ? 1 : 4));
        CHECK(dlclose(library) == 0);
        spin_cpu_ms(loader_work, milliseconds / 8);
    }
    return 0;
}
