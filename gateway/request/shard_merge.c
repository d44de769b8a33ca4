// shard_merge.c - merges answers by distance or by key, and cuts the page out (shard_merge.h).
#include "gateway/request/shard_merge.h"

// What an answer has next.
struct next {
    double distance_km; // infinite without a point, so it comes last
    const struct reply *reply;
    uint32_t index;
};

static bool
comes_before(const struct next *one, const struct next *other)
{
    if (one->distance_km != other->distance_km)
        return one->distance_km < other->distance_km;
    return text_compare(reply_key(one->reply, one->index), reply_key(other->reply, other->index)) <
           0;
}

// The shard whose next record comes first, or `count` if none has more.
static size_t
next_answer(struct message *const *answers, size_t count, const uint32_t *taken)
{
    size_t best = count;
    struct next first = {0};
    for (size_t i = 0; i < count; i++) {
        const struct reply *reply = &answers[i]->reply;
        if (taken[i] == reply->count)
            continue;
        const struct next next = {reply_distance(reply, taken[i]), reply, taken[i]};
        if (!first.reply || comes_before(&next, &first)) {
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

static bool
have_distances(struct message *const *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i]->reply.distances)
            return true;
    return false;
}

// How many records the page has, of those that stand at the places from `start` to `end` - 1.
static uint32_t
count_of_page(struct message *const *answers, size_t count, int64_t start, int64_t end)
{
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += answers[i]->reply.count;
    found = found < end ? found : end;
    return found > start ? (uint32_t)(found - start) : 0;
}

void
shard_merge(struct message *message, struct message *const *answers, size_t count)
{
    const struct params *params = message->params;
    int64_t start = params->start_record, end = start + params->num_records;
    uint32_t *taken = arena_alloc(&message->arena, count * sizeof *taken);
    uint32_t many = count_of_page(answers, count, start, end);
    double *distances = NULL;
    if (have_distances(answers, count))
        distances = arena_alloc(&message->arena, many * sizeof *distances);
    message->reply.distances = distances;
    reply_reserve(&message->reply, many);
    for (int64_t at = 0; at < end; at++) {
        size_t shard = next_answer(answers, count, taken);
        if (shard == count)
            break;
        struct reply *reply = &answers[shard]->reply;
        uint32_t place = taken[shard]++;
        if (at < start)
            continue;
        if (distances)
            distances[at - start] = reply_distance(reply, place);
        reply_take(message, reply, place);
    }
    if (message->reply.count && have_more(answers, count, taken)) {
        struct envelope *envelope = reply_envelope(message);
        record_set_integer(&envelope->base, ENVELOPE_NEXT_START_RECORD, end);
    }
}
