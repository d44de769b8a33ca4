// export.c - a page of what is stored about a user (export.h). The actor's thread.
#include "actors/repository/export.h"

#include "actors/repository/resource.h"
#include "proto/records/export_item.h"

enum { PAGE_BYTES = 4 << 20 }; // of records: one may take a megabyte

static const struct export_row *
rows_of(const actor_t *actor, const struct message *message)
{
    return actor_operation_of(actor, message)->of;
}

// Where the walk begins: the row of the place, and the key behind the gap.
static fallible
find_place(const struct export_row *rows, struct message *message, unsigned *ret_row,
           const struct text **ret_key)
{
    const struct text *after = export_item_after(message->records);
    *ret_row = 0;
    *ret_key = NULL;
    if (text_size(after) == 0)
        return OK;
    for (unsigned i = 0; rows[i].noun; i++) {
        size_t size = strlen(rows[i].noun);
        if (text_size(after) <= size || memcmp(text_bytes(after), rows[i].noun, size) != 0 ||
            text_bytes(after)[size] != EXPORT_PLACE_GAP[0])
            continue;
        *ret_row = i;
        *ret_key =
            text_new(&message->arena, text_bytes(after) + size + 1, text_size(after) - size - 1);
        return OK;
    }
    return fail(ERR_INVALID, "/after", "must be the place of an item");
}

static const struct record *
shown(const struct export_row *row, struct message *message, const struct record *record)
{
    if (!row->left_out)
        return record;
    struct record *copy = record_copy(&message->arena, record->schema, record);
    copy->present &= ~row->left_out;
    return copy;
}

static void
add_item(const struct export_row *row, struct message *message, const frozen_t *found)
{
    struct record *item = record_new(&message->arena, &export_item_schema);
    const char *key = text_chars(frozen_key(found));
    record_set_text(item, EXPORT_ITEM_PLACE,
                    text_format(&message->arena, "%s" EXPORT_PLACE_GAP "%s", row->noun, key));
    if (row->path)
        record_set_text(item, EXPORT_ITEM_FILE,
                        text_format(&message->arena, "%s%s", row->path, key));
    MEMBER(const struct record *, item, schema_field(&export_item_schema, row->member)) =
        shown(row, message, frozen_record(found));
    record_mark(item, row->member);
    reply_add_loose(message, &export_item_schema, item);
}

// Takes a record of the user into the page; one that is full takes no more.
static void
take(const struct export_row *row, struct listing *listing, struct message *message,
     const frozen_t *found)
{
    if (listing->page.skipped) {
        listing->page.skipped--;
        return;
    }
    add_item(row, message, found);
    listing->page.left--;
    listing->found += (int64_t)record_size(found);
    if (listing->found >= PAGE_BYTES)
        listing->page.left = 0;
}

// The one record of a kind whose key is its owner, unless an earlier page ended with it (`key`).
static fallible
take_own(actor_t *actor, struct message *message, struct listing *listing,
         const struct export_row *row, const struct text *key)
{
    const frozen_t *own;
    TRY(repository_fetch(repository_of(actor), row->kind, message->params->user, message, &own));
    if (own && !key)
        take(row, listing, message, own);
    return OK;
}

// The records of one kind behind `key` (NULL = all).
static fallible
walk(actor_t *actor, struct message *message, struct listing *listing, const struct export_row *row,
     const struct text *key)
{
    struct record_set *set = repository_records(repository_of(actor), row->kind);
    size_t count, i = key ? record_set_place_after(set, key) : 0;
    const frozen_t *const *records = record_set_items(set, &count);
    for (; i < count && listing->page.left; i++) {
        if (text_equal(record_text(frozen_record(records[i]), row->owner), message->params->user))
            take(row, listing, message, records[i]);
        if (listing_must_pause(listing, actor, i, records[i]))
            return actor_pause(actor, message);
    }
    return OK;
}

// The same by the stored index of their owners, a page at a time.
static fallible
walk_pages(actor_t *actor, struct message *message, struct listing *listing,
           const struct export_row *row, const struct text *key)
{
    struct repository *self = repository_of(actor);
    const struct text *user = message->params->user;
    const struct index_row *index =
        index_row_with_id(self->settings.kinds[row->kind].stored, row->index);
    const struct key prefix = index_prefix_of_text(index, user);
    struct key behind;
    if (key)
        behind = index_key_of_text(index, user, (struct bytes){text_bytes(key), text_size(key)});
    TRY(page_walk_resume(&listing->walk, self, row->kind, &prefix, key ? &behind : NULL, message));
    const struct record_page *page = listing->walk.page;
    for (size_t i = 0; page && i < page->count && listing->page.left; i++)
        if (text_equal(record_text(frozen_record(page->records[i]), row->owner), user))
            take(row, listing, message, page->records[i]);
    if (listing->page.left)
        TRY(page_walk_go_on(&listing->walk, self, message));
    page_walk_restart(&listing->walk);
    return OK;
}

typedef fallible walker(actor_t *actor, struct message *message, struct listing *listing,
                        const struct export_row *row, const struct text *key);

static walker *
walker_of(actor_t *actor, const struct export_row *row)
{
    const struct schema *schema = repository_of(actor)->settings.kinds[row->kind].schema;
    if (row->owner == schema_key_field(schema)->id)
        return take_own;
    return row->index ? walk_pages : walk;
}

enum error
repository_export(actor_t *actor, struct message *message)
{
    const struct export_row *rows = rows_of(actor, message);
    const struct text *key;
    unsigned row;
    TRY(find_place(rows, message, &row, &key));
    struct listing *listing = listing_of(message);
    if (listing->has_begun) { // in the row that the last slice ended in
        key = message->progress == row ? key : NULL;
        row = message->progress;
    }
    if (listing->passed)
        key = frozen_key(listing->passed);
    listing->has_begun = true;
    for (; rows[row].noun && listing->page.left; row++, key = NULL) {
        message->progress = row;
        TRY(walker_of(actor, &rows[row])(actor, message, listing, &rows[row], key));
        listing_pass(listing, NULL);
    }
    return OK;
}
