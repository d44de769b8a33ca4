// reply_axes.c - converts the records of an answer before they are written.
#include "gateway/reply/reply_axes.h"

#include "gateway/reply/reply.h"

// Puts converted copies in the place of the records.
static void
show(const struct convention *self, struct reply *reply)
{
    for (uint32_t i = 0; i < reply->count; i++) {
        const frozen_t *shown = convention_shown(self, reply->records[i]);
        record_unref(&reply->records[i]);
        reply->records[i] = shown;
    }
}

fallible
reply_axes_write(const struct convention *self, const struct route *route, struct message *message,
                 struct buffer *out, struct etag *ret_etag)
{
    struct reply *reply = &message->reply;
    if (!self || reply->count == 0 || reply->has_keys_only ||
        !convention_concerns(reply_record(reply, 0)->schema))
        return reply_write(route, message, out, ret_etag);
    const frozen_t *stored = record_ref(reply->records[0]);
    show(self, reply);
    enum error error = reply_write(route, message, out, ret_etag);
    if (error == OK && ret_etag->chars[0]) {
        etag_of_record(frozen_record(stored), operation_rows[route->operation].reply, ret_etag);
        ret_etag->variant = self->name;
    }
    record_unref(&stored);
    return error;
}
