// progress.c - draws the bar with share, count and rate, in place.
#include "tools/cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "proto/base/clock.h"

enum { BAR_WIDTH = 30, REDRAW_US = 100000 };

static const double MIB = 1 << 20;

void
progress_begin(struct progress *self, const char *label, uint64_t total)
{
    *self = (struct progress){.label = label,
                              .total = total ? total : 1,
                              .begun_us = clock_now_us(),
                              .shown = isatty(STDERR_FILENO) == 1};
}

static void
draw(const struct progress *self, uint64_t done, double seconds)
{
    static const char full[] = "##############################";
    static const char rest[] = "..............................";
    int filled = (int)(done * BAR_WIDTH / self->total);
    fprintf(stderr, "\r%s [%.*s%.*s] %3d %%  ", self->label, filled, full, BAR_WIDTH - filled, rest,
            (int)(done * 100 / self->total));
    if (self->is_bytes)
        fprintf(stderr, "%.1f/%.1f MiB  %.1f MiB/s\033[K", (double)done / MIB,
                (double)self->total / MIB, (double)done / seconds / MIB);
    else
        fprintf(stderr, "%llu/%llu  %.0f/s\033[K", (unsigned long long)done,
                (unsigned long long)self->total, (double)done / seconds);
}

void
progress_at(struct progress *self, uint64_t done)
{
    if (!self->shown)
        return;
    uint64_t now_us = clock_now_us();
    if (now_us - self->drawn_us < REDRAW_US || done > self->total)
        return;
    self->drawn_us = now_us;
    draw(self, done, (double)(now_us - self->begun_us + 1) / 1e6);
}

void
progress_end(struct progress *self)
{
    if (self->shown && self->drawn_us)
        fputs("\r\033[K", stderr);
    self->shown = false;
}
