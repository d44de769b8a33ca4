// effort.c - counts the work of a solve (effort.h).
#include "actors/alignment/solver/effort.h"

#include <stddef.h>

bool
effort_is_stopped(const struct effort *self)
{
    return self && self->stop && atomic_load_explicit(self->stop, memory_order_relaxed);
}

bool
effort_is_over(const struct effort *self)
{
    return self && (self->left <= 0 || effort_is_stopped(self));
}

bool
effort_spend(struct effort *self, double operations)
{
    if (self)
        self->left -= operations;
    return !effort_is_over(self);
}

void
effort_exhaust(struct effort *self)
{
    if (self)
        self->left = 0;
}
