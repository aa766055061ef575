/* SPDX-License-Identifier: MIT */
#include "test_json.h"
#include "test_report.h"

static char *speedscope(const struct profile *profile)
{
    char *text = written(report_speedscope_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_msg(is_json(text), "not JSON: %s", text);
    return text;
}

START_TEST(a_profile_for_each_thread)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 0, "prog"), second = make_process(profile, 9, 1, "next");
    uint32_t thread = make_thread(profile, process, 7, "prog"), helper = make_thread(profile, process, 0, "helper");
    make_thread(profile, second, 9, "idle");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2);
    add_line(profile, work, work, "work.c", 12);
    ADD_STACK(profile, thread, -1, 3, 300, work, main);
    ADD_STACK(profile, helper, 0, 5, 500, work);
    ADD_STACK(profile, thread, -1, 1, 40, main);
    profile->samples[2].cut = PROFILE_TRUNCATED;
    add_unsampled(profile, second, 6);
    char *text = speedscope(profile);
    ck_assert_str_eq(
        text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"ptprofil\",\n"
              "\"name\":\"prog\",\n\"profiles\":[\n"
              "{\"type\":\"sampled\",\"name\":\"prog 7/7\",\"unit\":\"nanoseconds\",\"startValue\":0,\n"
              "\"samples\":[\n[0,1],\n[2,0]],\n\"weights\":[300,40],\n\"endValue\":340},\n"
              "{\"type\":\"sampled\",\"name\":\"helper 7/-\",\"unit\":\"nanoseconds\",\"startValue\":0,\n"
              "\"samples\":[\n[1,3]],\n\"weights\":[500],\n\"endValue\":500},\n"
              "{\"type\":\"sampled\",\"name\":\"[unsampled]\",\"unit\":\"nanoseconds\",\"startValue\":0,\n"
              "\"samples\":[\n[4,5]],\n\"weights\":[6],\n\"endValue\":6}],\n"
              "\"activeProfileIndex\":1,\n\"shared\":{\"frames\":[\n"
              "{\"name\":\"main\",\"file\":\"/bin/prog\"},\n{\"name\":\"work\",\"file\":\"work.c\",\"line\":12},\n"
              "{\"name\":\"[truncated]\"},\n{\"name\":\"[read]\",\"file\":\"[kernel]\"},\n"
              "{\"name\":\"next 9.1\"},\n{\"name\":\"[unsampled]\"}]}}\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* Successive samples of one stack are merged. Samples without a time are last. */
START_TEST(samples_are_in_the_order_of_time)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 0, "prog"), thread = make_thread(profile, process, 7, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2);
    ADD_STACK(profile, thread, -1, 3, 300, work, main);
    ADD_STACK(profile, thread, -1, 3, 60, main);
    instants_add(&profile->instants, &(struct instant){2000, 0, 1, 99, 0});
    instants_add(&profile->instants, &(struct instant){1000, 1, 1, 10, 0});
    instants_add(&profile->instants, &(struct instant){3000, 0, 1, 101, 0});
    instants_add(&profile->instants, &(struct instant){4000, 1, 2, 50, 0});
    char *text = speedscope(profile);
    ck_assert_msg(strstr(text, "\"samples\":[\n[0],\n[0,1],\n[0],\n[0,1]],\n\"weights\":[10,200,50,100],\n"
                               "\"endValue\":360}") != NULL,
                  "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(an_empty_profile_is_json)
{
    struct profile *profile = make_profile(NULL);
    char *text = speedscope(profile);
    ck_assert_ptr_nonnull(strstr(text, "\"samples\":[],\n\"weights\":[],\n\"endValue\":0}"));
    free(text);
    profile_free(profile);
}
END_TEST

/* The profile is larger than the writer's buffer. */
START_TEST(large_profiles_are_whole)
{
    enum { MANY = 3000, DEPTH = 20 };
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "p");
    uint32_t frame = make_frame(profile, make_module(profile, "/bin/p", 0, 100), "f", 16);
    uint32_t stack[DEPTH];
    for (size_t i = 0; i < DEPTH; i++)
        stack[i] = frame;
    for (uint64_t i = 0; i < MANY; i++)
        add_stack(profile, thread, -1, 1, i, stack, DEPTH);
    char *text = speedscope(profile);
    ck_assert_uint_gt(strlen(text), 1 << 16);
    ck_assert_uint_eq(json_sum(text, "weights"), profile_cpu_ns(profile));
    ck_assert_uint_eq(json_sum_members(text, "endValue"), profile_cpu_ns(profile));
    free(text);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/speedscope");
    tcase_add_test(tests, a_profile_for_each_thread);
    tcase_add_test(tests, an_empty_profile_is_json);
    tcase_add_test(tests, samples_are_in_the_order_of_time);
    tcase_add_test(tests, large_profiles_are_whole);
    return unit_end();
}
