/* SPDX-License-Identifier: MIT */
#include "profile/profile/label.h"

#include "profile/profile/profile.h"

#include <stdio.h>
#include <string.h>

struct label label_syscall(int32_t number)
{
    struct label label;
    const char *name = profile_syscall_name(number);
    if (name)
        snprintf(label.text, sizeof label.text, "[%s]", name);
    else
        snprintf(label.text, sizeof label.text, "[syscall_%d]", (int)number);
    return label;
}

int32_t label_syscall_number(const char *label)
{
    char inner[sizeof((struct label *)0)->text];
    int number, end = 0;
    size_t length = strlen(label);
    if (length < 3 || length - 2 >= sizeof inner || label[0] != '[' || label[length - 1] != ']')
        return -1;
    memcpy(inner, label + 1, length - 2);
    inner[length - 2] = 0;
    if (sscanf(inner, "syscall_%9d%n", &number, &end) == 1 && !inner[end] && number >= 0)
        return number;
    return profile_syscall_number(inner);
}

struct label label_pid(pid_t pid, uint32_t image)
{
    struct label label;
    if (!pid)
        snprintf(label.text, sizeof label.text, "-");
    else if (image)
        snprintf(label.text, sizeof label.text, "%d.%u", (int)pid, (unsigned)image);
    else
        snprintf(label.text, sizeof label.text, "%d", (int)pid);
    return label;
}

struct label label_process(const struct profile_process *process)
{
    return label_pid(process->pid, process->image);
}

struct label label_thread(const struct profile *profile, const struct profile_thread *thread)
{
    struct label label = label_process(&profile->processes[thread->process]);
    struct label whole;
    if (thread->tid)
        snprintf(whole.text, sizeof whole.text, "%.40s/%d", label.text, (int)thread->tid);
    else
        snprintf(whole.text, sizeof whole.text, "%.40s/-", label.text);
    return whole;
}

const char *label_module(const struct profile *profile, uint32_t location)
{
    return profile->modules[profile->locations[location].module].name;
}

const struct profile_process *label_process_of(const struct profile *profile, const struct profile_sample *sample)
{
    return &profile->processes[profile->threads[sample->thread].process];
}

bool label_in_syscall(const struct profile_sample *sample)
{
    return sample->syscall >= 0;
}

bool label_in_kernel(const struct profile *profile, const struct profile_sample *sample)
{
    const struct profile_location *leaf = &profile->locations[profile->frames[sample->frame_first]];
    return label_in_syscall(sample) || leaf->address >> 63;
}

struct label label_rank(const struct profile_rank *rank)
{
    struct label label = {"[no rank]"};
    if (rank->known)
        snprintf(label.text, sizeof label.text, "%u", (unsigned)rank->number);
    return label;
}
