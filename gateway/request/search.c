// search.c - the kinds that are searched, a row each (search.h).
#include "gateway/request/search.h"

#include "proto/records/list_kind.h"
#include "proto/records/search_hit.h"

enum { SEARCH_LIMIT = 20, SEARCH_LIMIT_MOST = 100 };

static bool
for_everybody(const struct message *message)
{
    (void)message;
    return true;
}

static bool
for_administrators(const struct message *message)
{
    return message->caller.role == CALLER_ADMIN || message->caller.role == CALLER_TRUSTED;
}

static bool
in_a_scene(const struct message *message)
{
    return text_size(message->params->scene) > 0;
}

static const struct {
    enum operation list;
    bool (*is_asked)(const struct message *message);
} kinds[SEARCH_KINDS] = {
    {SCENE_LIST, for_everybody},      {OBJECT_LIST, in_a_scene},
    {ASSET_LIST, for_everybody},      {PROJECT_LIST, for_everybody},
    {COLLECTION_LIST, for_everybody}, {USER_FIND, for_administrators},
};

static int64_t
limit_of(const struct message *message)
{
    int64_t limit = message->params->num_records ? message->params->num_records : SEARCH_LIMIT;
    return limit < SEARCH_LIMIT_MOST ? limit : SEARCH_LIMIT_MOST;
}

size_t
search_questions(const struct message *message, struct message *ret_questions[SEARCH_KINDS])
{
    size_t count = 0;
    for (size_t i = 0; i < SEARCH_KINDS; i++) {
        if (!kinds[i].is_asked(message))
            continue;
        struct message *question = message_create(kinds[i].list);
        struct record *params = &question->params->base;
        struct arena *arena = &question->arena;
        question->caller = message->caller;
        record_set_text(params, PARAMS_AFTER, text_from(arena, ""));
        record_set_text(params, PARAMS_SORT, text_from(arena, "name"));
        record_set_text(params, PARAMS_Q, text_copy(arena, message->params->q));
        record_set_integer(params, PARAMS_NUM_RECORDS, limit_of(message));
        if (kinds[i].list == OBJECT_LIST)
            record_set_text(params, PARAMS_SCENE, text_copy(arena, message->params->scene));
        ret_questions[count++] = question;
    }
    return count;
}

static void
add_hit(struct message *message, const struct record *record)
{
    const struct list_kind *kind = list_kind_of(record->schema);
    struct record *hit = record_new(&message->arena, &search_hit_schema);
    record_set_text(hit, SEARCH_HIT_KIND, text_from(&message->arena, kind->noun));
    record_set_text(hit, SEARCH_HIT_KEY, record_key(record));
    record_set_text(hit, SEARCH_HIT_NAME, record_text(record, list_kind_member(kind, LIST_NAME)));
    if (list_kind_member(kind, LIST_PARENT) != LIST_NO_MEMBER) // an object
        record_set_text(hit, SEARCH_HIT_SCENE, message->params->scene);
    reply_add_loose(message, &search_hit_schema, hit);
}

void
search_answer(struct message *message, struct message *const *answers, size_t count)
{
    uint32_t limit = (uint32_t)limit_of(message);
    bool is_more = true;
    for (uint32_t turn = 0; is_more && message->reply.count < limit; turn++) {
        is_more = false;
        for (size_t i = 0; i < count && message->reply.count < limit; i++) {
            if (turn >= answers[i]->reply.count)
                continue;
            add_hit(message, reply_record(&answers[i]->reply, turn));
            is_more = true;
        }
    }
}
