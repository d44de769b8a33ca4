// background_test.c - work that yields to others, and work that does not.
#include "actors/alignment/background.h"

#include <criterion/criterion.h>
#include <sys/resource.h>
#include <unistd.h>

struct seen {
    int priority;
    pid_t thread;
};

static void
look(void *argument)
{
    struct seen *seen = argument;
    seen->thread = gettid();
    seen->priority = getpriority(PRIO_PROCESS, (id_t)seen->thread);
}

Test(background, work_that_yields_is_nicer_and_its_asker_is_not)
{
    struct seen seen = {0};
    int before = getpriority(PRIO_PROCESS, (id_t)gettid());
    background_run(true, look, &seen);
    cr_assert_eq(seen.priority, before > 10 ? before : 10);
    cr_assert_neq(seen.thread, gettid());
    cr_assert_eq(getpriority(PRIO_PROCESS, (id_t)gettid()), before);
}

Test(background, work_that_does_not_yield_has_the_priority_of_its_asker_also_after_work_that_did)
{
    struct seen seen = {0};
    background_run(true, look, &seen);
    background_run(false, look, &seen);
    cr_assert_eq(seen.priority, getpriority(PRIO_PROCESS, (id_t)gettid()));
}
