// list_merge.c - merges pages in the order of the list (list_merge.h).
#include "gateway/request/list_merge.h"

#include "proto/message/list_query.h"

// The answer whose next record comes first; `count` where none has more.
static size_t
next_answer(const struct list_query *query, struct message *const *answers, size_t count,
            const uint32_t *taken)
{
    size_t best = count;
    struct list_place first, place;
    struct opened room;
    for (size_t i = 0; i < count; i++) {
        if (taken[i] == answers[i]->reply.count)
            continue;
        list_place_of(query, reply_open(&answers[i]->reply, taken[i], &room), &place);
        if (best == count || list_place_compare(query, &place, &first) < 0) {
            first = place;
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

// How many there are in all; -1 = more than are counted. Behind the first page the cursor says it.
static int64_t
total_of(const struct list_query *query, struct message *const *answers, size_t count)
{
    int64_t total = 0;
    if (query->has_place)
        return query->total;
    for (size_t i = 0; i < count; i++) {
        const struct envelope *envelope = (const void *)answers[i]->reply.envelope;
        if (envelope->at_least)
            return -1;
        total += envelope->total;
    }
    return total;
}

fallible
list_merge(struct message *message, struct message *const *answers, size_t count)
{
    const struct schema *schema = operation_rows[message->operation].reply->of;
    struct list_query query;
    TRY(list_query_read(message, list_kind_of(schema), 0, &query));
    uint32_t *taken = arena_alloc(&message->arena, count * sizeof *taken);
    memset(taken, 0, count * sizeof *taken);
    while (message->reply.count < query.limit) {
        size_t best = next_answer(&query, answers, count, taken);
        if (best == count)
            break;
        reply_add(message, reply_frozen(&answers[best]->reply, taken[best]++));
    }
    bool is_more = message->reply.count && have_more(answers, count, taken);
    list_answer(message, &query, total_of(&query, answers, count),
                is_more ? reply_record(&message->reply, message->reply.count - 1) : NULL);
    return OK;
}
