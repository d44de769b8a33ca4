// background.c - a thread for one work (background.h).
#include "actors/alignment/background.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

struct background {
    bool yields;
    void (*work)(void *argument);
    void *argument;
};

static void *
run(void *argument)
{
    enum { NICE = 10 };
    const struct background *self = argument;
    if (self->yields)
        (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); // Linux: of this thread alone
    self->work(self->argument);
    return NULL;
}

void
background_run(bool yields, void (*work)(void *argument), void *argument)
{
    struct background background = {yields, work, argument};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &background) == 0)
        pthread_join(thread, NULL);
    else
        work(argument); // it is late, and better than never
}
