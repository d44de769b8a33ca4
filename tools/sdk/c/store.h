// store.h - what is known of a scene, and the rule by which it changes (proto/feed/README.md;
// diorama.h).
#ifndef DIORAMA_STORE_H
#define DIORAMA_STORE_H

#include "tools/sdk/c/packets.h"

enum { DIO_TOMBSTONE_MS = 60000 };

static const char *const dio_member_names[DIORAMA_MEMBERS] = {
    "name",      "scene",     "parent", "asset_sub_id", "type",   "subtype", "owner",  "frame",
    "timestamp", "transform", "assets", "actions",      "values", "tags",    "extras", "visible",
};

// A member as JSON, NULL: it is not there; and the seq that it came with, -1: of no event.
struct dio_member {
    char *json;
    int64_t seq;
};

struct dio_pose {
    uint64_t at_ms;
    double matrix[16];
};

struct dio_entity {
    char *key;
    bool is_property, exists, is_found;
    struct dio_member members[DIORAMA_MEMBERS];
    double matrix[16];
    struct dio_pose poses[2];
    unsigned pose_count;
    int64_t gone; // the seq of its delete, or -1
    uint64_t buried_ms;
    uint64_t fence; // of our lease, 0: none
    uint64_t lease_ms, renew_ms, until_ms;
};

struct dio_change {
    struct dio_entity *entity;
    enum diorama_kind kind;
    unsigned members;
    uint64_t prev, seq;
};

struct dio_store {
    struct dio_entity **entities; // an open hash table
    size_t count, room;
    struct dio_change *changes; // that wait for the program
    size_t first, change_count, change_room;
    bool failed; // there was no memory
};

static size_t
dio_hash(const char *key)
{
    uint64_t hash = 14695981039346656037U;
    for (const unsigned char *at = (const unsigned char *)key; *at; at++)
        hash = (hash ^ *at) * 1099511628211U;
    return (size_t)(hash ^ hash >> 32);
}

static struct dio_entity **
dio_slot(const struct dio_store *self, const char *key)
{
    size_t at = dio_hash(key) & (self->room - 1);
    while (self->entities[at] && strcmp(self->entities[at]->key, key) != 0)
        at = (at + 1) & (self->room - 1);
    return &self->entities[at];
}

static struct dio_entity *
dio_store_find(const struct dio_store *self, const char *key)
{
    return self->room ? *dio_slot(self, key) : NULL;
}

static bool
dio_store_grow(struct dio_store *self)
{
    struct dio_store grown = *self;
    grown.room = self->room ? 2 * self->room : 64;
    grown.entities = calloc(grown.room, sizeof *grown.entities);
    if (!grown.entities)
        return false;
    for (size_t i = 0; i < self->room; i++)
        if (self->entities[i])
            *dio_slot(&grown, self->entities[i]->key) = self->entities[i];
    free(self->entities);
    *self = grown;
    return true;
}

static void
dio_entity_free(struct dio_entity *entity)
{
    for (int i = 0; i < DIORAMA_MEMBERS; i++)
        free(entity->members[i].json);
    free(entity->key);
    free(entity);
}

// The entity of a key, a new one if there is none; NULL without memory.
static struct dio_entity *
dio_store_take_entity(struct dio_store *self, const char *key, bool is_property)
{
    struct dio_entity *entity = dio_store_find(self, key);
    if (entity)
        return entity;
    if (2 * (self->count + 1) > self->room && !dio_store_grow(self))
        return NULL;
    entity = calloc(1, sizeof *entity);
    char *copy = entity ? dio_copy(key) : NULL;
    if (!copy) {
        free(entity);
        return NULL;
    }
    entity->key = copy;
    entity->is_property = is_property;
    entity->gone = -1;
    memcpy(entity->matrix, dio_identity, sizeof dio_identity);
    for (int i = 0; i < DIORAMA_MEMBERS; i++)
        entity->members[i].seq = -1;
    *dio_slot(self, key) = entity;
    self->count++;
    return entity;
}

static void
dio_tell(struct dio_store *self, const struct dio_change *change)
{
    if (self->change_room && self->first + self->change_count == self->change_room) {
        memmove(self->changes, self->changes + self->first,
                self->change_count * sizeof *self->changes);
        self->first = 0;
    }
    if (self->change_count == self->change_room) {
        size_t room = self->change_room ? 2 * self->change_room : 64;
        struct dio_change *grown = realloc(self->changes, room * sizeof *grown);
        if (!grown) {
            self->failed = true;
            return;
        }
        self->changes = grown;
        self->change_room = room;
    }
    self->changes[self->first + self->change_count++] = *change;
}

static bool
dio_is_absent(const char *json)
{
    return strcmp(json, "null") == 0 || strcmp(json, "\"\"") == 0 || strcmp(json, "[]") == 0;
}

static void
dio_take_matrix(struct dio_entity *entity, const struct diorama_value *value)
{
    if (value->type != DIORAMA_ARRAY || value->count != 16) {
        memcpy(entity->matrix, dio_identity, sizeof dio_identity);
        return;
    }
    for (int i = 0; i < 16; i++)
        entity->matrix[i] =
            value->of.items[i].type == DIORAMA_NUMBER ? value->of.items[i].of.number : 0;
    entity->poses[0] = entity->poses[1];
    entity->poses[1].at_ms = dio_now_ms();
    memcpy(entity->poses[1].matrix, entity->matrix, sizeof entity->matrix);
    entity->pose_count += entity->pose_count < 2;
}

// Takes a member by the rule. Returns its bit if it is another now.
static unsigned
dio_take_member(struct dio_store *self, struct dio_entity *entity, int index,
                const struct diorama_value *value, int64_t seq)
{
    struct dio_member *member = &entity->members[index];
    struct dio_text json = {0};
    if (seq < member->seq)
        return 0;
    dio_put_value(&json, value);
    if (json.failed) {
        self->failed = true;
        dio_text_free(&json);
        return 0;
    }
    member->seq = seq;
    if (dio_is_absent(json.data))
        dio_text_free(&json);
    bool is_same = json.data && member->json ? strcmp(json.data, member->json) == 0
                                             : json.data == member->json;
    if (is_same) {
        dio_text_free(&json);
        return 0;
    }
    free(member->json);
    member->json = json.data;
    if (1U << index == DIORAMA_TRANSFORM)
        dio_take_matrix(entity, value);
    return 1U << index;
}

static bool
dio_has_word(const struct dio_entity *entity)
{
    for (int i = 0; i < DIORAMA_MEMBERS; i++)
        if (entity->members[i].seq > entity->gone)
            return true;
    return false;
}

// It was deleted: what is not newer goes.
static void
dio_bury(struct dio_entity *entity, int64_t seq)
{
    entity->gone = seq > entity->gone ? seq : entity->gone;
    entity->buried_ms = dio_now_ms();
    for (int i = 0; i < DIORAMA_MEMBERS; i++) {
        if (entity->members[i].seq > entity->gone)
            continue;
        free(entity->members[i].json);
        entity->members[i] = (struct dio_member){NULL, -1};
    }
    entity->exists = entity->exists && dio_has_word(entity);
}

// An event, or a record of a state. `wanted`: bits of the members that it tells of; those of them
// that it does not have were removed. 0: those that it has.
static void
dio_store_take(struct dio_store *self, double type, const char *key,
               const struct diorama_value *record, unsigned wanted, uint64_t prev, uint64_t seq)
{
    static const struct diorama_value absent = {0};
    struct dio_entity *entity = dio_store_take_entity(self, key, dio_is_of_property(type));
    struct dio_change change = {entity, DIORAMA_UPDATED, 0, prev, seq};
    if (!entity) {
        self->failed = true;
        return;
    }
    bool did_exist = entity->exists;
    if (dio_is_delete(type)) {
        dio_bury(entity, (int64_t)seq);
    } else if ((int64_t)seq > entity->gone) {
        for (int i = 0; i < DIORAMA_MEMBERS; i++) {
            const struct diorama_value *value = diorama_find(record, dio_member_names[i]);
            bool is_told = wanted ? (wanted >> i & 1) : value != NULL;
            if (is_told)
                change.members |=
                    dio_take_member(self, entity, i, value ? value : &absent, (int64_t)seq);
        }
        entity->exists = entity->exists || wanted || dio_is_create(type);
    }
    if (entity->exists != did_exist) {
        // Members may have come before it was known to be there: all of them are news.
        change.kind = entity->exists ? DIORAMA_CREATED : DIORAMA_DELETED;
        for (int i = 0; entity->exists && i < DIORAMA_MEMBERS; i++)
            change.members |= entity->members[i].json ? 1U << i : 0U;
    } else if (!entity->exists || !change.members)
        return;
    else if (change.members == DIORAMA_TRANSFORM)
        change.kind = DIORAMA_MOVED;
    dio_tell(self, &change);
}

// The numbers of another start of the server mean nothing.
static void
dio_store_forget_numbers(struct dio_store *self)
{
    for (size_t i = 0; i < self->room; i++) {
        struct dio_entity *entity = self->entities[i];
        for (int j = 0; entity && j < DIORAMA_MEMBERS; j++)
            entity->members[j].seq = -1;
        if (entity)
            entity->gone = -1;
    }
}

// Tombstones are forgotten after a minute; call it when no changes wait.
static void
dio_store_purge(struct dio_store *self, uint64_t now_ms)
{
    struct dio_store kept = *self;
    kept.entities = calloc(self->room ? self->room : 1, sizeof *kept.entities);
    kept.count = 0;
    if (!kept.entities)
        return;
    for (size_t i = 0; i < self->room; i++) {
        struct dio_entity *entity = self->entities[i];
        if (!entity)
            continue;
        if (!entity->exists && !dio_has_word(entity) &&
            now_ms - entity->buried_ms > DIO_TOMBSTONE_MS) {
            dio_entity_free(entity);
            continue;
        }
        *dio_slot(&kept, entity->key) = entity;
        kept.count++;
    }
    free(self->entities);
    *self = kept;
}

static void
dio_store_free(struct dio_store *self)
{
    for (size_t i = 0; i < self->room; i++)
        if (self->entities[i])
            dio_entity_free(self->entities[i]);
    free(self->entities);
    free(self->changes);
}

#endif
