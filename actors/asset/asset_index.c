// asset_index.c - the tables of rows, and what is made of records for them (asset_index.h).
#include "actors/asset/asset_index.h"

#include <sodium.h>

#include "proto/message/partition.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"
#include "proto/records/relationship.h"

enum { IDENTITY_BYTES = 16 };

const struct text *
relationship_identity_text(struct arena *arena, const struct record *link)
{
    static const unsigned parts[] = {RELATIONSHIP_ASSET, RELATIONSHIP_SUB_ID, RELATIONSHIP_TYPE,
                                     RELATIONSHIP_RELATED};
    unsigned char digest[IDENTITY_BYTES];
    char hex[2 * IDENTITY_BYTES + 1];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct text *part = record_text(link, parts[i]);
        const uint64_t size = text_size(part);
        crypto_generichash_update(&state, (const unsigned char *)&size, sizeof size);
        crypto_generichash_update(&state, (const unsigned char *)text_bytes(part), text_size(part));
    }
    crypto_generichash_final(&state, digest, sizeof digest);
    return text_from(arena, sodium_bin2hex(hex, sizeof hex, digest, sizeof digest));
}

static const struct texts *
identity_of(struct arena *arena, const struct record *link)
{
    return texts_of_one(arena, relationship_identity_text(arena, link));
}

static const struct texts *
partition_of(struct arena *arena, const struct record *link)
{
    uint16_t part;
    const struct text *related = record_text(link, RELATIONSHIP_RELATED);
    if (!related || !partition_of_key(related, &part))
        return NULL;
    return texts_of_one(arena, text_format(arena, "%03x", part));
}

static const struct texts *
blobs_of(struct arena *arena, const struct record *record)
{
    const struct text *const blobs[] = {record_text(record, ASSET_SHA256),
                                        record_text(record, ASSET_THUMBNAIL)};
    struct texts *found = arena_alloc(arena, sizeof *found + sizeof blobs);
    found->count = sizeof blobs / sizeof blobs[0];
    memcpy(found->items, blobs, sizeof blobs);
    return found;
}

static const struct texts *
seen_by(struct arena *arena, const struct record *record, unsigned owner, bool is_public)
{
    return list_rows_seen(arena, record_text(record, owner), is_public);
}

static const struct texts *
project_seen_by(struct arena *arena, const struct record *record)
{
    const struct project *project = (const struct project *)(const void *)record;
    return seen_by(arena, record, PROJECT_USER,
                   record_has(record, PROJECT_PUBLIC) && project->is_public);
}

static const struct texts *
collection_seen_by(struct arena *arena, const struct record *record)
{
    const struct collection *collection = (const struct collection *)(const void *)record;
    return seen_by(arena, record, COLLECTION_USER,
                   record_has(record, COLLECTION_PUBLIC) && collection->is_public);
}

static const struct texts *
asset_seen_by(struct arena *arena, const struct record *record)
{
    return seen_by(arena, record, ASSET_USER,
                   record_has(record, ASSET_PUBLIC) && asset_of(record)->is_public);
}

// clang-format off
const struct index_row project_index[] = {
    {.id = INDEX_PROJECT_NAME,       .form = INDEX_ORDER, .member = PROJECT_NAME},
    {.id = INDEX_PROJECT_USER,       .form = INDEX_TEXT,  .member = PROJECT_USER},
    {.id = INDEX_PROJECT_TAG,        .form = INDEX_TEXTS, .member = PROJECT_TAGS},
    {.id = INDEX_PROJECT_COLLECTION, .form = INDEX_TEXTS, .member = PROJECT_COLLECTIONS},
    {.id = INDEX_PROJECT_CATEGORY,   .form = INDEX_ORDER, .member = PROJECT_CATEGORY},
    {.id = INDEX_PROJECT_WORD,       .form = INDEX_MADE,  .make = list_rows_words},
    {.id = INDEX_PROJECT_SEEN,       .form = INDEX_MADE,  .make = project_seen_by},
    {0}};

const struct index_row collection_index[] = {
    {.id = INDEX_COLLECTION_NAME, .form = INDEX_ORDER, .member = COLLECTION_NAME},
    {.id = INDEX_COLLECTION_USER, .form = INDEX_TEXT,  .member = COLLECTION_USER},
    {.id = INDEX_COLLECTION_TAG,  .form = INDEX_TEXTS, .member = COLLECTION_TAGS},
    {.id = INDEX_COLLECTION_CATEGORY, .form = INDEX_ORDER, .member = COLLECTION_CATEGORY},
    {.id = INDEX_COLLECTION_WORD, .form = INDEX_MADE,  .make = list_rows_words},
    {.id = INDEX_COLLECTION_SEEN, .form = INDEX_MADE,  .make = collection_seen_by},
    {0}};

const struct index_row relationship_index[] = {
    {.id = INDEX_RELATIONSHIP_ASSET,     .form = INDEX_TEXT, .member = RELATIONSHIP_ASSET},
    {.id = INDEX_RELATIONSHIP_RELATED,   .form = INDEX_TEXT, .member = RELATIONSHIP_RELATED},
    {.id = INDEX_RELATIONSHIP_USER,      .form = INDEX_TEXT, .member = RELATIONSHIP_USER},
    {.id = INDEX_RELATIONSHIP_IDENTITY,  .form = INDEX_MADE, .make = identity_of},
    {.id = INDEX_RELATIONSHIP_PARTITION, .form = INDEX_MADE, .make = partition_of},
    {0}};

const struct index_row asset_index[] = {
    {.id = INDEX_ASSET_CREATED, .form = INDEX_NUMBER, .member = ASSET_CREATED_US},
    {.id = INDEX_ASSET_NAME,    .form = INDEX_ORDER,  .member = ASSET_NAME},
    {.id = INDEX_ASSET_USER,    .form = INDEX_TEXT,   .member = ASSET_USER},
    {.id = INDEX_ASSET_TYPE,    .form = INDEX_ORDER,  .member = ASSET_ASSET_TYPE},
    {.id = INDEX_ASSET_BLOB,    .form = INDEX_MADE,   .make = blobs_of},
    {.id = INDEX_ASSET_WORD,    .form = INDEX_MADE,   .make = list_rows_words},
    {.id = INDEX_ASSET_SEEN,    .form = INDEX_MADE,   .make = asset_seen_by},
    {0}};

const struct list_rows project_lists = {
    .orders = {[LIST_NAME] = INDEX_PROJECT_NAME, [LIST_TYPE] = INDEX_PROJECT_CATEGORY,
               [LIST_TAG] = INDEX_PROJECT_TAG,   [LIST_WORD] = INDEX_PROJECT_WORD},
    .seen = INDEX_PROJECT_SEEN};

const struct list_rows collection_lists = {
    .orders = {[LIST_NAME] = INDEX_COLLECTION_NAME, [LIST_TYPE] = INDEX_COLLECTION_CATEGORY,
               [LIST_TAG] = INDEX_COLLECTION_TAG,   [LIST_WORD] = INDEX_COLLECTION_WORD},
    .seen = INDEX_COLLECTION_SEEN};

const struct list_rows asset_lists = {
    .orders = {[LIST_NAME] = INDEX_ASSET_NAME,       [LIST_TYPE] = INDEX_ASSET_TYPE,
               [LIST_CREATED] = INDEX_ASSET_CREATED, [LIST_WORD] = INDEX_ASSET_WORD},
    .seen = INDEX_ASSET_SEEN};
// clang-format on
