// suspicion.c - see suspicion.h.
#include "actors/standby/suspicion.h"

#include "proto/message/lease.h"

enum { SLOW_MS = 1000 };

void
suspicion_look(struct suspicion *self, bool is_read, store_version_t version, uint64_t began_ms,
               uint64_t ended_ms)
{
    bool is_slow = ended_ms - began_ms > SLOW_MS;
    bool is_news = is_read && (!self->has_seen || version != self->version);
    if (is_read)
        *self = (struct suspicion){version, self->since_ms, true};
    if (!is_read || is_slow || is_news)
        self->since_ms = ended_ms;
}

bool
suspicion_is_sure(const struct suspicion *self, uint64_t ended_ms)
{
    return self->has_seen && ended_ms - self->since_ms >= LEASE_SILENT_MS;
}
