// record_msgpack.h - records as msgpack: stored maps have field ids as keys (a renamed member can
// still be read), published maps wire names. Only this unit includes msgpack.h.
#ifndef DIORAMA_PROTO_CODEC_RECORD_MSGPACK_H
#define DIORAMA_PROTO_CODEC_RECORD_MSGPACK_H

#include "proto/base/buffer.h"
#include "proto/record/record.h"

// Appends a map { field id: value } of the present members. FIELD_INPUT, FIELD_SECRET,
// FIELD_DERIVED and FIELD_TRANSIENT members are left out.
void record_to_stored(const struct record *record, struct buffer *out);

// The same for answers that are kept: only FIELD_SECRET members are left out.
void record_to_frame(const struct record *record, struct buffer *out);

// Reads what either wrote, as a loose record. Ids that the schema does not know are skipped. Fails
// with ERR_MALFORMED on anything else, also on lengths that pass the input.
fallible record_from_stored(struct arena *arena, const struct schema *schema, const void *data,
                            size_t size, struct record **ret_record);

// The same, as a frozen record with one reference, yours.
fallible record_frozen_from_stored(const struct schema *schema, const void *data, size_t size,
                                   const frozen_t **ret_frozen);

// Appends a map { name: value } as record_to_json would write it (same members, same order).
void record_to_published(const struct record *record, const struct view *view, struct buffer *out);

// Appends the value of one member as in the packed feed (feed_packed.h): as in stored maps, but
// matrices are bytes. An absent member is nil if it is optional, else empty.
void record_member_to_packed(const struct record *record, const struct field *field,
                             struct buffer *out);

// Primitives for the few other msgpack maps (feed header).
void msgpack_put_map(struct buffer *out, uint32_t count);
void msgpack_put_array(struct buffer *out, uint32_t count);
void msgpack_put_text(struct buffer *out, const char *data, size_t size);
void msgpack_put_bytes(struct buffer *out, const void *data, size_t size);
void msgpack_put_integer(struct buffer *out, int64_t value);
void msgpack_put_unsigned(struct buffer *out, uint64_t value);
void msgpack_put_number(struct buffer *out, double value);
void msgpack_put_bool(struct buffer *out, bool value);
void msgpack_put_nil(struct buffer *out);

// Reads one msgpack value as a JSON tree. Keys of maps are texts, or integers that become their
// digits; bytes become texts. Checks lengths and depth before anything is allocated. Fails with
// ERR_MALFORMED.
struct json;
fallible msgpack_to_json(struct arena *arena, const void *data, size_t size,
                         const struct json **ret_value);

#endif
