// audit_quota.c - counts lines by their source. The writer's thread; the time is passed in.
#include "actors/audit/audit_quota.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct source {
    char name[64];
    unsigned count;
};

static const char *
name_of(const struct audit_event *event)
{
    if (event->user[0])
        return event->user;
    return event->key[0] ? event->key : event->address;
}

static bool
is_of(const void *value, const void *key)
{
    const struct source *source = value;
    return strncmp(source->name, key, sizeof source->name - 1) == 0;
}

static void
begin_again(struct audit_quota *self, uint64_t now_ms)
{
    struct source *source;
    for (size_t cursor = 0; (source = table_next(&self->sources, &cursor)) != NULL;)
        free(source);
    table_clear(&self->sources);
    self->began_ms = now_ms;
}

static struct source *
source_of(struct audit_quota *self, const char *name, uint64_t now_ms)
{
    uint64_t hash = table_hash_chars(name);
    struct source *source = table_find(&self->sources, hash, is_of, name);
    if (source)
        return source;
    if (self->sources.count == AUDIT_QUOTA_SOURCES)
        begin_again(self, now_ms);
    source = memory_take_zeroed(sizeof *source);
    memcpy(source->name, name, strnlen(name, sizeof source->name - 1));
    table_add(&self->sources, hash, source);
    return source;
}

bool
audit_quota_take(struct audit_quota *self, const struct audit_event *event, uint64_t now_ms)
{
    bool is_own = !event->user[0] && !event->address[0];
    if (is_own || event->is_by_admin)
        return true;
    if (self->sources.count == 0 || now_ms >= self->began_ms + AUDIT_QUOTA_MS)
        begin_again(self, now_ms);
    struct source *source = source_of(self, name_of(event), now_ms);
    if (source->count == AUDIT_QUOTA_LINES)
        return false;
    source->count++;
    return true;
}

void
audit_quota_finish(struct audit_quota *self)
{
    begin_again(self, 0);
    table_finish(&self->sources);
}
