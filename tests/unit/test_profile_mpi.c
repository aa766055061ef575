/* SPDX-License-Identifier: MIT */
#include "profile/profile/mpi.h"

#include "test_profile.h"
#include "unit.h"

static const struct {
    const char *name, *text;
    enum mpi_kind kind;
} names[] = {
    {"MPI_Send", "MPI_Send", MPI_OTHER},
    {"PMPI_Send", "MPI_Send", MPI_OTHER},
    {"MPI_Barrier", "MPI_Barrier", MPI_COLLECTIVE},
    {"PMPI_Allreduce", "MPI_Allreduce", MPI_COLLECTIVE},
    {"MPI_Ibarrier", "MPI_Ibarrier", MPI_OTHER},
    {"MPI_Waitall", "MPI_Waitall", MPI_OTHER},
    {"MPI_Reduce_local", "MPI_Reduce_local", MPI_OTHER},
    {"MPI_Reduce_scatter", "MPI_Reduce_scatter", MPI_COLLECTIVE},
    {"MPI_File_write_at", "MPI_File_write_at", MPI_IO},
    {"mpi_barrier_", "MPI_Barrier", MPI_COLLECTIVE},
    {"pmpi_send__", "MPI_Send", MPI_OTHER},
    {"mpi_file_open_", "MPI_File_open", MPI_IO},
    {"mpi_send", NULL, MPI_NOT}, /* a function in C with a similar name */
    {"mpi_", NULL, MPI_NOT},
    {"mpi__", NULL, MPI_NOT},
    {"MPI_", NULL, MPI_NOT},
    {"MPI_send", NULL, MPI_NOT},
    {"MPI_Send@plt", NULL, MPI_NOT},
    {"XMPI_Send", NULL, MPI_NOT},
    {"MPIR_Barrier_impl", NULL, MPI_NOT},
    {"", NULL, MPI_NOT},
    {"P", NULL, MPI_NOT},
    {"MPI_Xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", NULL, MPI_NOT},
};

START_TEST(names_follow_the_table)
{
    char text[MPI_NAME_SIZE] = "unchanged";
    ck_assert_int_eq(mpi_kind_of(names[_i].name, text), names[_i].kind);
    ck_assert_str_eq(text, names[_i].text ? names[_i].text : "unchanged");
}
END_TEST

/* Functions that an MPI call uses, of MPI or not, belong to this call. */
START_TEST(a_sample_is_of_its_outermost_call)
{
    struct profile *profile = make_profile("app");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "app"), 1, "app");
    uint32_t app = make_module(profile, "/app", 0x1000, 0x2000),
             library = make_module(profile, "/libmpi.so", 0x1000, 0x2000);
    uint32_t main = make_frame(profile, app, "main", 0x1000),
             barrier = make_frame(profile, library, "PMPI_Barrier", 0x1000);
    uint32_t send = make_frame(profile, library, "MPI_Send", 0x1100),
             poll = make_frame(profile, library, "opal_progress", 0x1200);
    struct mpi mpi;
    ADD_STACK(profile, thread, -1, 1, 10, poll, send, barrier, main);
    ADD_STACK(profile, thread, -1, 1, 10, main);
    ADD_STACK(profile, thread, 1, 1, 10, main);
    ck_assert_int_eq(mpi_init(&mpi, profile), 0);
    ck_assert_uint_eq(mpi_call_of(&mpi, profile, &profile->samples[0]), profile->locations[barrier].function);
    ck_assert_uint_eq(mpi_call_of(&mpi, profile, &profile->samples[1]), PROFILE_NONE);
    ck_assert(!mpi_is_io(&profile->samples[1]));
    ck_assert(mpi_is_io(&profile->samples[2])); /* write */
    mpi_fini(&mpi);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/mpi");
    UNIT_ADD_TABLE(tests, names_follow_the_table, names);
    tcase_add_test(tests, a_sample_is_of_its_outermost_call);
    return unit_end();
}
