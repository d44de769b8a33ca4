// scene_loader.c - reads slices (scene_loader.h). Decoding happens here too, off the actor's
// thread.

#include "actors/scene/scene_loader.h"

#include <assert.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/page_reader.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/use_slice.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"

enum {
    TAGS = 4,              // of one slice, at most
    SWEPT_BYTES = 4 << 20, // of objects whose index records a slice looks for, and one more
};

struct loader {
    actor_t base;
    store_t *store;
    struct key low[TAGS], high[TAGS]; // of the read under way
};

static void
slice_clear(struct slice *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        record_unref(&self->records[i]);
    memset(self->numbers, 0, self->count * sizeof self->numbers[0]);
    self->count = 0;
}

static void
slice_release(struct parcel *parcel)
{
    struct slice *self = (struct slice *)(void *)parcel;
    slice_clear(self);
    message_destroy(&self->asker);
    free(self);
}

static struct slice *
slice_create(enum slice_kind kind, key_tag_t tag, uint16_t part)
{
    struct slice *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    self->base.destroy = slice_release;
    self->kind = kind;
    self->tag = tag;
    self->part = part;
    return self;
}

// The tags that each kind reads, in their order.
static const struct {
    key_tag_t tags[TAGS];
    unsigned count;
} read_tags[] = {
    [SLICE_RECORDS] = {{KEY_OBJECT, KEY_PROPERTY}, 2},
    [SLICE_SCENE] = {{KEY_FENCE, KEY_HOLDING}, 2},
    [SLICE_WHOLE] = {{KEY_FENCE, KEY_HOLDING, KEY_OBJECT, KEY_PROPERTY}, 4},
};

struct slice *
slice_of_scene(enum slice_kind kind, key_tag_t tag, uint16_t part, uint64_t scene_id)
{
    struct slice *self =
        slice_create(kind, kind == SLICE_KEYS ? tag : read_tags[kind].tags[0], part);
    self->scene_id = scene_id;
    self->low = key_of_scene_id(self->tag, scene_id);
    return self;
}

bool
slice_has_come_to_entities(const struct slice *self)
{
    return !self->more || self->tag >= KEY_OBJECT;
}

struct slice *
slice_of_lookup(uint16_t part, const struct text *key)
{
    struct slice *self = slice_create(SLICE_LOOKUP, KEY_LOOKUP, part);
    self->low = key_of_text(KEY_LOOKUP, key);
    return self;
}

struct slice *
slice_of_places(struct message **asker)
{
    struct slice *self = slice_create(SLICE_PLACES, KEY_LOOKUP, 0);
    self->asker = *asker;
    *asker = NULL;
    return self;
}

struct slice *
slice_of_held(struct message **asker)
{
    struct slice *self = slice_of_places(asker);
    self->kind = SLICE_HELD;
    return self;
}

void
slice_add_key(struct slice *self, uint16_t part, struct key key)
{
    self->parts[self->count] = part;
    self->keys[self->count++] = key;
}

void
slice_add_place(struct slice *self, uint16_t part, const struct text *key)
{
    slice_add_key(self, part, key_of_text(KEY_LOOKUP, key));
}

struct slice *
slice_of_uses(const struct text *asset, const struct use_place *from, uint16_t step,
              struct message **asker)
{
    struct slice *self = slice_of_places(asker);
    self->kind = SLICE_USES;
    self->tag = KEY_INDEX;
    self->part = from->part;
    self->step = step;
    self->low = from->low;
    self->prefixes[0] = index_prefix_of_text(&object_asset_index[0], asset);
    self->prefixes[1] = index_prefix_of_text(&scene_asset_index[0], asset);
    return self;
}

void
slice_destroy(struct slice **self)
{
    if (*self)
        slice_release(&(*self)->base);
    *self = NULL;
}

void
slice_continue(struct slice *self)
{
    slice_clear(self);
    self->more = false;
}

// Reads where a generated key lives: scene id and scene key.
static enum store_result
look_up(loader_t *self, uint16_t part, const struct key *key, struct key *ret_value)
{
    const struct store_address address = {FAMILY_SCENE, part, key_bytes(key)};
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = store_get(self->store, &address, clock_deadline_ms(LOAD_DEADLINE_MS),
                                         &version, &value, &size);
    if (result == STORE_OK && size > sizeof ret_value->data)
        result = STORE_BAD;
    if (result == STORE_OK) {
        memcpy(ret_value->data, value, size);
        ret_value->size = size;
    }
    free(value);
    return result;
}

static enum store_result
look_up_places(loader_t *self, struct slice *slice)
{
    enum store_result result = STORE_OK;
    for (uint32_t i = 0; i < slice->count && result == STORE_OK; i++) {
        struct key value = {.size = 0};
        result = look_up(self, slice->parts[i], &slice->keys[i], &value);
        slice->keys[i] = value;
        if (result == STORE_ABSENT)
            result = STORE_OK;
    }
    return result;
}

static bool
copy_key(struct key *ret_key, struct bytes bytes)
{
    if (bytes.size > sizeof ret_key->data)
        return false;
    memcpy(ret_key->data, bytes.data, bytes.size);
    ret_key->size = bytes.size;
    return true;
}

static bool
decode_record(struct slice *slice, key_tag_t tag, struct bytes value)
{
    return record_frozen_from_stored(scene_family_schema(tag), value.data, value.size,
                                     &slice->records[slice->count]) == OK;
}

// A sum of another size is made anew when the entities of its scene are read.
static bool
copy_number(struct slice *slice, struct bytes key, struct bytes value)
{
    if (value.size == sizeof(uint64_t))
        slice->numbers[slice->count] = key_get_u64(value.data);
    return copy_key(&slice->keys[slice->count], key);
}

static key_tag_t
tag_of(struct bytes key)
{
    return *(const unsigned char *)key.data; // no key without a tag is in a range
}

static_assert(1 + LIMIT_ASSETS <= SLICE_LIMIT, "an object and its index records fit into a slice");

static void
add_key(void *context, const struct key *key, bool is_delete)
{
    struct slice *slice = context;
    (void)is_delete; // the record is to be deleted
    slice->keys[slice->count++] = *key;
}

// The next slice begins with what this one has no room for.
static void
end_slice(struct slice *slice, const struct key *key)
{
    slice->more = true;
    slice->low = *key;
}

// A key that is to be deleted; behind that of an object those of its index records. An object that
// cannot be read has none that are known.
static bool
visit_key(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct slice *slice = context;
    const frozen_t *object = NULL;
    struct key address;
    (void)version;
    if (!copy_key(&address, key)) {
        slice->result = STORE_BAD;
        return false;
    }
    bool is_known =
        slice->tag == KEY_OBJECT &&
        record_frozen_from_stored(&object_schema, value.data, value.size, &object) == OK;
    const struct record *record = is_known ? frozen_record(object) : NULL;
    bool fits = slice->count + use_index_writes(record, NULL) < SLICE_LIMIT &&
                (slice->bytes < SWEPT_BYTES || slice->count == 0);
    slice->bytes += value.size;
    if (fits) {
        add_key(slice, &address, true);
        index_records_change(object_asset_index, key_name(&address), record, NULL, add_key, slice);
    } else {
        end_slice(slice, &address);
    }
    record_unref(&object);
    return fits;
}

static bool
copy_found(struct slice *slice, struct bytes key, struct bytes value)
{
    key_tag_t tag = tag_of(key);
    return tag == KEY_HOLDING ? copy_number(slice, key, value) : decode_record(slice, tag, value);
}

// One record of a scan; a record that cannot be read ends the slice as bad.
static bool
visit(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct slice *slice = context;
    (void)version;
    if (tag_of(key) == KEY_FENCE) {
        slice->result = copy_key(&slice->value, value) ? STORE_OK : STORE_BAD;
        return slice->result == STORE_OK;
    }
    if (slice->count == SLICE_LIMIT) { // one more than fits: the next slice begins with it
        slice->more = copy_key(&slice->low, key);
        slice->tag = tag_of(key);
        return false;
    }
    if (!copy_found(slice, key, value)) {
        slice->tag = tag_of(key);
        slice->result = STORE_BAD;
        return false;
    }
    slice->count++;
    return true;
}

// What is left to be read under one tag.
static void
bound(const struct slice *slice, key_tag_t tag, struct key *ret_low, struct key *ret_high)
{
    struct key first = key_of_scene_id(tag, slice->scene_id);
    *ret_low = tag == slice->tag ? slice->low : first;
    *ret_high = key_after(&first);
}

static enum store_result
load_scan(loader_t *self, struct slice *slice)
{
    enum { FENCES = 1 };
    bool is_of_one = slice->kind == SLICE_KEYS;
    const key_tag_t *tags = is_of_one ? &slice->tag : read_tags[slice->kind].tags;
    unsigned count = is_of_one ? 1 : read_tags[slice->kind].count;
    struct store_range ranges[TAGS];
    struct store_scan scan = {.family = FAMILY_SCENE,
                              .part = slice->part,
                              .ranges = ranges,
                              .limit = SLICE_LIMIT + 1 + FENCES};
    for (unsigned i = 0; i < count; i++) {
        if (tags[i] < slice->tag) // an earlier slice has read it
            continue;
        bound(slice, tags[i], &self->low[i], &self->high[i]);
        ranges[scan.range_count++] =
            (struct store_range){key_bytes(&self->low[i]), key_bytes(&self->high[i])};
    }
    slice->result = STORE_OK;
    enum store_result result =
        store_scan_ranges(self->store, &scan, clock_deadline_ms(LOAD_DEADLINE_MS),
                          is_of_one ? visit_key : visit, slice);
    return result == STORE_OK ? slice->result : result;
}

static enum store_result
load(loader_t *self, struct slice *slice)
{
    switch (slice->kind) {
    case SLICE_LOOKUP:
        return look_up(self, slice->part, &slice->low, &slice->value);
    case SLICE_PLACES:
    case SLICE_HELD:
        return look_up_places(self, slice);
    case SLICE_USES:
        return use_slice_read(self->store, slice);
    default:
        return load_scan(self, slice);
    }
}

static enum error
handle_load(actor_t *actor, struct message *message)
{
    loader_t *self = (loader_t *)(void *)actor;
    struct slice *slice = slice_of(message);
    slice->result = load(self, slice);
    if (slice->result != STORE_OK && slice->result != STORE_ABSENT)
        log_error("load_failed", "actor=%s tag=%c scene_id=%016llx result=%d", actor->name,
                  (char)slice->tag, (unsigned long long)slice->scene_id, (int)slice->result);
    message->operation = LOADED;
    return OK;
}

static enum error
handle_page(actor_t *actor, struct message *message)
{
    const loader_t *self = (loader_t *)(void *)actor;
    page_reader_do(message, self->store, actor->name);
    return OK;
}

static const struct actor_behaviour loader_behaviour = {
    .operations = {[LOAD] = {handle_load}, [READ_PAGE] = {handle_page}},
};

fallible
loader_create(store_t *store, const char *name, loader_t **ret_loader)
{
    loader_t *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    TRY(actor_create(&self->base, &loader_behaviour, name));
    *ret_loader = self;
    return OK;
}

void
loader_destroy(loader_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
