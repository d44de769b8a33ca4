// repeats.c - what becomes of requests with an Idempotency-Key (repeats.h).
#include "actors/runtime/repeats.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/kept_answers.h"
#include "actors/runtime/recall.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"

enum {
    SLICE = 64, // answers that leave, or are removed, in one turn
    READ_DEADLINE_MS = 600000,
    RECALLS_AT_MOST = 1000, // far fewer than a mailbox takes: commits must fit in beside them
};

// What a message carries from admit to settle; in its arena.
struct repeat {
    struct repeat_id id;
    char payer[PAYER_SIZE];
    unsigned char seed[KEY_SEED_SIZE];
};

static struct repeats *
repeats_of(const actor_t *actor)
{
    return (struct repeats *)(void *)actor->admission;
}

// --- requests that run ---

static bool
has_id(const void *repeat, const void *id)
{
    return repeat_id_equal(&((const struct repeat *)repeat)->id, id);
}

static struct repeat *
find_running(const struct repeats *self, const struct repeat_id *id)
{
    return table_find(&self->running, repeat_id_hash(id), has_id, id);
}

static void
run_first(struct message *message)
{
    randombytes_buf(message->repeat->seed, sizeof message->repeat->seed);
    message->seed = message->repeat->seed;
}

static enum error
recall(struct repeats *self, struct message *message)
{
    struct repeat_id id = message->repeat->id;
    if (self->recalls == RECALLS_AT_MOST)
        return fail(ERR_UNAVAILABLE, "", "too many requests are repeated");
    struct message *question = message_create(RECALL);
    const struct text *text = repeat_id_text(&question->arena, &id);
    question->id = 1; // it is answered; what waits for the answer is its parcel
    question->parcel =
        &recall_create(self->staging->family, id.part, key_of_text(KEY_ANSWER, text), &message)
             ->base;
    enum error error = mailbox_send(self->actor->mailbox, self->committer, &question);
    assert(error == OK); // so few always fit
    (void)error;
    self->recalls++;
    return PARKED;
}

static struct repeat *
repeat_new(struct message *message, enum operation operation, const struct text *key)
{
    struct repeat *repeat = arena_alloc(&message->arena, sizeof *repeat);
    *repeat = (struct repeat){.id.part = 0};
    payer_of(&message->caller, repeat->payer);
    repeat->id = repeat_id_of(message, repeat->payer, operation, key);
    return repeat;
}

static void
begin(struct repeats *self, struct message *message, struct repeat *repeat)
{
    table_add(&self->running, repeat_id_hash(&repeat->id), repeat);
    message->repeat = repeat;
}

static enum error
admit(actor_t *actor, struct message *message)
{
    struct repeats *self = repeats_of(actor);
    struct repeat *repeat = repeat_new(message, message->operation, message->params->repeat_key);
    if (find_running(self, &repeat->id))
        return fail(ERR_CONFLICT, "", "the first request with this Idempotency-Key still runs");
    begin(self, message, repeat);
    if (repeat_index_has(&self->index, &repeat->id, clock_calendar_us())) {
        repeat_index_rely(&self->index, &repeat->id);
        return recall(self, message);
    }
    run_first(message);
    return OK;
}

static void
settle(actor_t *actor, struct message *message)
{
    struct repeat *repeat = message->repeat;
    message->repeat = NULL;
    table_remove(&repeats_of(actor)->running, repeat_id_hash(&repeat->id), repeat);
}

// --- the first answer, again ---

static fallible
take_seed(struct message *message, const struct text *seed)
{
    if (text_size(seed) != KEY_SEED_SIZE)
        return fail(ERR_INTERNAL, "", "the answer that was kept is damaged");
    memcpy(message->repeat->seed, text_bytes(seed), KEY_SEED_SIZE);
    message->seed = message->repeat->seed;
    return OK;
}

// Takes up what is kept. `ret_goes_on`: the request has more to do.
static fallible
take_up(actor_t *actor, struct message *message, const struct kept_answer *kept, bool *ret_goes_on)
{
    const struct actor_operation *row = actor_operation_of(actor, message);
    if (!text_equal(kept->print, message->params->repeat_print))
        return fail(ERR_INVALID, "", "this Idempotency-Key came with another request before");
    if (row->remake) {
        TRY(take_seed(message, kept->seed));
        message->scene_id = (uint64_t)kept->scene_id;
        TRY(row->remake(actor, message, (uint32_t)kept->progress));
        *ret_goes_on = row->goes_on && row->goes_on(message);
    } else {
        TRY(kept_answer_to_reply(kept, message));
    }
    message->reply.is_replayed = !*ret_goes_on;
    return OK;
}

static fallible
take_recalled(actor_t *actor, struct message *message, const struct recall *recall,
              bool *ret_goes_on)
{
    struct record *kept;
    if (recall->result == STORE_ABSENT) { // it was the oldest meanwhile
        run_first(message);
        *ret_goes_on = true;
        return OK;
    }
    if (recall->result != STORE_OK)
        return fail(store_error(recall->result), "", "the first answer cannot be read");
    if (record_from_stored(&message->arena, &kept_answer_schema, recall->value, recall->size,
                           &kept) != OK)
        return fail(ERR_INTERNAL, "", "the answer that was kept is damaged");
    return take_up(actor, message, kept_answer_of(kept), ret_goes_on);
}

enum error
repeats_recalled(actor_t *actor, struct message *message)
{
    struct recall *recall = recall_of(message);
    struct message *asker = recall->asker;
    bool goes_on = false;
    recall->asker = NULL;
    repeats_of(actor)->recalls--;
    enum error error = take_recalled(actor, asker, recall, &goes_on);
    message_destroy(&message);
    if (error == OK && goes_on)
        actor_dispatch(actor, asker);
    else
        actor_answer_now(actor, &asker, error);
    return PARKED;
}

// --- what is kept ---

// The value under KEY_REPEAT: when it was kept, and who pays.
static struct key
index_value(uint64_t time_us, const char *payer)
{
    struct key value = {.size = sizeof time_us + strlen(payer)};
    key_put_u64(value.data, time_us);
    memcpy(value.data + sizeof time_us, payer, strlen(payer));
    return value;
}

void
repeats_keep(struct repeats *self, struct message *message)
{
    const struct repeat *repeat = message->repeat;
    if (!repeat)
        return;
    staging_has_room(self->staging,
                     repeats_room(message)); // where the request itself writes nothing
    struct batch *batch = self->staging->filling.batch;
    const struct text *id = repeat_id_text(&message->arena, &repeat->id);
    bool is_remade = actor_operation_of(self->actor, message)->remake != NULL;
    const frozen_t *kept =
        record_freeze(&kept_answer_schema, kept_answer_from_reply(message, id, is_remade));
    batch_put_record(batch, repeat->id.part, key_of_text(KEY_ANSWER, id), kept);
    batch_put_value(batch, repeat->id.part, key_of_text(KEY_REPEAT, id),
                    index_value(clock_calendar_us(), repeat->payer));
    staging_add(self->staging,
                &(struct change){.tag = KEY_ANSWER, .part = repeat->id.part, .record = kept});
}

void
repeats_committed(struct repeats *self, const struct change *change)
{
    struct repeat_id id;
    if (!change->record || !repeat_id_from_text(frozen_key(change->record), change->part, &id))
        return;
    const struct repeat *repeat = find_running(self, &id); // it is answered after this
    if (repeat)
        repeat_index_add(&self->index, &id, repeat->payer, clock_calendar_us());
}

void
repeats_dropped(struct repeats *self, const struct change *change)
{
    struct repeat_id id;
    if (change->before && repeat_id_from_text(frozen_key(change->before), change->part, &id))
        repeat_index_put_left(&self->index, &id);
}

// --- the claim of a request that goes to several scenes ---

enum error
repeats_claim_remade(actor_t *actor, struct message *message, uint32_t count)
{
    (void)actor;
    message->progress = count;
    return OK;
}

fallible
repeats_end_claim(struct repeats *self, struct message *message)
{
    const struct params *params = message->params;
    if (message->repeat)
        return OK; // it waited for room
    begin(self, message, repeat_new(message, REPEAT_CLAIM, params->scene));
    message->progress = 1;
    return take_seed(message, params->repeat_seed);
}

enum error
repeats_release(actor_t *actor, struct message *message)
{
    struct repeats *self = repeats_of(actor);
    const struct repeat *claim = repeat_new(message, REPEAT_CLAIM, message->params->scene);
    if (!find_running(self, &claim->id))
        repeat_index_drop(&self->index, &claim->id);
    return OK;
}

// --- what is removed ---

static void
stage_removal(struct repeats *self, const struct repeat_id *id)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *record = record_new(&arena, &kept_answer_schema);
    const struct text *text = repeat_id_text(&arena, id);
    struct batch *batch = self->staging->filling.batch;
    record_set_text(record, KEPT_ANSWER_ID, text);
    batch_delete(batch, id->part, key_of_text(KEY_ANSWER, text));
    batch_delete(batch, id->part, key_of_text(KEY_REPEAT, text));
    staging_add(self->staging,
                &(struct change){.tag = KEY_ANSWER,
                                 .part = id->part,
                                 .before = record_freeze(&kept_answer_schema, record)});
}

// Stages the removal of what has left the index, at most `most` of it; false: there is no room.
// What was removed from the index may have been kept anew, or be about to be: then its records are
// not touched.
static bool
remove_left(struct repeats *self, size_t most, uint64_t now_us)
{
    enum { REMOVAL_OPERATIONS = 2 };
    struct repeat_id id;
    for (; most > 0 && self->index.left > 0; most--) {
        if (!staging_has_room(self->staging, room_for_removals(REMOVAL_OPERATIONS)))
            return false;
        repeat_index_take_left(&self->index, &id);
        if (find_running(self, &id))
            repeat_index_put_left(&self->index, &id);
        else if (!repeat_index_has(&self->index, &id, now_us))
            stage_removal(self, &id);
    }
    return true;
}

static bool
has_running_of(const struct repeats *self, const struct text *user)
{
    const struct repeat *repeat;
    size_t cursor = 0;
    while ((repeat = table_next(&self->running, &cursor)) != NULL)
        if (text_is(user, repeat->payer))
            return true;
    return false;
}

fallible
repeats_erase(struct repeats *self, struct message *message, const struct text *user, bool *found)
{
    if (has_running_of(self, user))
        return actor_pause(self->actor, message); // it keeps its answer, or is refused soon
    while (repeat_index_drop_of(&self->index, text_chars(user))) {
        *found = true;
        if (actor_must_pause(self->actor))
            return actor_pause(self->actor, message);
    }
    // Those of others that are to be removed go with them, those that run stay.
    for (size_t left = self->index.left; left > 0; left--) {
        if (!remove_left(self, 1, clock_calendar_us())) {
            staging_wait(self->staging, &message);
            return PARKED;
        }
        if (left % SLICE == 0 && actor_must_pause(self->actor))
            return actor_pause(self->actor, message);
    }
    return OK;
}

void
repeats_turn(struct repeats *self)
{
    uint64_t now_us = clock_calendar_us();
    repeat_index_expire(&self->index, now_us, SLICE);
    if (self->index.left == 0 ||
        (self->index.left < SLICE && self->staging->filling.batch->count == 0))
        return; // a commit for them alone would make others wait
    remove_left(self, SLICE, now_us);
}

// --- start and end ---

// What is kept, as it was read.
struct repeat_found {
    struct repeat_id id;
    uint64_t time_us;
    char payer[PAYER_SIZE];
};

// What a scan fills.
struct reading {
    struct repeats *repeats;
    uint16_t part;
};

void
repeats_enter(struct repeats *self, uint16_t part, struct bytes key, struct bytes value)
{
    struct repeat_found found = {.time_us = 0};
    owned(arena_finish) struct arena arena = {0};
    size_t payer_size = value.size - sizeof found.time_us;
    if (value.size < sizeof found.time_us || payer_size >= sizeof found.payer ||
        !repeat_id_from_text(key_text(&arena, key), part, &found.id))
        return; // of another version of the server
    found.time_us = key_get_u64(value.data);
    memcpy(found.payer, (const char *)value.data + sizeof found.time_us, payer_size);
    if (self->found_count == self->found_capacity) {
        self->found_capacity = self->found_capacity ? self->found_capacity * 2 : 64;
        self->found = memory_resize(self->found, self->found_capacity * sizeof *self->found);
    }
    self->found[self->found_count++] = found;
}

static bool
read_one(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    const struct reading *reading = context;
    (void)version;
    repeats_enter(reading->repeats, reading->part, key, value);
    return true;
}

// What is damaged is forgotten: a request that comes again then runs again, which is better than a
// server that does not start.
fallible
repeats_read(struct repeats *self, store_t *store, uint16_t part)
{
    struct reading reading = {.repeats = self, .part = part};
    struct key low = key_of_tag(KEY_REPEAT), high = key_after(&low);
    enum store_result result =
        store_scan(store, self->staging->family, part, key_bytes(&low), key_bytes(&high), false, 0,
                   clock_deadline_ms(READ_DEADLINE_MS), read_one, &reading);
    if (result == STORE_OK)
        return OK;
    if (result != STORE_BAD)
        return fail(store_error(result), "", "the kept answers of %s cannot be read",
                    self->actor->name);
    log_warning("kept_answers_lost", "actor=%s partition=%u", self->actor->name, part);
    return OK;
}

static int
compare_times(const void *a, const void *b)
{
    const struct repeat_found *x = a, *y = b;
    return (x->time_us > y->time_us) - (x->time_us < y->time_us);
}

void
repeats_begin(struct repeats *self)
{
    if (self->found_count)
        qsort(self->found, self->found_count, sizeof self->found[0], compare_times);
    for (size_t i = 0; i < self->found_count; i++)
        repeat_index_add(&self->index, &self->found[i].id, self->found[i].payer,
                         self->found[i].time_us);
    free(self->found);
    self->found = NULL;
    self->found_count = self->found_capacity = 0;
}

void
repeats_init(struct repeats *self, actor_t *actor, struct staging *staging, const char *committer,
             const struct request_settings *settings)
{
    *self = (struct repeats){
        .base = {.admit = admit, .settle = settle},
        .actor = actor,
        .staging = staging,
        .committer = committer,
        .index = {.lifetime_us = settings->lifetime_s * 1000000,
                  .book = settings->book,
                  .most = LIMIT_KEPT_ANSWERS},
    };
    actor->admission = &self->base;
}

void
repeats_finish(struct repeats *self)
{
    repeat_index_finish(&self->index);
    table_finish(&self->running);
    free(self->found);
}
