// shard_merge.c - merges answers by distance or by key, and cuts the page out (shard_merge.h).
#include "gateway/request/shard_merge.h"

#include "proto/records/scene.h"

// The distance of a scene from the point of the query; infinite without one, so it comes last.
static double
record_distance(const struct record *record)
{
    if (record->schema != &scene_schema || !record_has(record, SCENE_DISTANCE))
        return __builtin_inf();
    return scene_of(record)->distance;
}

static bool
record_before(const struct record *a, const struct record *b)
{
    double distance_a = record_distance(a), distance_b = record_distance(b);
    if (distance_a != distance_b)
        return distance_a < distance_b;
    return text_compare(record_key(a), record_key(b)) < 0;
}

// The shard whose next record comes first, or `count` if none has more.
static size_t
next_answer(struct message *const *answers, size_t count, const uint32_t *taken)
{
    size_t best = count;
    const struct record *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct reply *reply = &answers[i]->reply;
        if (taken[i] == reply->count)
            continue;
        const struct record *next = reply_record(reply, taken[i]);
        if (!first || record_before(next, first)) {
            first = next;
            best = i;
        }
    }
    return best;
}

static bool
have_more(struct message *const *answers, size_t count, const uint32_t *taken)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i]->reply.more || taken[i] < answers[i]->reply.count)
            return true;
    return false;
}

void
shard_merge(struct message *message, struct message *const *answers, size_t count)
{
    const struct params *params = message->params;
    int64_t start = params->start_record, end = start + params->num_records;
    uint32_t *taken = arena_alloc(&message->arena, count * sizeof *taken);
    for (int64_t at = 0; at < end; at++) {
        size_t shard = next_answer(answers, count, taken);
        if (shard == count)
            break;
        const frozen_t *record = reply_frozen(&answers[shard]->reply, taken[shard]++);
        if (at >= start)
            reply_add(message, record);
    }
    if (message->reply.count && have_more(answers, count, taken)) {
        struct envelope *envelope = reply_envelope(message);
        record_set_integer(&envelope->base, ENVELOPE_NEXT_START_RECORD, end);
    }
}
