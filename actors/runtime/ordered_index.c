// ordered_index.c - a sorted list in chunks (ordered_index.h).
#include "actors/runtime/ordered_index.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/base/words.h"
#include "proto/record/record_packed.h"

// --- values ---

static const struct texts *
tags_of(const struct ordered_index *self, const struct record *record)
{
    if (!self->field || !record_has(record, self->field->id))
        return NULL;
    return MEMBER_CONST(const struct texts *, record, self->field);
}

static size_t
text_value(const struct text *text, const char **ret_value)
{
    *ret_value = text_bytes(text);
    return text_size(text) > LIST_VALUE_BYTES ? LIST_VALUE_BYTES : text_size(text);
}

size_t
index_entry_value(const struct ordered_index *self, const struct index_entry *entry,
                  char room[LIST_VALUE_BYTES], const char **ret_value)
{
    struct opened opened;
    if (self->order == LIST_WORD) {
        *ret_value = entry->listed->words + entry->which + 1;
        return (unsigned char)entry->listed->words[entry->which];
    }
    const struct record *record = frozen_open(entry->listed->record, &opened);
    if (self->order == LIST_TAG)
        return text_value(tags_of(self, record)->items[entry->which], ret_value);
    *ret_value = room;
    return list_value(self->field, record, room);
}

static uint64_t
number_of(const char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < 8; i++)
        number = number << 8 | (i < size ? (unsigned char)bytes[i] : 0);
    return number;
}

// What is looked for.
struct target {
    uint64_t beginning[2];
    enum index_bound bound;
    const char *value;
    size_t size;
    const struct text *key;
};

static void
begin_with(uint64_t beginning[2], const char *value, size_t size)
{
    beginning[0] = number_of(value, size);
    beginning[1] = size > 8 ? number_of(value + 8, size - 8) : 0;
}

static struct target
target_of(enum index_bound bound, const char *value, size_t size, const struct text *key)
{
    struct target target = {.bound = bound, .value = value, .size = size, .key = key};
    begin_with(target.beginning, value, size);
    return target;
}

static bool
is_prefixed(const char *value, size_t size, const struct target *target)
{
    return size >= target->size && memcmp(value, target->value, target->size) == 0;
}

// How the values compare.
static int
compare_values(const struct ordered_index *self, const struct index_entry *entry,
               const struct target *target)
{
    char room[LIST_VALUE_BYTES];
    const char *value;
    for (int i = 0; i < 2 && target->bound != BOUND_PREFIX; i++)
        if (entry->beginning[i] != target->beginning[i])
            return entry->beginning[i] < target->beginning[i] ? -1 : 1;
    size_t size = index_entry_value(self, entry, room, &value);
    if (target->bound == BOUND_PREFIX && is_prefixed(value, size, target))
        return 0;
    return list_value_compare(value, size, target->value, target->size);
}

// Whether the entry is before the place that is looked for.
static bool
is_before(const struct ordered_index *self, const struct index_entry *entry,
          const struct target *target)
{
    int order = compare_values(self, entry, target);
    if (order)
        return order < 0;
    if (target->bound == BOUND_AT || target->bound == BOUND_BEHIND) {
        order = text_compare(frozen_key(entry->listed->record), target->key);
        return order < 0 || (order == 0 && target->bound == BOUND_BEHIND);
    }
    return target->bound != BOUND_LOW;
}

// --- places ---

static const struct index_entry *
entry_at(const struct ordered_index *self, size_t slot, size_t entry)
{
    return &self->slots[slot].chunk->entries[entry];
}

// The first chunk whose last entry is not before the place; the last one where all are.
static size_t
find_slot(const struct ordered_index *self, const struct target *target)
{
    size_t low = 0, high = self->slot_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(self, entry_at(self, middle, self->slots[middle].count - 1), target))
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->slot_count || low == 0 ? low : low - 1;
}

static struct index_place
find(const struct ordered_index *self, const struct target *target)
{
    struct index_place place = {.slot = find_slot(self, target)};
    if (place.slot == self->slot_count)
        return place;
    uint32_t high = self->slots[place.slot].count;
    while (place.entry < high) {
        uint32_t middle = place.entry + (high - place.entry) / 2;
        if (is_before(self, entry_at(self, place.slot, middle), target))
            place.entry = middle + 1;
        else
            high = middle;
    }
    return place;
}

struct index_place
ordered_index_seek(const struct ordered_index *self, enum index_bound bound, const char *value,
                   size_t size, const struct text *key)
{
    struct target target = target_of(bound, value, size, key);
    return find(self, &target);
}

size_t
ordered_index_rank(const struct ordered_index *self, struct index_place place)
{
    size_t rank = place.entry;
    for (size_t i = 0; i < place.slot; i++)
        rank += self->slots[i].count;
    return rank;
}

const struct index_entry *
ordered_index_next(const struct ordered_index *self, struct index_place *place)
{
    if (place->slot < self->slot_count && place->entry == self->slots[place->slot].count) {
        place->slot++;
        place->entry = 0;
    }
    if (place->slot >= self->slot_count)
        return NULL;
    return entry_at(self, place->slot, place->entry++);
}

const struct index_entry *
ordered_index_previous(const struct ordered_index *self, struct index_place *place)
{
    if (place->entry == 0) {
        if (place->slot == 0)
            return NULL;
        place->slot--;
        place->entry = self->slots[place->slot].count;
    }
    return entry_at(self, place->slot, --place->entry);
}

// --- changes ---

static void
insert_slot(struct ordered_index *self, size_t at, struct index_chunk *chunk, uint32_t count)
{
    if (self->slot_count == self->slot_capacity) {
        self->slot_capacity = self->slot_capacity ? 2 * self->slot_capacity : 4;
        self->slots = memory_resize(self->slots, self->slot_capacity * sizeof *self->slots);
    }
    memmove(self->slots + at + 1, self->slots + at, (self->slot_count - at) * sizeof *self->slots);
    self->slots[at] = (struct index_slot){chunk, count};
    self->slot_count++;
}

// Makes two chunks of a full one. What is appended to the end leaves full chunks behind.
static struct index_place
split(struct ordered_index *self, struct index_place place)
{
    bool is_end = place.slot + 1 == self->slot_count && place.entry == CHUNK_ENTRIES;
    uint32_t kept = is_end ? CHUNK_ENTRIES : CHUNK_ENTRIES / 2;
    struct index_chunk *more = memory_take(sizeof *more);
    struct index_chunk *chunk = self->slots[place.slot].chunk;
    memcpy(more->entries, chunk->entries + kept, (CHUNK_ENTRIES - kept) * sizeof *more->entries);
    self->slots[place.slot].count = kept;
    insert_slot(self, place.slot + 1, more, CHUNK_ENTRIES - kept);
    if (place.entry < kept || (place.entry == kept && !is_end))
        return place;
    return (struct index_place){place.slot + 1, place.entry - kept};
}

static void
insert(struct ordered_index *self, const struct index_entry *entry)
{
    char room[LIST_VALUE_BYTES];
    const char *value;
    size_t size = index_entry_value(self, entry, room, &value);
    struct target target = target_of(BOUND_AT, value, size, frozen_key(entry->listed->record));
    if (self->slot_count == 0)
        insert_slot(self, 0, memory_take(sizeof(struct index_chunk)), 0);
    struct index_place place = self->count ? find(self, &target) : (struct index_place){0};
    if (self->slots[place.slot].count == CHUNK_ENTRIES)
        place = split(self, place);
    struct index_slot *slot = &self->slots[place.slot];
    struct index_entry *at = slot->chunk->entries + place.entry;
    memmove(at + 1, at, (slot->count - place.entry) * sizeof *at);
    *at = *entry;
    memcpy(at->beginning, target.beginning, sizeof at->beginning);
    slot->count++;
    self->count++;
}

static void
remove_slot(struct ordered_index *self, size_t at)
{
    free(self->slots[at].chunk);
    self->slot_count--;
    memmove(self->slots + at, self->slots + at + 1, (self->slot_count - at) * sizeof *self->slots);
}

// Moves the entries of a chunk behind those of the one before it, where both fill half of one.
static void
merge(struct ordered_index *self, size_t at)
{
    struct index_slot *slots = self->slots;
    if (at == 0 || at >= self->slot_count ||
        slots[at - 1].count + slots[at].count > CHUNK_ENTRIES / 2)
        return;
    memcpy(slots[at - 1].chunk->entries + slots[at - 1].count, slots[at].chunk->entries,
           slots[at].count * sizeof(struct index_entry));
    slots[at - 1].count += slots[at].count;
    remove_slot(self, at);
}

static void
take_out(struct ordered_index *self, const struct index_entry *entry)
{
    char room[LIST_VALUE_BYTES];
    const char *value;
    size_t size = index_entry_value(self, entry, room, &value);
    struct target target = target_of(BOUND_AT, value, size, frozen_key(entry->listed->record));
    struct index_place place = find(self, &target);
    struct index_slot *slot = &self->slots[place.slot];
    assert(place.entry < slot->count && slot->chunk->entries[place.entry].listed == entry->listed);
    struct index_entry *at = slot->chunk->entries + place.entry;
    memmove(at, at + 1, (slot->count - place.entry - 1) * sizeof *at);
    self->count--;
    if (--slot->count == 0) {
        remove_slot(self, place.slot);
        return;
    }
    merge(self, place.slot + 1);
    merge(self, place.slot);
}

typedef void entry_work(struct ordered_index *self, const struct index_entry *entry);

static void
for_each_tag(struct ordered_index *self, struct listed *listed, entry_work *work)
{
    struct opened room;
    const struct texts *tags = tags_of(self, frozen_open(listed->record, &room));
    for (uint32_t i = 0; i < texts_count(tags); i++) {
        bool is_first = true; // a tag that is there twice has one entry
        for (uint32_t j = 0; j < i && is_first; j++) {
            const char *a, *b;
            size_t a_size = text_value(tags->items[i], &a), b_size = text_value(tags->items[j], &b);
            is_first = list_value_compare(a, a_size, b, b_size) != 0;
        }
        if (is_first)
            work(self, &(struct index_entry){.listed = listed, .which = i});
    }
}

static void
for_each(struct ordered_index *self, struct listed *listed, entry_work *work)
{
    const char *word;
    size_t size;
    if (self->order == LIST_TAG) {
        for_each_tag(self, listed, work);
    } else if (self->order == LIST_WORD) {
        for (size_t at = 0, here = 0;
             words_next(listed->words, listed->words_size, &at, &word, &size); here = at)
            work(self, &(struct index_entry){.listed = listed, .which = (uint32_t)here});
    } else {
        work(self, &(struct index_entry){.listed = listed});
    }
}

void
ordered_index_add(struct ordered_index *self, struct listed *listed)
{
    for_each(self, listed, insert);
}

void
ordered_index_remove(struct ordered_index *self, struct listed *listed)
{
    for_each(self, listed, take_out);
}

void
ordered_index_init(struct ordered_index *self, const struct list_kind *kind, enum list_order order)
{
    *self = (struct ordered_index){.order = order};
    self->field = order == LIST_WORD ? NULL : list_kind_field(kind, order);
}

bool
ordered_index_finish_some(struct ordered_index *self)
{
    enum { AT_ONCE = 16 };
    for (int i = 0; i < AT_ONCE && self->slot_count; i++)
        free(self->slots[--self->slot_count].chunk);
    if (self->slot_count)
        return true;
    free(self->slots);
    self->slots = NULL;
    self->slot_capacity = 0;
    self->count = 0;
    return false;
}

void
ordered_index_finish(struct ordered_index *self)
{
    while (ordered_index_finish_some(self)) {
    }
}
