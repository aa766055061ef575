#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The calls in 32-bit programs: cases of other scripts, with their programs compiled for i386.

. "$(dirname "$0")/lib.sh"

# as_narrow SCRIPT CASE...: runs these cases with 32-bit programs. TMPDIR gives the inner script its own lock, because
# this case has the outer one.
as_narrow() {
    local status=0
    [ -e "$TARGETS/narrow/call_storm" ] || skip "the compiler makes no 32-bit programs: none have been built"
    "$TARGETS/narrow/call_errors" >/dev/null 2>&1 || [ $? -lt 126 ] || skip "32-bit programs do not run here"
    within 300 env TMPDIR="$PWD" PTPROFIL="$PTPROFIL" TARGETS="$TARGETS/narrow" bash "$script_dir/$1" "${@:2}" >log 2>&1 || status=$?
    [ $status = 0 ] || [ $status = 77 ] || fail "status $status" "$(cat log)"
    ! grep -i '^skip' log || skip "$(grep -i -m 1 '^skip' log)"
}

case_storms() { as_narrow calls.sh storm_of_profil storm_of_pcsample storm_of_many_threads; }
case_faults_and_errors() { as_narrow calls.sh faults_of_its_own errno pending; }
case_own_profil() { as_narrow calls.sh own_profil; }
case_whose_profil_it_is() { as_narrow calls.sh opened_library opened_again_and_again calls_off; }
case_children() { as_narrow calls.sh children children_not_followed heir_not_followed; }
long_daemons_and_images() { as_narrow calls.sh daemon images_end_in_calls images_end_while_they_load; }
case_hostile() { as_narrow calls.sh hostile_requests hostile_buffers hostile_text hidden; }
long_ends() { PTPROFIL_TEST_LONG= as_narrow calls.sh ends; }
long_closed() { as_narrow calls.sh closed_in_a_storm closed_among_children closed_while_pcsample_runs told_to_end; }
long_survival() {
    PTPROFIL_TEST_LONG= as_narrow calls-survival.sh pcsample_tracer_killed pcsample_both_killed gprof_tracer_killed gprof_static_tracer_killed \
        loader_tracer_killed profil_front_killed profil_tracer_told_to_end profil_tracer_crashed profil_tracer_killed profil_threads_tracer_killed \
        profil_attached_tracer_killed profil_attached_threads_tracer_killed profil_attached_tracer_stuck profil_both_killed \
        children_front_killed children_tracer_killed children_attached_tracer_killed
}
case_survival() { PTPROFIL_TEST_LONG= as_narrow calls-survival.sh loader_tracer_killed profil_tracer_killed profil_attached_tracer_killed profil_both_killed; }
case_attached() { as_narrow attach.sh calls_while_loading calls_come_and_go; }
long_attached() { as_narrow attach.sh calls_of_children; }
case_library() { as_narrow libpcsample.sh alone served_signals; }

case_impose() { as_narrow impose.sh gprof_pie calls_off pcsample; }
long_impose() { as_narrow impose.sh gprof_static fork_pcsample replaced no_tick_is_missing; }

measures=impose
run_cases "$@"
