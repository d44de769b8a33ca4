// etag.h - entity tags of records, and lists of them in conditions (RFC 9110, 8.8.3 and 13.1). The
// tag of a record is a hash of its JSON as a GET shows it, so that the gateway, which writes that
// JSON, and the actor, which decides a condition before it stages, get the same tag. In the axes of
// a convention the tag is `hash-unity`, in a content coding `hash-gzip` or `hash-unity-gzip`: other
// bytes of the same state. With GeoPoses it is `hash-geopose-print`. Pure.
#ifndef DIORAMA_PROTO_CODEC_ETAG_H
#define DIORAMA_PROTO_CODEC_ETAG_H

#include <sodium.h>

#include "proto/record/record.h"

enum { ETAG_SIZE = 33 }; // hex digits and NUL

// Without quotes and coding; "" = none.
struct etag {
    char chars[ETAG_SIZE];
    const char *variant; // of answers: their convention and form, NULL = the stored ones
};

// The tag of JSON that is written already.
void etag_of_json(const char *json, size_t size, struct etag *ret_etag);

// The tag of what `view` shows of a record.
void etag_of_record(const struct record *record, const struct view *view, struct etag *ret_etag);

// The tag of JSON that is hashed part by part. All zero is one that has not begun.
struct etag_parts {
    crypto_generichash_state *hash;
};

void etag_parts_add(struct etag_parts *self, const char *json, size_t size);
// The tag of all parts, one or more. They are forgotten.
void etag_parts_end(struct etag_parts *self, struct etag *ret_etag);
void etag_parts_finish(struct etag_parts *self);

// One member of a list: `*`, or an entity tag without its quotes.
struct etag_item {
    const char *chars;
    size_t size;
    bool is_any;
    bool is_weak;
};

// Takes the next member from the list. False at its end, and where something follows that is not a
// member: then **list is not NUL.
bool etag_next(const char **list, struct etag_item *ret_item);

// Whether the text is a list of at least one member.
bool etag_list_is_valid(const char *list);

enum etag_comparison { ETAG_STRONG, ETAG_WEAK };

// Whether the item is `*` or names the state of `etag`, in any convention and coding. In a strong
// comparison a weak item names nothing.
bool etag_item_names(const struct etag_item *item, const struct etag *etag,
                     enum etag_comparison comparison);

// Whether an item of the list names it.
bool etag_list_names(const char *list, const struct etag *etag, enum etag_comparison comparison);

// For an item that names the state of `etag`: false if the variant of `etag` does not follow the
// hash. `ret_coding` is the rest after the variant; its size is 0 if there is none.
bool etag_item_coding(const struct etag_item *item, const struct etag *etag,
                      const char **ret_coding, size_t *ret_size);

#endif
