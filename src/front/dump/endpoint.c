/* SPDX-License-Identifier: MIT
 *
 * What an open descriptor of a process is, and who is at its other end. /proc is read with our own rights: what they do
 * not show is left out. */
#include "front/dump/dump.h"

#include "common/base/buffer.h"
#include "common/base/proc.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_LIMIT = 4 << 20, PROCESSES_MOST = 4096, ADDRESS_WORDS = 4 };

/* Sets ADDRESS to the text of "HEX:PORT", as in /proc/net/tcp. The words are in the machine's byte order. */
static bool parse_address(const char *hex, bool is_6, struct buffer *address)
{
    uint32_t words[ADDRESS_WORDS];
    char text[INET6_ADDRSTRLEN];
    unsigned port;
    size_t count = is_6 ? ADDRESS_WORDS : 1;
    for (size_t i = 0; i < count; i++, hex += 8)
        if (sscanf(hex, "%8" SCNx32, &words[i]) != 1)
            return false;
    if (sscanf(hex, ":%4x", &port) != 1 || !inet_ntop(is_6 ? AF_INET6 : AF_INET, words, text, sizeof text))
        return false;
    const char *plain = is_6 && !strncmp(text, "::ffff:", 7) ? text + 7 : text;
    return buffer_printf(address, strchr(plain, ':') ? "[%s]:%u" : "%s:%u", plain, port);
}

/* Appends the addresses of socket INODE, if LINE of /proc/net/tcp is about it. */
static bool put_inet(struct buffer *text, const char *line, const char *kind, bool is_6, uint64_t inode)
{
    char local[64], remote[64];
    uint64_t of;
    if (sscanf(line, " %*[^:]: %63s %63s %*s %*s %*s %*s %*s %*s %" SCNu64, local, remote, &of) != 3 || of != inode)
        return false;
    struct buffer here = {0}, there = {0};
    bool known = parse_address(local, is_6, &here) && parse_address(remote, is_6, &there);
    bool connected = known && strcmp(there.bytes + there.length - 2, ":0") != 0;
    if (known)
        buffer_printf(text, connected ? "%s %s -> %s" : "%s %s", kind, here.bytes, there.bytes);
    buffer_fini(&here);
    buffer_fini(&there);
    return known;
}

/* Appends the path of socket INODE, if LINE of /proc/net/unix is about it. The path may be missing. */
static bool put_unix(struct buffer *text, const char *line, uint64_t inode)
{
    char path[128] = "";
    uint64_t of;
    if (sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNu64 " %127s", &of, path) < 1 || of != inode)
        return false;
    buffer_printf(text, "Unix socket%s%s", *path ? " " : "", path);
    return true;
}

static bool find_socket(struct buffer *text, pid_t pid, const char *table, uint64_t inode)
{
    struct buffer lines = {0};
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, table);
    buffer_read_path(&lines, path, TABLE_LIMIT);
    for (char *line = lines.length ? lines.bytes : NULL, *end; line && !found; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = 0;
        if (!strcmp(table, "unix"))
            found = put_unix(text, line, inode);
        else
            found = put_inet(text, line, *table == 't' ? "TCP" : "UDP", table[3] == '6', inode);
    }
    buffer_fini(&lines);
    return found;
}

static void put_socket(struct buffer *text, pid_t pid, uint64_t inode)
{
    static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "unix"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (find_socket(text, pid, tables[i], inode))
            return;
    buffer_puts(text, "a socket");
}

/* Returns true if a descriptor of process PID is LINK. */
static bool has_open(pid_t pid, const char *link)
{
    char path[64], target[PATH_MAX];
    bool has = false;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = proc_opendir(path);
    for (struct dirent *entry; !has && folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%d/fd/%.20s", (int)pid, entry->d_name);
        has = entry->d_name[0] != '.' && proc_readlink(path, target, sizeof target) > 0 && !strcmp(target, link);
    }
    if (folder)
        closedir(folder);
    return has;
}

/* Appends other processes that have LINK, a pipe, open. */
static void put_others(struct buffer *text, pid_t pid, const char *link)
{
    enum { NAMED_MOST = 3 };
    char path[64], name[64];
    unsigned found = 0, looked = 0;
    DIR *folder = proc_opendir("/proc");
    for (struct dirent *entry; folder && found < NAMED_MOST && looked < PROCESSES_MOST && (entry = readdir(folder));) {
        pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);
        if (other <= 0 || other == pid)
            continue;
        looked++;
        if (!has_open(other, link))
            continue;
        snprintf(path, sizeof path, "/proc/%d/comm", (int)other);
        int fd = proc_open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd < 0 ? fd : proc_read(fd, name, sizeof name);
        if (fd >= 0)
            close(fd);
        name[got > 0 ? strcspn(name, "\n") : 0] = 0;
        buffer_printf(text, "%s%s (%d)", found++ ? ", " : ", which others have open, too: ", name, (int)other);
    }
    if (folder)
        closedir(folder);
}

void dump_put_endpoint(struct buffer *text, pid_t pid, int fd, unsigned *scans)
{
    char path[64], target[PATH_MAX];
    uint64_t inode;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    if (proc_readlink(path, target, sizeof target) <= 0)
        return;
    if (sscanf(target, "socket:[%" SCNu64, &inode) == 1) {
        put_socket(text, pid, inode);
        return;
    }
    buffer_puts(text, target);
    if (strncmp(target, "pipe:[", 6) != 0 || !*scans)
        return;
    --*scans;
    put_others(text, pid, target);
}
