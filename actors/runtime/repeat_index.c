// repeat_index.c - a list of all entries by age, a list of each payer, a table by id.
#include "actors/runtime/repeat_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct repeat_payer {
    char name[PAYER_SIZE];
    size_t count;
    struct repeat_entry *oldest, *newest;
};

struct repeat_entry {
    struct repeat_id id;
    uint64_t time_us;
    bool is_relied_on; // by a repeat
    struct repeat_payer *payer;
    struct repeat_entry *older, *newer;             // of all
    struct repeat_entry *payer_older, *payer_newer; // of its payer
};

struct repeat_left {
    struct repeat_id id;
    struct repeat_left *next;
};

static bool
has_id(const void *entry, const void *id)
{
    return repeat_id_equal(&((const struct repeat_entry *)entry)->id, id);
}

static struct repeat_entry *
find(const struct repeat_index *self, const struct repeat_id *id)
{
    return table_find(&self->entries, repeat_id_hash(id), has_id, id);
}

static bool
has_name(const void *payer, const void *name)
{
    return strcmp(((const struct repeat_payer *)payer)->name, name) == 0;
}

static struct repeat_payer *
payer_called(struct repeat_index *self, const char *name)
{
    struct repeat_payer *payer = table_find(&self->payers, table_hash_chars(name), has_name, name);
    if (payer)
        return payer;
    payer = memory_take_zeroed(sizeof *payer);
    snprintf(payer->name, sizeof payer->name, "%s", name);
    table_add(&self->payers, table_hash_chars(payer->name), payer);
    return payer;
}

// --- the two lists ---

static void
link_entry(struct repeat_index *self, struct repeat_entry *entry)
{
    struct repeat_payer *payer = entry->payer;
    entry->older = self->newest;
    entry->newer = entry->payer_newer = NULL;
    *(self->newest ? &self->newest->newer : &self->oldest) = entry;
    self->newest = entry;
    entry->payer_older = payer->newest;
    *(payer->newest ? &payer->newest->payer_newer : &payer->oldest) = entry;
    payer->newest = entry;
    payer->count++;
    budget_book_add(self->book, BUDGET_REPEATS, payer->name, 1);
}

static void
unlink_entry(struct repeat_index *self, struct repeat_entry *entry)
{
    struct repeat_payer *payer = entry->payer;
    *(entry->older ? &entry->older->newer : &self->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &self->newest) = entry->older;
    *(entry->payer_older ? &entry->payer_older->payer_newer : &payer->oldest) = entry->payer_newer;
    *(entry->payer_newer ? &entry->payer_newer->payer_older : &payer->newest) = entry->payer_older;
    budget_book_add(self->book, BUDGET_REPEATS, payer->name, -1);
    if (--payer->count > 0)
        return;
    table_remove(&self->payers, table_hash_chars(payer->name), payer);
    free(payer);
}

// --- leaving ---

void
repeat_index_put_left(struct repeat_index *self, const struct repeat_id *id)
{
    struct repeat_left *left = memory_take_zeroed(sizeof *left);
    left->id = *id;
    if (!self->first_left)
        self->last_left = &self->first_left;
    *self->last_left = left;
    self->last_left = &left->next;
    self->left++;
}

bool
repeat_index_take_left(struct repeat_index *self, struct repeat_id *ret_id)
{
    struct repeat_left *left = self->first_left;
    if (!left)
        return false;
    *ret_id = left->id;
    self->first_left = left->next;
    self->left--;
    free(left);
    return true;
}

static void
leave(struct repeat_index *self, struct repeat_entry *entry)
{
    table_remove(&self->entries, repeat_id_hash(&entry->id), entry);
    unlink_entry(self, entry);
    repeat_index_put_left(self, &entry->id);
    free(entry);
}

void
repeat_index_drop(struct repeat_index *self, const struct repeat_id *id)
{
    struct repeat_entry *entry = find(self, id);
    if (entry && !entry->is_relied_on)
        leave(self, entry);
}

void
repeat_index_rely(struct repeat_index *self, const struct repeat_id *id)
{
    struct repeat_entry *entry = find(self, id);
    if (entry)
        entry->is_relied_on = true;
}

bool
repeat_index_drop_of(struct repeat_index *self, const char *name)
{
    const struct repeat_payer *payer =
        table_find(&self->payers, table_hash_chars(name), has_name, name);
    if (payer)
        leave(self, payer->oldest);
    return payer != NULL;
}

static bool
is_over(const struct repeat_index *self, const struct repeat_entry *entry, uint64_t now_us)
{
    return now_us >= entry->time_us + self->lifetime_us;
}

void
repeat_index_expire(struct repeat_index *self, uint64_t now_us, size_t most)
{
    for (; most > 0 && self->oldest && is_over(self, self->oldest, now_us); most--)
        leave(self, self->oldest);
}

// --- entries ---

bool
repeat_index_has(const struct repeat_index *self, const struct repeat_id *id, uint64_t now_us)
{
    const struct repeat_entry *entry = find(self, id);
    return entry && !is_over(self, entry, now_us);
}

// The budget is that of all actors together. One actor may have used it up: the others keep a part
// each, else what has just been kept there would be the oldest, and leave at once.
static bool
has_too_many(const struct repeat_index *self, const struct repeat_payer *payer)
{
    enum { PARTS = 16 };
    int64_t limit = budget_book_limit(self->book, BUDGET_REPEATS, payer->name);
    size_t part = (size_t)limit / PARTS + 1;
    return limit && payer->count > part &&
           budget_book_held(self->book, BUDGET_REPEATS, payer->name) > limit;
}

void
repeat_index_add(struct repeat_index *self, const struct repeat_id *id, const char *payer,
                 uint64_t time_us)
{
    struct repeat_entry *entry = find(self, id);
    if (entry) { // another part of its request is durable, or its time was over
        unlink_entry(self, entry);
    } else {
        entry = memory_take_zeroed(sizeof *entry);
        entry->id = *id;
        table_add(&self->entries, repeat_id_hash(id), entry);
    }
    entry->time_us = time_us;
    entry->payer = payer_called(self, payer);
    link_entry(self, entry);
    if (has_too_many(self, entry->payer))
        leave(self, entry->payer->oldest);
    if (self->entries.count > self->most)
        leave(self, self->oldest);
}

void
repeat_index_finish(struct repeat_index *self)
{
    struct repeat_id id;
    while (self->oldest)
        leave(self, self->oldest);
    while (repeat_index_take_left(self, &id))
        continue;
    table_finish(&self->entries);
    table_finish(&self->payers);
}
