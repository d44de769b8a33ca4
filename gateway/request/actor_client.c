// actor_client.c - asks actors and merges their answers. The worker's own thread. Each question
// borrows a box. An answer that arrives after its deadline is dropped and counted when its box is
// used again.
#include "gateway/request/actor_client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/request/idempotency.h"
#include "gateway/request/list_merge.h"
#include "gateway/request/scene_layout.h"
#include "gateway/request/scene_walk.h"
#include "gateway/request/search.h"
#include "gateway/request/shard_merge.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"

struct actor_client {
    question_boxes_t *boxes;          // everybody's
    const struct shown_tables *shown; // what actors publish, or NULL
    unsigned shards;
    int64_t deadline_ms;
};

// Questions asked at the same time; a slot is NULL while its answer is out.
struct questions {
    size_t count;
    struct message **slots;
    unsigned *shards;  // the shard of each; NULL:
    const char *actor; // the mailbox of all of them
};

actor_client_t *
actor_client_create(question_boxes_t *boxes, const struct shown_tables *shown, unsigned shards,
                    int64_t deadline_ms)
{
    actor_client_t *self = memory_take_zeroed(sizeof *self);
    self->boxes = boxes;
    self->shown = shown;
    self->shards = shards ? shards : 1;
    self->deadline_ms = deadline_ms;
    return self;
}

void
actor_client_destroy(actor_client_t **self)
{
    free(*self);
    *self = NULL;
}

static void
questions_init(struct questions *self, size_t count, struct arena *arena)
{
    *self = (struct questions){
        .count = count,
        .slots = arena_alloc(arena, count * sizeof(struct message *)),
        .shards = arena_alloc(arena, count * sizeof(unsigned)),
    };
}

static void
questions_finish(struct questions *self)
{
    for (size_t i = 0; i < self->count; i++)
        message_destroy(&self->slots[i]);
}

static fallible
questions_send(struct question_box *box, struct questions *questions, uint64_t first_id,
               uint64_t deadline)
{
    for (size_t i = 0; i < questions->count; i++) {
        char to[MAILBOX_NAME_SIZE];
        if (questions->shards)
            mailbox_shard_name(questions->shards[i], to);
        else
            snprintf(to, sizeof to, "%s", questions->actor);
        questions->slots[i]->id = first_id + i;
        questions->slots[i]->deadline_ms = deadline;
        TRY(question_box_send(box, to, &questions->slots[i]));
    }
    return OK;
}

// Puts an answer into its slot and returns 1; drops one that belongs to an earlier question.
static size_t
questions_settle(struct questions *questions, uint64_t first_id, struct message *answer)
{
    uint64_t index = answer->id - first_id;
    if (index < questions->count && !questions->slots[index]) {
        questions->slots[index] = answer;
        return 1;
    }
    counter_add(COUNT_LATE_REPLIES, 1);
    message_destroy(&answer);
    return 0;
}

// Sends all questions and waits until every slot holds its answer.
static fallible
questions_ask_from(actor_client_t *self, struct question_box *from, struct questions *questions)
{
    uint64_t first_id = from->last_id + 1;
    uint64_t deadline = clock_deadline_ms((uint64_t)self->deadline_ms);
    from->last_id += questions->count;
    TRY(questions_send(from, questions, first_id, deadline));
    for (size_t answered = 0; answered < questions->count;) {
        struct message *answer = answer_box_receive(from->answers, clock_left_ms(deadline));
        if (answer)
            answered += questions_settle(questions, first_id, answer);
        else if (clock_left_ms(deadline) == 0)
            return fail(ERR_UNAVAILABLE, "", "the answer took longer than %lld ms",
                        (long long)self->deadline_ms);
    }
    return OK;
}

static fallible
questions_ask(actor_client_t *self, struct questions *questions)
{
    struct question_box *from = question_boxes_borrow(self->boxes);
    enum error error = questions_ask_from(self, from, questions);
    question_boxes_give_back(self->boxes, &from);
    return error;
}

static fallible
ask_one(actor_client_t *self, uint16_t partition, struct message **message)
{
    unsigned shard = partition % self->shards;
    struct questions question = {.count = 1, .slots = message, .shards = &shard};
    return questions_ask(self, &question);
}

static fallible
ask_actor(actor_client_t *self, const char *actor, struct message **message)
{
    struct questions question = {.count = 1, .slots = message, .actor = actor};
    return questions_ask(self, &question);
}

// The first failure among the answers becomes the failure of `message`.
static bool
questions_failed(const struct questions *questions, struct message *message)
{
    for (size_t i = 0; i < questions->count; i++)
        if (questions->slots[i]->reply.fault.error != OK) {
            message->reply.fault = questions->slots[i]->reply.fault;
            return true;
        }
    return false;
}

// --- all shards: each answers its own first records, the page is cut here ---

static fallible
ask_all(actor_client_t *self, struct message *message)
{
    struct params *params = message->params;
    int64_t start = params->start_record, wanted = params->num_records;
    record_set_integer(&params->base, PARAMS_START_RECORD, 0);
    record_set_integer(&params->base, PARAMS_NUM_RECORDS, start + wanted);
    struct questions questions;
    questions_init(&questions, self->shards, &message->arena);
    for (unsigned i = 0; i < self->shards; i++) {
        questions.slots[i] = message_clone(message);
        questions.shards[i] = i;
    }
    record_set_integer(&params->base, PARAMS_START_RECORD, start);
    record_set_integer(&params->base, PARAMS_NUM_RECORDS, wanted);
    enum error error = questions_ask(self, &questions);
    if (error == OK && !questions_failed(&questions, message))
        shard_merge(message, questions.slots, questions.count);
    questions_finish(&questions);
    return error;
}

// --- pages of a list: each answers its own first records, in the order of the list ---

static fallible
ask_lists(actor_client_t *self, struct message *message)
{
    struct questions questions;
    questions_init(&questions, self->shards, &message->arena);
    for (unsigned i = 0; i < self->shards; i++) {
        questions.slots[i] = message_clone(message);
        questions.shards[i] = i;
    }
    enum error error = questions_ask(self, &questions);
    if (error == OK && !questions_failed(&questions, message))
        error = list_merge(message, questions.slots, questions.count);
    questions_finish(&questions);
    return error;
}

// --- record by record: each goes to the scene of its own key ---

// What is known of a request by its Idempotency-Key, whatever scenes it is about: kept by the actor
// of one scene, whose key is the Idempotency-Key. All zero: the request has none.
struct claim {
    bool is_repeated; // an earlier request made it
    bool is_done;     // which made all its scenes
    bool has_seed;
    unsigned char seed[KEY_SEED_SIZE]; // its parts follow from it, whenever it comes
};

static fallible
ask_of_claim(actor_client_t *self, enum operation operation, const struct message *message,
             const struct claim *claim, struct message **ret_answer)
{
    const struct params *of = message->params;
    struct message *question = message_create(operation);
    struct arena *arena = &question->arena;
    struct record *params = &question->params->base;
    question->caller = message->caller;
    record_set_text(params, PARAMS_SCENE, text_copy(arena, of->repeat_key));
    record_set_text(params, PARAMS_REPEAT_PRINT, text_copy(arena, of->repeat_print));
    if (operation == REPEAT_CLAIM)
        record_set_text(params, PARAMS_REPEAT_KEY, text_copy(arena, of->repeat_key));
    if (claim->has_seed)
        record_set_text(params, PARAMS_REPEAT_SEED,
                        text_new(arena, (const char *)claim->seed, sizeof claim->seed));
    *ret_answer = question;
    return ask_one(self, partition_of_scene(of->repeat_key), ret_answer);
}

// Claims the key for this request. The reply of `message` has the failure, if there is one.
static fallible
claim_take(actor_client_t *self, struct message *message, struct claim *ret_claim)
{
    owned(message_destroy) struct message *answer = NULL;
    *ret_claim = (struct claim){.is_repeated = false};
    if (!message->params->repeat_key)
        return OK;
    TRY(ask_of_claim(self, REPEAT_CLAIM, message, ret_claim, &answer));
    message->reply.fault = answer->reply.fault;
    if (answer->reply.fault.error != OK)
        return OK;
    *ret_claim = (struct claim){.is_repeated = answer->reply.is_replayed,
                                .is_done = answer->progress > 0,
                                .has_seed = true};
    memcpy(ret_claim->seed, answer->seed, sizeof ret_claim->seed);
    return OK;
}

// Keeps how the request ended: REPEAT_DONE or REPEAT_RELEASE.
static void
claim_end(actor_client_t *self, enum operation operation, const struct message *message,
          const struct claim *claim)
{
    owned(message_destroy) struct message *answer = NULL;
    if (claim->has_seed && !claim->is_done)
        error_ignore(ask_of_claim(self, operation, message, claim, &answer),
                     "a repeat asks for each scene again");
}

// A part of the request. A scene without a key gets one, which is the same at each repeat.
static struct message *
question_of(struct message *message, const struct claim *claim, uint32_t index)
{
    struct records *all = message->records;
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = all->items[index];
    struct message *question = message_clone(message);
    message->records = all;
    struct arena *arena = &question->arena;
    struct record *params = &question->params->base;
    const struct text *key = record_key(question->records->items[0]), *part = NULL;
    question->params->repeat_key = NULL; // the claim alone keeps an answer
    if (claim->has_seed) {
        part = idempotency_part(arena, claim->seed, index);
        record_set_text(params, PARAMS_REPEAT_SEED, part);
        question->params->repeat_done = claim->is_done;
        record_mark(params, PARAMS_REPEAT_DONE);
    }
    if (!key)
        key = part ? key_derive_free(arena, part) : key_generate_free(arena);
    record_set_text(params, PARAMS_SCENE, key);
    return question;
}

// Each part has one record in its answer.
static void
questions_join(const struct questions *questions, struct message *message)
{
    bool *earlier = arena_alloc(&message->arena, questions->count * sizeof *earlier);
    size_t replayed = 0;
    for (size_t i = 0; i < questions->count; i++) {
        struct reply *reply = &questions->slots[i]->reply;
        assert(reply->count == 1);
        reply_add(message, reply_frozen(reply, 0));
        earlier[i] = reply->is_replayed;
        replayed += reply->is_replayed;
    }
    message->reply.is_replayed = replayed == questions->count;
    message->reply.earlier = earlier;
}

// What was made although others failed: the audit log tells of it.
static void
questions_join_made(const struct questions *questions, struct message *message)
{
    for (size_t i = 0; i < questions->count; i++) {
        struct message *answer = questions->slots[i];
        if (!answer || answer->reply.fault.error != OK || answer->reply.is_replayed)
            continue;
        for (uint32_t j = 0; j < answer->reply.count; j++)
            reply_add(message, reply_frozen(&answer->reply, j));
    }
}

static bool
questions_all_failed(const struct questions *questions)
{
    for (size_t i = 0; i < questions->count; i++)
        if (!questions->slots[i] || questions->slots[i]->reply.fault.error == OK)
            return false;
    return true;
}

static fallible
ask_parts(actor_client_t *self, struct message *message, const struct claim *claim)
{
    struct questions questions;
    questions_init(&questions, message->records->count, &message->arena);
    for (uint32_t i = 0; i < questions.count; i++) {
        questions.slots[i] = question_of(message, claim, i);
        questions.shards[i] = partition_of_scene(questions.slots[i]->params->scene) % self->shards;
    }
    if (questions.count == 1) // the request is about this scene, whatever becomes of it
        record_set_text(&message->params->base, PARAMS_SCENE,
                        text_copy(&message->arena, questions.slots[0]->params->scene));
    enum error error = questions_ask(self, &questions);
    bool has_failed = error == OK && questions_failed(&questions, message);
    if (error == OK && !has_failed) {
        questions_join(&questions, message);
        claim_end(self, REPEAT_DONE, message, claim);
    } else {
        questions_join_made(&questions, message);
    }
    // What an earlier request claimed is not released: its scenes may be under way.
    if (has_failed && !claim->is_repeated && questions_all_failed(&questions))
        claim_end(self, REPEAT_RELEASE, message, claim);
    questions_finish(&questions);
    return error;
}

static fallible
ask_each(actor_client_t *self, struct message *message)
{
    struct claim claim;
    if (!message->records || message->records->count == 0)
        return OK; // nothing to ask
    TRY(claim_take(self, message, &claim));
    if (message->reply.fault.error != OK)
        return OK; // the answer is this failure
    return ask_parts(self, message, &claim);
}

// Whatever was waited for before (a body, a disk, another actor), the caller is that of now.
static fallible
sign(const struct asker *asker, struct message *message)
{
    bool takes_device = message->caller.takes_device;
    TRY(asker_identify(asker, &message->caller));
    message->caller.takes_device = takes_device;
    return OK;
}

// --- a search: lists of all kinds ---

// One question, wherever it goes.
static fallible
ask_kind(actor_client_t *self, struct message **question)
{
    uint16_t partition;
    switch (operation_rows[(*question)->operation].target) {
    case ALL_LISTS:
        return ask_lists(self, *question);
    case BY_SCENE:
        return message_partition(*question, &partition) ? ask_one(self, partition, question) : OK;
    default:
        return ask_actor(self, actor_mailbox(operation_rows[(*question)->operation].actor),
                         question);
    }
}

static fallible
ask_kinds(actor_client_t *self, struct message *message)
{
    struct message *answers[SEARCH_KINDS];
    if (text_size(message->params->q) == 0)
        return fail(ERR_MISSING, "", "the query string must say q, the beginning of a word");
    size_t count = search_questions(message, answers);
    enum error error = OK;
    for (size_t i = 0; i < count && error == OK; i++) {
        error = ask_kind(self, &answers[i]);
        if (error == OK)
            message->reply.fault = answers[i]->reply.fault;
        if (error == OK && message->reply.fault.error != OK)
            break; // the answer is this failure
    }
    if (error == OK && message->reply.fault.error == OK)
        search_answer(message, answers, count);
    for (size_t i = 0; i < count; i++)
        message_destroy(&answers[i]);
    return error;
}

// --- what is in all scenes ---

enum {
    WALK_MS = 500,       // after that a walk ends with what it has found
    EMPTY_WALK_MS = 2000 // or with nothing, and goes on with the next request
};

// The list of one scene; of one that is not there it is empty.
static fallible
ask_in_scene(actor_client_t *self, struct message **message)
{
    const struct text *scene = (*message)->params->scene;
    (*message)->operation = OBJECT_LIST;
    TRY(ask_one(self, partition_of_scene(scene), message));
    struct message *answer = *message;
    if (answer->reply.fault.error == ERR_NOT_FOUND) {
        answer->reply.fault.error = OK;
        record_set_integer(&reply_envelope(answer)->base, ENVELOPE_TOTAL, 0);
    }
    return OK;
}

static bool
has_walked_enough(const struct message *message, uint64_t begin_ms)
{
    uint64_t most_ms = message->reply.count ? WALK_MS : EMPTY_WALK_MS;
    return clock_now_ms() - begin_ms > most_ms;
}

static fallible
ask_scenes(actor_client_t *self, struct message **message)
{
    struct scene_walk walk;
    struct message *question;
    uint64_t begin_ms = clock_now_ms();
    enum error error = OK;
    if (text_size((*message)->params->scene))
        return ask_in_scene(self, message);
    TRY(scene_walk_begin(&walk, *message));
    while (error == OK && !has_walked_enough(*message, begin_ms) &&
           (question = scene_walk_ask(&walk)) != NULL) {
        error = ask_kind(self, &question);
        if (error == OK)
            scene_walk_take(&walk, &question);
        message_destroy(&question);
    }
    scene_walk_end(&walk);
    scene_walk_finish(&walk);
    return error;
}

// --- what a scene consists of ---

static enum error
ask_part(void *context, struct message **question)
{
    return ask_kind(context, question);
}

fallible
actor_client_ask(actor_client_t *self, const struct asker *asker, struct message **message)
{
    uint16_t partition;
    TRY(sign(asker, *message));
    if (shown_reads_answer(self->shown, *message))
        return OK;
    switch (operation_rows[(*message)->operation].target) {
    case BY_SCENE:
        if (!message_partition(*message, &partition))
            return ask_each(self, *message);
        return ask_one(self, partition, message);
    case BY_OBJECT:
    case BY_PROPERTY:
        if (!message_partition(*message, &partition))
            return fail(ERR_NOT_FOUND, "", "there is no such object");
        return ask_one(self, partition, message);
    case ALL_SHARDS:
        return ask_all(self, *message);
    case ALL_LISTS:
        return ask_lists(self, *message);
    case ALL_KINDS:
        return ask_kinds(self, *message);
    case ALL_SCENES:
        return ask_scenes(self, message);
    case ALL_PARTS:
        return scene_layout_gather(*message, ask_part, self);
    case SINGLE:
        return ask_actor(self, actor_mailbox(operation_rows[(*message)->operation].actor), message);
    case DIRECT:
        break;
    }
    return fail(ERR_INTERNAL, "", "no client may ask for that");
}
