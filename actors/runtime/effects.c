// effects.c - the scales of effects, how they are made and what they end (effects.h).

#include "actors/runtime/effects.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>

static const enum effect_scale scales[OPERATION_COUNT] = {
    [RELATED_GONE] = BY_MOMENT,
    [EXPEL] = BY_REVOCATION,
    [ERASE_SCENES] = FOR_EVER,
    [ERASE_LIBRARY] = FOR_EVER,
};

enum effect_scale
effect_scale_of(enum operation operation)
{
    return scales[operation];
}

struct effect *
effect_new(struct message *message, enum operation operation, const struct text *key,
           int64_t before)
{
    uint64_t id;
    struct record *effect = record_new(&message->arena, &effect_schema);
    assert(effect_scale_of(operation) != NO_EFFECT);
    randombytes_buf(&id, sizeof id);
    record_set_text(effect, EFFECT_ID, text_format(&message->arena, "%016" PRIx64, id));
    record_set_text(effect, EFFECT_OPERATION,
                    text_from(&message->arena, operation_rows[operation].name));
    record_set_text(effect, EFFECT_KEY, key);
    record_set_integer(effect, EFFECT_BEFORE, before);
    return (struct effect *)(void *)effect;
}

const struct effect *
effect_asked(const struct message *message)
{
    return (const struct effect *)(const void *)message->records->items[0];
}

bool
effect_ends(const struct message *message, enum effect_scale scale, int64_t made)
{
    const struct effect *effect = effect_asked(message);
    assert(scale == effect_scale_of(message->operation));
    (void)scale;
    return !record_has(&effect->base, EFFECT_BEFORE) || made < effect->before;
}
