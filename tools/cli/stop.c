// stop.c - blocks the signals and watches them by a signalfd; it is never read, so it stays
// readable.
#include "tools/cli/stop.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>

#include "proto/base/clock.h"

static int stop_fd = -1;

int
stop_open(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    stop_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    assert(stop_fd >= 0);
    return stop_fd;
}

static bool
wait_us(uint64_t left_us)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    struct timespec left = {.tv_sec = (time_t)(left_us / 1000000),
                            .tv_nsec = (long)(left_us % 1000000) * 1000};
    return ppoll(&stop, 1, &left, NULL) > 0;
}

bool
stop_asked(void)
{
    return wait_us(0);
}

bool
stop_wait_until(uint64_t time_us)
{
    uint64_t now_us = clock_now_us();
    return wait_us(time_us > now_us ? time_us - now_us : 0);
}
