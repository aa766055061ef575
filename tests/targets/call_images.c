/* SPDX-License-Identifier: MIT
 *
 * Images and libraries come and go while the program calls profil, and while the tracer looks for them.
 *
 *     call_images execs TIMES      executes itself TIMES times, during calls
 *     call_images loads LIBRARY    processes end while they load a library
 *     call_images maps FILE        maps a file's code with false contents; the calls must still work */
#include "raw_gate.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/profil.h>

enum { PAGE = 4096, ROOM = 256, WIDE = 65536 };

DEFINE_SPIN(images_work, 0x2301)

static uintptr_t samples[ROOM];
static unsigned short cells[ROOM];
static atomic_bool over;
static const char *argument;
static char program[4096]; /* a process with an ended first thread has no /proc/self/exe */

static void *call_libc(void *unused)
{
    while (!over)
        CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
    return unused;
}

static void *call_pcsample(void *unused)
{
    while (!over)
        CHECK(raw_pcsample(samples, ROOM) >= 0);
    return unused;
}

static void call_as_child(void)
{
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
    CHECK(profil(cells, sizeof cells, 0, 0) == 0);
    _exit(6);
}

static void *become_itself(void *unused)
{
    char times[16];
    char *const arguments[] = {(char *)"call_images", (char *)"execs", times, NULL};
    snprintf(times, sizeof times, "%d", atoi(argument) - 1);
    images_work((uint64_t)(atoi(argument) % 10) * 100000);
    execv(program, arguments);
    die("execv: %s", strerror(errno));
    return unused;
}

/* A thread other than the first calls exec while others call profil; every third time during a fork. */
static void try_execs(void)
{
    pthread_t threads[4];
    if (atoi(argument) == 0)
        return;
    CHECK(pthread_create(&threads[0], NULL, call_libc, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, call_libc, NULL) == 0);
    CHECK(pthread_create(&threads[2], NULL, call_pcsample, NULL) == 0);
    CHECK(pthread_create(&threads[3], NULL, become_itself, NULL) == 0);
    while (atoi(argument) % 3 == 0) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            call_as_child();
        CHECK_EXITED(pid, 6);
    }
    pthread_exit(NULL); /* the first thread becomes a zombie */
}

static void *load_often(void *unused)
{
    while (!over) {
        void *library = dlopen(argument, RTLD_NOW);
        CHECK(library && dlclose(library) == 0);
    }
    return unused;
}

static void end_while_loading(int number)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, load_often, NULL) == 0);
    images_work((uint64_t)(number * 7 % 50) * 10000);
    if (number % 4 == 1)
        kill(getpid(), SIGKILL);
    if (number % 4 == 2)
        execl(program, "call_images", "execs", "0", NULL);
    over = true;
    if (number % 4 == 3)
        syscall(SYS_exit, 0); /* ends only the first thread */
    _exit(0);
}

static void try_loads(void)
{
    for (int i = 0; i < 80; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            end_while_loading(i);
        int status = reap(pid);
        if (status != (i % 4 == 1 ? SIGKILL : 0))
            die("child %d has status 0x%x", i, status);
    }
}

/* The tracer checks it when a library is loaded. */
static void try_maps(void)
{
    int fd = open(argument, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE) != MAP_FAILED);
    void *library = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
    CHECK(library && dlclose(library) == 0);
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
}

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 3);
    argument = argv[2];
    CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    if (strcmp(argv[1], "execs") == 0)
        try_execs();
    else if (strcmp(argv[1], "loads") == 0)
        try_loads();
    else if (strcmp(argv[1], "maps") == 0)
        try_maps();
    else
        die("no such subject: %s", argv[1]);
    puts("call_images: as expected");
    return 0;
}
