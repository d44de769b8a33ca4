// audit_groups.c - counts events by user, address, operation, outcome and place. The writer's
// thread; the time is passed in.
#include "actors/audit/audit_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct group {
    struct audit_event first;
    char last_request[AUDIT_REQUEST_SIZE];
    uint64_t count; // that no line has told
    uint64_t began_ms, last_ms;
    bool is_told; // its minute has a line already
};

// What nobody who is logged in was refused before it was looked at: it has no place, or a stranger
// could have any number of groups.
static bool
has_no_place(const struct audit_event *event)
{
    return event->kind == AUDIT_MINUTE && audit_is_refusal(event) && !event->user[0];
}

// Where it happened: the scene, else the thing itself (a project, a user).
static const char *
place_of(const struct audit_event *event)
{
    if (has_no_place(event))
        return "";
    return event->scene[0] ? event->scene : event->key;
}

static uint64_t
hash_of(const struct audit_event *event)
{
    char words[sizeof *event];
    snprintf(words, sizeof words, "%s %s %s %d %s", event->user, event->address, event->operation,
             event->outcome, place_of(event));
    return table_hash_chars(words);
}

static bool
is_of(const void *value, const void *key)
{
    const struct audit_event *one = &((const struct group *)value)->first, *other = key;
    return one->operation == other->operation && one->outcome == other->outcome &&
           strcmp(one->user, other->user) == 0 && strcmp(one->address, other->address) == 0 &&
           strcmp(place_of(one), place_of(other)) == 0;
}

static struct group *
group_new(struct audit_groups *self, const struct audit_event *event, uint64_t now_ms)
{
    struct group *group = memory_take_zeroed(sizeof *group);
    group->first = *event;
    group->began_ms = now_ms;
    table_add(&self->table, hash_of(event), group);
    return group;
}

// The line of a group without a place names what all its events name.
static void
forget_difference(struct audit_event *first, const struct audit_event *event)
{
    if (strcmp(first->key, event->key) != 0)
        first->key[0] = '\0';
    if (strcmp(first->scene, event->scene) != 0)
        first->scene[0] = '\0';
}

bool
audit_groups_add(struct audit_groups *self, const struct audit_event *event, uint64_t now_ms)
{
    struct group *group = table_find(&self->table, hash_of(event), is_of, event);
    if (!group && self->table.count == AUDIT_GROUPS_MOST)
        return false;
    if (!group)
        group = group_new(self, event, now_ms);
    if (group->count == 0)
        group->first = *event;
    else if (has_no_place(event))
        forget_difference(&group->first, event);
    memcpy(group->last_request, event->request, sizeof group->last_request);
    group->count++;
    group->last_ms = now_ms;
    return true;
}

static bool
is_over(const struct group *group, uint64_t now_ms)
{
    return now_ms >= group->began_ms + AUDIT_GROUP_MS;
}

static bool
is_due(const struct group *group, uint64_t now_ms)
{
    bool is_quiet = !group->is_told && now_ms >= group->last_ms + AUDIT_GROUP_QUIET_MS;
    return is_quiet || is_over(group, now_ms);
}

// A table may not change while it is walked, so those that are over are gathered first.
static void
forget(struct audit_groups *self, uint64_t now_ms, bool all)
{
    struct group **over = memory_take(self->table.count * sizeof *over), *group;
    size_t count = 0;
    for (size_t cursor = 0; (group = table_next(&self->table, &cursor)) != NULL;)
        if (all || is_over(group, now_ms))
            over[count++] = group;
    for (size_t i = 0; i < count; i++) {
        table_remove(&self->table, hash_of(&over[i]->first), over[i]);
        free(over[i]);
    }
    free(over);
}

void
audit_groups_tell(struct audit_groups *self, uint64_t now_ms, bool all, audit_group_told *tell,
                  void *context)
{
    struct group *group;
    for (size_t cursor = 0; (group = table_next(&self->table, &cursor)) != NULL;) {
        if (!group->count || (!all && !is_due(group, now_ms)))
            continue;
        tell(context, &group->first, group->count, group->last_request);
        group->is_told = true;
        group->count = 0;
    }
    if (self->table.count)
        forget(self, now_ms, all);
}

void
audit_groups_finish(struct audit_groups *self)
{
    struct group *group;
    for (size_t cursor = 0; (group = table_next(&self->table, &cursor)) != NULL;)
        free(group);
    table_finish(&self->table);
}
