// lease_index.c - a heap of timers, a table by key, and a list for each scene (lease_index.h).

#include "actors/scene/lease_index.h"

#include <stdlib.h>

#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

enum { TRIMMED_AT_ONCE = 256 };

static const uint64_t second_us = 1000000;

struct sought {
    const struct scene_state *scene;
    const struct text *key;
};

static bool
is_sought(const void *value, const void *key)
{
    const struct lease *lease = value;
    const struct sought *sought = key;
    return lease->list->scene == sought->scene && text_equal(lease->key, sought->key);
}

struct lease *
lease_index_find(const struct lease_index *self, const struct scene_state *scene,
                 const struct text *key)
{
    const struct sought sought = {scene, key};
    return scene->leases ? table_find(&self->leases, table_hash_text(key), is_sought, &sought)
                         : NULL;
}

static void
link_to(struct lease *lease, struct lease **first)
{
    lease->next = *first;
    lease->link = first;
    if (*first)
        (*first)->link = &lease->next;
    *first = lease;
}

static void
unlink_lease(struct lease *lease)
{
    *lease->link = lease->next;
    if (lease->next)
        lease->next->link = lease->link;
}

static struct lease *
add(struct lease_index *self, struct scene_state *scene, const struct text *key)
{
    struct lease *lease = memory_take_zeroed(sizeof *lease);
    if (!scene->leases) {
        scene->leases = memory_take_zeroed(sizeof *scene->leases);
        scene->leases->scene = scene;
    }
    lease->list = scene->leases;
    lease->key = text_duplicate(key);
    link_to(lease, &scene->leases->first);
    table_add(&self->leases, table_hash_text(key), lease);
    return lease;
}

void
lease_renew(struct lease *lease, uint64_t now_us)
{
    lease->ends_us = now_us + (uint64_t)lease->lease_s * second_us;
}

struct lease *
lease_index_put(struct lease_index *self, struct scene_state *scene, const struct text *key,
                int64_t lease_s, uint64_t now_us)
{
    struct lease *lease = lease_index_find(self, scene, key);
    if (!lease)
        lease = add(self, scene, key);
    lease->lease_s = lease_s;
    if (self->is_waiting)
        return lease;
    lease_renew(lease, now_us);
    timer_heap_set(&self->timers, &lease->timer, lease->ends_us);
    return lease;
}

static void
lease_free(struct lease *lease)
{
    free((void *)(uintptr_t)lease->key);
    free(lease);
}

static void
take_out(struct lease_index *self, struct lease *lease)
{
    timer_heap_cancel(&self->timers, &lease->timer);
    table_remove(&self->leases, table_hash_text(lease->key), lease);
    unlink_lease(lease);
    lease_free(lease);
}

// The list of a scene goes with its last lease.
static void
drop_list(struct lease_list *list)
{
    if (list->first || !list->scene)
        return;
    list->scene->leases = NULL;
    free(list);
}

void
lease_index_drop(struct lease_index *self, struct lease *lease)
{
    struct lease_list *list = lease->list;
    take_out(self, lease);
    drop_list(list);
}

void
lease_index_begin(struct lease_index *self, uint64_t now_us)
{
    size_t cursor = 0;
    struct lease *lease;
    if (!self->is_waiting)
        return;
    self->is_waiting = false;
    while ((lease = table_next(&self->leases, &cursor)) != NULL) {
        lease_renew(lease, now_us);
        timer_heap_set(&self->timers, &lease->timer, lease->ends_us);
    }
}

struct lease *
lease_index_ended(struct lease_index *self, uint64_t now_us)
{
    while (timer_heap_due_us(&self->timers) <= now_us) {
        struct lease *lease = (struct lease *)(void *)timer_heap_first(&self->timers);
        if (!lease->list->scene)
            take_out(self, lease);
        else if (lease->ends_us <= now_us)
            return lease;
        else
            timer_heap_set(&self->timers, &lease->timer, lease->ends_us);
    }
    return NULL;
}

void
lease_index_postpone(struct lease_index *self, struct lease *lease, uint64_t due_us)
{
    timer_heap_set(&self->timers, &lease->timer, due_us);
}

uint64_t
lease_index_due_us(const struct lease_index *self)
{
    return self->timers.count ? timer_heap_due_us(&self->timers) : 0;
}

// --- scenes that are gone ---

// Each lease is found by its scene, so those of one that is gone are found by nobody.
void
lease_index_forget(struct lease_index *self, struct scene_state *scene)
{
    struct lease_list *list = scene->leases;
    if (!list)
        return;
    scene->leases = NULL;
    list->scene = NULL;
    list->next_dead = self->dead;
    self->dead = list;
}

void
lease_index_trim(struct lease_index *self)
{
    for (unsigned i = 0; i < TRIMMED_AT_ONCE && self->dead; i++) {
        struct lease_list *list = self->dead;
        if (list->first) {
            take_out(self, list->first);
            continue;
        }
        self->dead = list->next_dead;
        free(list);
    }
}

void
lease_index_finish(struct lease_index *self)
{
    size_t cursor = 0;
    struct lease *lease;
    while ((lease = table_next(&self->leases, &cursor)) != NULL) {
        struct lease_list *list = lease->list;
        unlink_lease(lease);
        lease_free(lease);
        drop_list(list);
    }
    table_finish(&self->leases);
    timer_heap_finish(&self->timers);
    while (self->dead) {
        struct lease_list *list = self->dead;
        self->dead = list->next_dead;
        free(list);
    }
}
