// reply_axes.c - converts the records of an answer before they are written, and names what they are
// shown as in their tag.
#include "gateway/reply/reply_axes.h"

#include "gateway/reply/reply.h"
#include "gateway/reply/reply_parts.h"
#include "proto/base/owned.h"
#include "proto/records/geopose.h"

enum { PRINT_DIGITS = 16 }; // of the hash of an answer with GeoPoses, in its tag

// Puts converted copies in the place of the records.
static void
show(const struct convention *self, struct message *message)
{
    struct reply *reply = &message->reply;
    owned(arena_finish) struct arena arena = {0};
    bool has_parts = params_want_parts(message->params);
    for (uint32_t i = 0; i < reply->count; i++) {
        const frozen_t *shown = convention_shown(self, reply_frozen(reply, i));
        record_unref(&reply->records[i]);
        reply->records[i] = has_parts ? reply_parts_shown(self, &arena, shown) : shown;
        if (has_parts)
            record_unref(&shown);
    }
}

// Leaves GeoPoses out of a record that may be changed, and out of those in its lists.
static void
hide_geoposes(struct record *record)
{
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        if (!record_has(record, field->id))
            continue;
        if (field->of == &geopose_schema)
            record->present &= ~FIELD_BIT(field->id);
        const struct records *list =
            field->type == FIELD_RECORDS ? MEMBER(const struct records *, record, field) : NULL;
        for (uint32_t k = 0; list && k < list->count; k++)
            hide_geoposes(list->items[k]);
    }
}

// The tag of what is stored of a record that is shown with GeoPoses.
static void
tag_without_geoposes(const struct view *view, const frozen_t *record, struct etag *ret_etag)
{
    frozen_t *copy = record_thaw_numbers(record);
    const frozen_t *stored = copy;
    hide_geoposes(frozen_edit(copy));
    etag_of_record(frozen_record(stored), view, ret_etag);
    record_unref(&stored);
}

// Makes the tag of the answer that of what is stored, and of the variant that the answer is. A
// GeoPose changes with the scene's place too, so its variant has a print of the answer.
static void
settle_tag(const struct convention *self, const struct route *route, struct message *message,
           const frozen_t *record, struct etag *etag)
{
    const struct view *view = operation_rows[route->operation].reply;
    const char *name = self ? self->name : "";
    if (!params_want_geopose(message->params)) {
        bool has_parts = params_want_parts(message->params);
        etag_of_record(frozen_record(record), view, etag);
        etag->variant =
            has_parts ? text_chars(text_format(&message->arena, "%s%strs", name, self ? "-" : ""))
                      : name;
        return;
    }
    const struct text *variant = text_format(&message->arena, "%s%sgeopose-%.*s", name,
                                             self ? "-" : "", PRINT_DIGITS, etag->chars);
    tag_without_geoposes(view, record, etag);
    etag->variant = text_chars(variant);
}

// Whether the records are shown otherwise than they are stored.
static bool
differs(const struct convention *self, const struct message *message)
{
    const struct reply *reply = &message->reply;
    if (reply->count == 0 || reply->has_keys_only)
        return false;
    return params_want_geopose(message->params) || params_want_parts(message->params) ||
           (self && convention_concerns(reply_record(reply, 0)->schema));
}

fallible
reply_axes_write(const struct convention *self, const struct route *route, struct message *message,
                 struct buffer *out, struct etag *ret_etag)
{
    struct reply *reply = &message->reply;
    if (!differs(self, message))
        return reply_write(route, message, out, ret_etag);
    reply_unpack(reply);
    const frozen_t *stored = record_ref(reply_frozen(reply, 0));
    show(self, message);
    enum error error = reply_write(route, message, out, ret_etag);
    if (error == OK && ret_etag->chars[0])
        settle_tag(self, route, message, stored, ret_etag);
    record_unref(&stored);
    return error;
}
