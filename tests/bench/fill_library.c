// fill_library.c - writes a folder with many assets (without bytes) and relationships of theirs:
// bench_fill_library ASSETS RELATIONSHIPS --data.dir=DIR. Straight into the store, with their index
// records, in the form in which the asset actor has them (asset_family.h, asset_index.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/asset/asset_family.h"
#include "actors/asset/asset_index.h"
#include "proto/base/buffer.h"
#include "proto/codec/record_msgpack.h"
#include "proto/config/config.h"
#include "proto/records/asset.h"
#include "proto/records/relationship.h"
#include "store/key.h"
#include "store/store_open.h"

enum { AT_ONCE = 10000, OF_ONE = 100 }; // writes of a commit, and of a record and what leads to it

// The writes of one commit.
struct writes {
    store_t *store;
    struct arena arena;
    size_t count;
    struct store_operation operations[AT_ONCE];
};

static void
give_up(const char *what)
{
    fprintf(stderr, "bench_fill_library: %s: %s\n", what, fault_last()->detail);
    exit(1);
}

static void
commit(struct writes *self)
{
    const struct store_commit commit = {
        .id = store_version_new(), .operations = self->operations, .operation_count = self->count};
    if (self->count > 0 && store_commit(self->store, &commit, 0) != STORE_OK)
        give_up("a commit failed");
    self->count = 0;
    arena_finish(&self->arena);
    self->arena = (struct arena){0};
}

static void
add(struct writes *self, const struct key *key, struct bytes value)
{
    const struct bytes stored = {arena_copy(&self->arena, key->data, key->size), key->size};
    self->operations[self->count++] =
        (struct store_operation){.address = {FAMILY_ASSET, 0, stored}, .value = value};
}

static void
add_index(void *context, const struct key *key, bool is_delete)
{
    (void)is_delete; // there is nothing before
    add(context, key, (struct bytes){0});
}

static void
put(struct writes *self, key_tag_t tag, const struct index_row *rows, const struct record *record)
{
    struct buffer stored = {0};
    const struct key key = key_of_text(tag, record_key(record));
    record_to_stored(record, &stored);
    add(self, &key,
        (struct bytes){arena_copy(&self->arena, stored.data, stored.size), stored.size});
    buffer_finish(&stored);
    index_records_change(rows, key_name(&key), NULL, record, add_index, self);
    if (self->count > AT_ONCE - OF_ONE)
        commit(self);
}

static const struct text *
key_of(struct arena *arena, unsigned number)
{
    return text_format(arena, "%024x", number);
}

// A hash of bytes, which are nowhere: spread as hashes are.
static const struct text *
bytes_of(struct arena *arena, unsigned number)
{
    unsigned long long spread = (number + 1) * 0x9e3779b97f4a7c15ull;
    return text_format(arena, "%016llx%048x", spread, number);
}

static void
put_asset(struct writes *self, unsigned number)
{
    struct arena *arena = &self->arena;
    struct record *asset = record_new(arena, &asset_schema);
    record_set_text(asset, ASSET_KEY, key_of(arena, number));
    record_set_text(asset, ASSET_NAME, text_format(arena, "Asset %u", number));
    record_set_text(asset, ASSET_USER, text_format(arena, "%024x", number % 100));
    record_set_text(asset, ASSET_FILE_TYPE, text_from(arena, "glb"));
    record_set_text(asset, ASSET_ASSET_TYPE, text_format(arena, "type %u", number % 1000));
    record_set_text(asset, ASSET_SHA256, bytes_of(arena, number));
    record_set_integer(asset, ASSET_SIZE, 1000);
    record_set_integer(asset, ASSET_CREATED_US, (int64_t)number);
    put(self, KEY_ASSET, asset_index, asset);
}

static void
put_link(struct writes *self, unsigned number, unsigned assets)
{
    struct arena *arena = &self->arena;
    struct record *link = record_new(arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, key_of(arena, number));
    record_set_text(link, RELATIONSHIP_ASSET, key_of(arena, assets ? number % assets : number));
    record_set_text(link, RELATIONSHIP_TYPE, text_from(arena, "scene"));
    record_set_text(link, RELATIONSHIP_RELATED, text_format(arena, "scene-%u", number % 1000));
    record_set_text(link, RELATIONSHIP_USER, text_format(arena, "%024x", number % 100));
    put(self, KEY_RELATIONSHIP, relationship_index, link);
}

int
main(int argc, char **argv)
{
    struct config config;
    enum config_action action;
    static struct writes writes;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_fill_library ASSETS RELATIONSHIPS --data.dir=DIR\n");
        return 2;
    }
    unsigned assets = (unsigned)atoi(argv[1]), links = (unsigned)atoi(argv[2]);
    argv[2] = argv[0];
    if (config_load(argc - 2, argv + 2, &config, &action) != OK)
        give_up("configuration");
    if (store_open(&config, &writes.store) != OK)
        give_up("store");
    for (unsigned i = 0; i < assets; i++)
        put_asset(&writes, i);
    for (unsigned i = 0; i < links; i++)
        put_link(&writes, i, assets);
    commit(&writes);
    store_destroy(&writes.store);
    return 0;
}
