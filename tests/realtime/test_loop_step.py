"""loop_step.h called from C, at the exact limits: no clock and no second thread decides what happens."""

import subprocess

import pytest

from symbody.codegen.includes import ROOT

pytestmark = pytest.mark.posix

PROGRAM = r"""
#include "realtime/loop_step.h"
#include <stdio.h>
#include <stdlib.h>

#define expect(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); exit(1); } } while (0)

static struct { block_t block; double efforts[2]; } memory;
static block_t *b = &memory.block;
static loop_t l;
static double y[2], record[FIRST + 2], least[2], most[2], sample[2], next_y[2];
static int64_t momentary[2], capped, doubted;
static int step_status;
static int64_t asked; /* step that was asked for */

static int64_t made(void *of, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    (void)of, (void)every;
    asked = first;
    memcpy(path, next_y, sizeof next_y);
    *status = step_status;
    return n;
}

static void prepare(void)
{
    memory.efforts[0] = 2.0, memory.efforts[1] = NAN;
    b->efforts = (char *)memory.efforts - (char *)b;
    b->ny = 2, b->period = 1e-3;
    least[0] = least[1] = -0.3, most[0] = most[1] = 5.0;
    l = (loop_t){.block = b, .stepper = (void *)made, .y = y, .record = record, .least = least, .most = most,
                 .sample = sample, .momentary = momentary, .capped = &capped, .doubted = &doubted, .substeps = 1,
                 .slack = 1e-9*1000000, .stale = 1e-9*5000000};
}

static void outputs(double first, double second)
{
    next_y[0] = first, next_y[1] = second;
}

static void limits_of_outputs(void)
{
    outputs(-0.3, 5.0); /* the limits themselves are allowed */
    expect(make_step(&l) && b->steps == 1 && !b->fault);
    outputs(0.0, -0.30001);
    expect(!make_step(&l) && b->fault == OUTSIDE && b->culprit == 1 && b->blamed == -0.30001 && b->steps == 1);
    b->fault = 0;
    outputs(0.0, 5.00001);
    expect(!make_step(&l) && b->fault == OUTSIDE && b->faults[OUTSIDE] == 2);
    b->fault = 0;
    outputs(0.0, NAN);
    expect(!make_step(&l) && b->fault == DIVERGED && b->culprit == 1);
    expect(record[FIRST] == -0.3 && record[FIRST + 1] == 5.0); /* a failed step leaves the record as it was */
}

static void efforts_are_clamped(void)
{
    least[0] = -10.0, most[0] = 10.0;
    outputs(2.0, 0.0);
    expect(make_step(&l) && b->clamped == 0 && record[FIRST] == 2.0);
    outputs(-2.5, 4.0); /* the second is no effort: its limit is not a number */
    expect(make_step(&l) && b->clamped == 1 && record[FIRST] == -2.0 && record[FIRST + 1] == 4.0);
    let_go(b, record + FIRST);
    expect(record[FIRST] == 0.0 && record[FIRST + 1] == 4.0);
}

static void failures_of_steps_are_named(void)
{
    int status;
    for (status = NOT_FINITE; status <= ELSEWHERE; status++) {
        step_status = status;
        expect(!make_step(&l) && b->fault == DIVERGED + status - NOT_FINITE && b->steps == 0);
    }
}

static void lateness_and_silence(void)
{
    b->nsample = 1;
    expect(fault_now(&l, 0, 1000000) == 0 && fault_now(&l, 0, 1000001) == OVERRUN);
    expect(fault_now(&l, 5000000, 0) == 0 && fault_now(&l, 5000001, 0) == STALE);
    l.refusal = OUT_OF_LIMITS;
    expect(fault_now(&l, 5000001, 0) == OUT_OF_LIMITS);
    b->nsample = 0; /* without samples nothing can be stale */
    expect(fault_now(&l, 5000001, 0) == 0);
}

static void recovery_after_calm_periods(void)
{
    int64_t k;
    l.patience = 3;
    expect(state_now(&l, NOTHING, -1, 0, 2000000) == SAFE && b->fault == OVERRUN);
    for (k = 1; k < l.patience; k++)
        expect(state_now(&l, NOTHING, -1, 0, 0) == SAFE && l.calm == k);
    expect(state_now(&l, NOTHING, -1, 0, 0) == RUNNING && !b->fault && l.anew == 1);
    expect(state_now(&l, NOTHING, 0, 0, 2000000) == PAUSED && !b->fault); /* a loop that may not step has no fault */
}

static void lasting_faults_wait_for_a_command(void)
{
    static const int faults[] = {STALE, OVERRUN, OUTSIDE, DIVERGED, LEAPT};
    size_t k;
    for (k = 0; k < sizeof faults/sizeof *faults; k++) {
        b->fault = faults[k];
        l.policy = HOLD;
        expect(lasting(&l) == (faults[k] >= OUTSIDE));
        l.policy = RESTART;
        expect(!lasting(&l));
        l.policy = LATCH;
        expect(lasting(&l));
        expect(state_now(&l, NOTHING, -1, 0, 0) == SAFE);
        expect(state_now(&l, CLEAR, -1, 0, 0) == RUNNING);
    }
}

static void old_measurements_do_not_count_after_a_command(void)
{
    b->nsample = 2;
    momentary[0] = 1;
    sample[0] = 0.7, sample[1] = 0.9;
    expect(state_now(&l, NOTHING, -1, 0, 0) == RUNNING && sample[0] == 0.7);
    expect(state_now(&l, CLEAR, -1, 0, 0) == RUNNING && isnan(sample[0]) && sample[1] == 0.9);
}

static void allowed_steps_are_used_up(void)
{
    b->allowed = 2;
    use_up(b);
    expect(b->allowed == 1);
    use_up(b);
    expect(b->allowed == 0);
    use_up(b);
    expect(b->allowed == 0);
    b->allowed = -1; /* any number */
    use_up(b);
    expect(b->allowed == -1);
}

static void a_restart_begins_at_the_start(void)
{
    static double kept[3] = {7.0, 8.0, 9.0}, *where[1] = {kept}, start[3] = {1.0, 2.0, 3.0};
    static const int64_t sizes[1] = {3};
    l.nkept = 1, l.kept = where, l.sizes = sizes, l.start = start;
    expect(state_now(&l, CLEAR, -1, 0, 0) == RUNNING && kept[0] == 7.0);
    expect(b->restarts == 0);
    b->steps = 41;
    expect(state_now(&l, BEGIN_AGAIN, -1, 0, 0) == RUNNING && kept[0] == 1.0 && kept[2] == 3.0);
    expect(b->restarts == 1 && b->begun == 41);
    outputs(0.0, 0.0); /* the time of the model begins again, that of the records continues */
    expect(make_step(&l) && asked == 0 && record[STEP] == 41);
    expect(make_step(&l) && asked == 1 && record[STEP] == 42 && record[TIME] == 42*b->period);
    kept[1] = 8.0, b->fault = OVERRUN, l.policy = RESTART;
    expect(state_now(&l, NOTHING, -1, 0, 0) == RUNNING && kept[1] == 2.0);
}

int main(int argc, char **argv)
{
    void (*tests[])(void) = {TESTS};
    (void)argc;
    prepare();
    tests[atoi(argv[1])]();
    return 0;
}
"""
TESTS = (
    "limits_of_outputs", "efforts_are_clamped", "failures_of_steps_are_named", "lateness_and_silence",
    "recovery_after_calm_periods", "lasting_faults_wait_for_a_command", "old_measurements_do_not_count_after_a_command",
    "allowed_steps_are_used_up", "a_restart_begins_at_the_start",
)  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loop_step")
    source, made = folder / "loop_step.c", folder / "loop_step"
    source.write_text(PROGRAM.replace("{TESTS}", "{" + ", ".join(TESTS) + "}"))
    strict = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run(["cc", *strict, "-I", str(ROOT), "-o", str(made), str(source), "-lm"], check=True)
    return made


@pytest.mark.parametrize("test", TESTS)
def test_loop_step(program, test):
    done = subprocess.run([program, str(TESTS.index(test))], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
