/* SPDX-License-Identifier: MIT
 *
 * Plays a process of ptprofil that runs an attacker's code. It takes the rights from itself that the process takes from
 * itself, then tries what an attacker would, and prints for each try "done", the error, or the signal that ended it.
 *
 *     hostile_process PROCESS OTHERS_FILE
 *
 * PROCESS: tracer, front, reader, sender, objdump, or all for one that keeps its rights. OTHERS_FILE: a file that only
 * its owner may read. */
#include "common/confine/refuse.h"
#include "front/naming/name_wire.h"
#include "front/session/confine.h"
#include "front/session/options.h"
#include "tracer/loop/confine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, KEYRING = -3 };

static pid_t victim;
static const char *others_file;
static int prepared_socket;
static struct sockaddr_in server;

/* The tries return less than 0 with errno set if they fail. Some would end or change this process if they succeeded;
 * they have arguments with which the kernel fails after it has allowed the call. */
static long allowed_if(long result, int failure)
{
    return result < 0 && errno == failure ? 0 : result;
}

static long try_open(void)
{
    return open("/etc/passwd", O_RDONLY);
}

static long try_others(void)
{
    return open(others_file, O_RDONLY);
}

static long try_create(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/ptprofil-hostile-%d", (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static long try_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static long try_connect(void)
{
    return connect(prepared_socket, (struct sockaddr *)&server, sizeof server);
}

static long try_signal(void)
{
    return kill(victim, SIGUSR1);
}

static long try_ptrace(void)
{
    return ptrace(PTRACE_SEIZE, victim, 0, 0);
}

static long try_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&server, 1};
    return process_vm_readv(victim, &here, 1, &there, 1, 0);
}

static long try_exec(void)
{
    char *const none[] = {NULL};
    return allowed_if(syscall(SYS_execve, "/does/not/exist", none, none), ENOENT);
}

static long try_fork(void)
{
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    return pid;
}

static long try_user(void)
{
    return syscall(SYS_setresuid, geteuid() ? 0 : NOBODY, -1, -1);
}

static long try_mount(void)
{
    return allowed_if(mount("none", "/does/not/exist", "tmpfs", 0, ""), ENOENT);
}

static long try_namespace(void)
{
    return unshare(CLONE_NEWUSER);
}

static long try_chroot(void)
{
    return chroot("/");
}

static long try_userfaultfd(void)
{
    return syscall(SYS_userfaultfd, 1); /* UFFD_USER_MODE_ONLY */
}

static long try_io_uring(void)
{
    struct io_uring_params parameters = {0};
    return syscall(SYS_io_uring_setup, 1, &parameters);
}

static long try_bpf(void)
{
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    return syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
}

static long try_perf(void)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
    return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}

static long try_keys(void)
{
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEYRING, 1);
}

static long try_module(void)
{
    return allowed_if(syscall(SYS_init_module, NULL, 1, ""), EFAULT);
}

static long try_code(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

static const struct {
    const char *name;
    long (*run)(void);
} tries[] = {
    {"open", try_open},     {"others", try_others},       {"create", try_create},
    {"socket", try_socket}, {"connect", try_connect},     {"signal", try_signal},
    {"ptrace", try_ptrace}, {"memory", try_memory},       {"exec", try_exec},
    {"fork", try_fork},     {"user", try_user},           {"mount", try_mount},
    {"chroot", try_chroot}, {"namespace", try_namespace}, {"userfaultfd", try_userfaultfd},
    {"bpf", try_bpf},       {"io_uring", try_io_uring},   {"perf", try_perf},
    {"keys", try_keys},     {"module", try_module},       {"code", try_code},
};

static void be_all(void)
{
}

static void be_tracer(void)
{
    confine_tracer(getppid());
}

static void be_front(void)
{
    const struct session_options options = {0};
    confine_front(&options);
}

static void be_reader(void)
{
    const struct name_reader reader = {.user = NOBODY, .group = NOBODY};
    name_confine(&reader);
}

static const struct {
    const char *name;
    void (*be)(void);
} processes[] = {
    {"all", be_all},       {"tracer", be_tracer},        {"front", be_front},
    {"reader", be_reader}, {"sender", refuse_as_client}, {"objdump", refuse_as_tool},
};

static pid_t start_victim(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGUSR1, SIG_IGN);
        for (alarm(60);;)
            pause();
    }
    return pid;
}

static int start_server(void)
{
    socklen_t size = sizeof server;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listening, (struct sockaddr *)&server, sizeof server) < 0 || listen(listening, 64) < 0 ||
        getsockname(listening, (struct sockaddr *)&server, &size) < 0)
        return -1;
    return listening;
}

/* Each try has a process of its own, which it may end. */
static void run_try(void (*be)(void), const char *name, long (*run)(void))
{
    int status;
    prepared_socket = socket(AF_INET, SOCK_STREAM, 0);
    pid_t pid = fork();
    if (pid == 0) {
        be();
        _exit(run() < 0 ? errno : 0);
    }
    close(prepared_socket);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        exit(99);
    printf("%s %s\n", name,
           WIFSIGNALED(status)   ? strsignal(WTERMSIG(status))
           : WEXITSTATUS(status) ? strerror(WEXITSTATUS(status))
                                 : "done");
}

int main(int argc, char **argv)
{
    size_t process = 0, count = sizeof processes / sizeof *processes;
    while (argc == 3 && process < count && strcmp(processes[process].name, argv[1]) != 0)
        process++;
    if (argc != 3 || process == count || start_server() < 0)
        return 2;
    others_file = argv[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    victim = start_victim();
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        run_try(processes[process].be, tries[i].name, tries[i].run);
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    return 0;
}
