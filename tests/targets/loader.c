/* SPDX-License-Identifier: MIT
 *
 * Opens a shared library while it runs, works in its plugin_work, and closes it again, several times:
 *     loader [-u] LIBRARY [CPU_MS]
 * -u: removes the library's file after some of the work. */
#include "target.h"

#include <dlfcn.h>

DEFINE_SPIN(loader_work, 0xe01)

int main(int argc, char **argv)
{
    bool remove_it = false;
    target_begin();
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
