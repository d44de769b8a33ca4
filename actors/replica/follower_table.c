// follower_table.c - see follower_table.h.
#include "actors/replica/follower_table.h"

#include <string.h>

#include "proto/message/metrics.h"

static bool
is_idle(const struct follower *row, uint64_t now_ms)
{
    return !row->is_waiting && now_ms - row->heard_ms >= FOLLOWER_IDLE_MS;
}

static bool
is_of(const struct follower *row, const struct follower_identity *identity)
{
    return row->identity.size == identity->size &&
           memcmp(row->identity.bytes, identity->bytes, identity->size) == 0;
}

static void
tell(struct follower_table *self)
{
    uint64_t count = 0;
    for (size_t i = 0; i < FOLLOWERS; i++)
        count += self->rows[i].identity.size > 0;
    gauge_follow(GAUGE_REPLICA_FOLLOWERS, &self->told, count);
}

struct follower *
follower_table_take(struct follower_table *self, const struct follower_identity *identity,
                    uint64_t now_ms)
{
    struct follower *place = NULL;
    for (size_t i = 0; i < FOLLOWERS; i++) {
        struct follower *row = &self->rows[i];
        if (row->identity.size && is_of(row, identity)) {
            row->heard_ms = now_ms;
            return row;
        }
        if (!place && (!row->identity.size || is_idle(row, now_ms)))
            place = row;
    }
    if (!place || !identity->size)
        return NULL;
    *place = (struct follower){.identity = *identity, .heard_ms = now_ms};
    tell(self);
    return place;
}

void
follower_table_forget(struct follower_table *self, uint64_t now_ms)
{
    for (size_t i = 0; i < FOLLOWERS; i++)
        if (is_idle(&self->rows[i], now_ms))
            self->rows[i] = (struct follower){0};
    tell(self);
}

bool
follower_table_is_waiting(const struct follower_table *self)
{
    for (size_t i = 0; i < FOLLOWERS; i++)
        if (self->rows[i].is_waiting)
            return true;
    return false;
}

void
follower_table_finish(struct follower_table *self)
{
    memset(self->rows, 0, sizeof self->rows);
    tell(self);
}
