// datagram.c - reads both forms of the feed.
#include "tools/cli/datagram.h"

#include "proto/feed/feed_packed.h"
#include "tools/cli/json_value.h"

fallible
datagram_read_plain(struct arena *arena, const void *data, size_t size,
                    struct datagram *ret_datagram)
{
    const struct json *change;
    TRY(json_parse(arena, data, size, &change));
    if (change->type != JSON_OBJECT)
        return fail(ERR_MALFORMED, "", "The datagram is no object.");
    *ret_datagram = (struct datagram){.place = {.scene = json_value_chars(change, "scene", ""),
                                                .prev = json_value_unsigned(change, "prev", 0),
                                                .seq = json_value_unsigned(change, "seq", 0)},
                                      .count = 1,
                                      .changes = change};
    return OK;
}

fallible
datagram_read_packed(struct arena *arena, const char *scene, const void *data, size_t size,
                     struct datagram *ret_datagram)
{
    struct feed_packed_datagram packed;
    TRY(feed_packed_read(arena, data, size, &packed));
    *ret_datagram = (struct datagram){
        .place = {.scene = scene, .epoch = packed.epoch, .prev = packed.prev, .seq = packed.seq},
        .count = packed.changes->count,
        .changes = packed.changes->items};
    return OK;
}

void
datagram_put_lines(struct buffer *out, const struct datagram *datagram)
{
    const struct place *place = &datagram->place;
    for (uint32_t i = 0; i < datagram->count; i++) {
        json_value_put(out, &datagram->changes[i]);
        if (place->epoch) {
            out->size--; // the brace
            buffer_put_format(out, ",\"epoch\":%llu,\"seq\":%llu,\"prev\":%llu}",
                              (unsigned long long)place->epoch, (unsigned long long)place->seq,
                              (unsigned long long)place->prev);
        }
        buffer_put_char(out, '\n');
    }
}
