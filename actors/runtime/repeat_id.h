// repeat_id.h - by what a request with an Idempotency-Key is known when it comes again: a hash of
// who asks, what for and with which key. Pure.
#ifndef DIORAMA_ACTORS_RUNTIME_REPEAT_ID_H
#define DIORAMA_ACTORS_RUNTIME_REPEAT_ID_H

#include <string.h>

#include "proto/message/message.h"

enum { REPEAT_ID_SIZE = 16 };

// A request, and the partition of its actor's family where its answer is kept.
struct repeat_id {
    unsigned char bytes[REPEAT_ID_SIZE];
    uint16_t part;
};

static inline bool
repeat_id_equal(const struct repeat_id *a, const struct repeat_id *b)
{
    return a->part == b->part && memcmp(a->bytes, b->bytes, REPEAT_ID_SIZE) == 0;
}

static inline uint64_t
repeat_id_hash(const struct repeat_id *id)
{
    uint64_t hash; // it is one already
    memcpy(&hash, id->bytes, sizeof hash);
    return hash + id->part;
}

// The id of `operation` that `payer` asks for with `key`, where the message's answer is kept.
struct repeat_id repeat_id_of(const struct message *message, const char *payer,
                              enum operation operation, const struct text *key);

// The bytes in hexadecimal, as keys of the store have them; and back: false if it is no such text.
const struct text *repeat_id_text(struct arena *arena, const struct repeat_id *id);
bool repeat_id_from_text(const struct text *text, uint16_t part, struct repeat_id *ret_id);

#endif
