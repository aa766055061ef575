/* SPDX-License-Identifier: MIT */
#include "profile/label.h"

#include <stdio.h>

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
