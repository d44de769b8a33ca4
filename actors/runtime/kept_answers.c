// kept_answers.c - the records of an answer as they are kept (kept_answers.h).
#include "actors/runtime/kept_answers.h"

#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/etag.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"

// The tag of a larger record would take too long for one turn; its repeats have none.
enum { TAGGED_BYTES = 256 << 10 };

static const struct view *
view_of(const struct message *message)
{
    return operation_rows[message->operation].reply;
}

static struct texts *
texts_for(struct message *message)
{
    size_t count = message->reply.count;
    struct texts *texts =
        arena_alloc(&message->arena, sizeof *texts + count * sizeof texts->items[0]);
    texts->count = 0;
    return texts;
}

// What the view shows of a record, as msgpack. Members that are stored only are left out: they may
// name users.
static const struct text *
shown(struct message *message, const struct record *record)
{
    owned(buffer_finish) struct buffer bytes = {0};
    struct record *copy = record_copy(&message->arena, record->schema, record);
    if (view_of(message)->fields)
        copy->present &= view_of(message)->fields;
    for (uint32_t i = 0; i < copy->schema->count; i++)
        if (copy->schema->fields[i].flags & FIELD_HIDDEN)
            copy->present &= ~FIELD_BIT(copy->schema->fields[i].id);
    record_to_frame(copy, &bytes);
    return text_new(&message->arena, bytes.data, bytes.size);
}

// Whether the record belongs to another user than the one who asked.
static bool
is_of_another(const struct message *message, const struct record *record)
{
    const struct schema *schema = record->schema;
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        const struct text *owner =
            field->flags & FIELD_OWNER ? record_text(record, field->id) : NULL;
        if (text_size(owner) && !text_is(owner, message->caller.user))
            return true;
    }
    return false;
}

// All records of the reply as they were shown; NULL where they are too large, or show the id of
// somebody else: their end would not find it.
static const struct texts *
all_shown(struct message *message)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < message->reply.count; i++) {
        bytes += record_size(reply_frozen(&message->reply, i));
        if (is_of_another(message, reply_record(&message->reply, i)))
            return NULL;
    }
    if (bytes > 8 * LIMIT_KEPT_ANSWER_BYTES) // it cannot become so small
        return NULL;
    struct texts *texts = texts_for(message);
    bytes = 0;
    for (uint32_t i = 0; i < message->reply.count; i++) {
        texts->items[texts->count++] = shown(message, reply_record(&message->reply, i));
        bytes += text_size(texts->items[i]);
    }
    return bytes <= LIMIT_KEPT_ANSWER_BYTES ? texts : NULL;
}

static const struct texts *
all_keys(struct message *message)
{
    struct texts *texts = texts_for(message);
    for (uint32_t i = 0; i < message->reply.count; i++)
        texts->items[texts->count++] = record_key(reply_record(&message->reply, i));
    return texts;
}

static void
set_texts(struct record *kept, unsigned id, const struct texts *texts)
{
    MEMBER(const struct texts *, kept, schema_field(kept->schema, id)) = texts;
    record_mark(kept, id);
}

static void
keep_records(struct message *message, struct record *kept)
{
    const struct texts *records = all_shown(message);
    struct etag etag;
    if (records) {
        set_texts(kept, KEPT_ANSWER_RECORDS, records);
        return;
    }
    set_texts(kept, KEPT_ANSWER_KEYS, all_keys(message));
    if (message->reply.count != 1 || record_size(reply_frozen(&message->reply, 0)) > TAGGED_BYTES)
        return;
    etag_of_record(reply_record(&message->reply, 0), view_of(message), &etag);
    record_set_text(kept, KEPT_ANSWER_ETAG, text_from(&message->arena, etag.chars));
}

// How much is made: of a request in slices what is in its reply, of a claim what its actor says.
static uint32_t
progress_of(const struct message *message)
{
    uint32_t count = message->reply.count;
    return count > message->progress ? count : message->progress;
}

struct record *
kept_answer_from_reply(struct message *message, const struct text *id, bool is_remade)
{
    struct record *kept = record_new(&message->arena, &kept_answer_schema);
    record_set_text(kept, KEPT_ANSWER_ID, id);
    record_set_text(kept, KEPT_ANSWER_PRINT, message->params->repeat_print);
    if (is_remade) {
        const char *seed = (const char *)message->seed;
        record_set_text(kept, KEPT_ANSWER_SEED, text_new(&message->arena, seed, KEY_SEED_SIZE));
        record_set_integer(kept, KEPT_ANSWER_PROGRESS, progress_of(message));
        record_set_integer(kept, KEPT_ANSWER_SCENE_ID, (int64_t)message->scene_id);
    } else if (view_of(message)) {
        keep_records(message, kept);
    }
    return kept;
}

// --- and back ---

static fallible
add_shown(struct message *message, const struct text *bytes)
{
    struct record *record;
    const struct schema *schema = view_of(message)->of;
    if (record_from_stored(&message->arena, schema, text_bytes(bytes), text_size(bytes), &record) !=
        OK)
        return fail(ERR_INTERNAL, "", "the answer that was kept is damaged");
    reply_add_loose(message, schema, record);
    return OK;
}

static void
add_key(struct message *message, const struct text *key)
{
    const struct schema *schema = view_of(message)->of;
    struct record *record = record_new(&message->arena, schema);
    record_set_text(record, schema_key_field(schema)->id, key);
    reply_add_loose(message, schema, record);
}

fallible
kept_answer_to_reply(const struct kept_answer *self, struct message *message)
{
    if (!view_of(message))
        return OK;
    for (size_t i = 0; i < texts_count(self->records); i++)
        TRY(add_shown(message, self->records->items[i]));
    for (size_t i = 0; i < texts_count(self->keys); i++)
        add_key(message, self->keys->items[i]);
    message->reply.has_keys_only = self->keys != NULL;
    if (self->etag)
        message->reply.etag =
            arena_copy(&message->arena, text_bytes(self->etag), text_size(self->etag) + 1);
    return OK;
}
