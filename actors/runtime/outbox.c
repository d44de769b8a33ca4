// outbox.c - the states of an entry (outbox.h):
//
//   staged --committed--> ready --sent--> asked --all answered--> ready --removal staged--> gone
//                        ^--- refused, or silent for too long ---'
#include "actors/runtime/outbox.h"

#include <stdio.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"

enum {
    RETRY_MS = 200,    // after the first refusal, or a commit that failed
    RETRY_DOUBLES = 4, // so often at most: up to 3.2 s
    ASKED_DOUBLES = 2, // while a request waits: up to 800 ms
    RESEND_MS = 5000,  // without an answer
    REMOVE_MS = 50,    // a commit for removals alone would make others wait
    READ_DEADLINE_MS = 600000,
};

struct outbox_entry {
    const frozen_t *record;      // one reference
    const struct effect *effect; // what it says
    uint16_t part;
    enum operation operation;
    uint64_t waited_for;         // one bit for each receiver that has not done it
    uint64_t due_ms;             // when to try again; 0 = it is in the list or being removed
    unsigned tries;              // how often it was sent since a receiver did it
    bool is_late;                // a receiver refused; logged once
    struct message *asker;       // owned, or NULL
    bool is_shared;              // the asker has waited for another one before
    bool is_ready;               // it is in the list
    struct outbox_entry *behind; // next in the list of those that are ready
};

void
outbox_init(struct outbox *self, actor_t *actor, struct staging *staging, unsigned shards)
{
    *self = (struct outbox){.actor = actor, .staging = staging, .shards = shards};
    self->ready_end = &self->ready;
}

static void
entry_destroy(struct outbox_entry *entry)
{
    record_unref(&entry->record);
    message_destroy(&entry->asker);
    free(entry);
}

void
outbox_finish(struct outbox *self)
{
    struct outbox_entry *entry;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;)
        entry_destroy(entry);
    table_finish(&self->entries);
    self->ready = NULL;
}

static bool
has_id(const void *entry, const void *id)
{
    return text_equal(((const struct outbox_entry *)entry)->effect->id, id);
}

static struct outbox_entry *
find(const struct outbox *self, const struct text *id)
{
    return id ? table_find(&self->entries, table_hash_text(id), has_id, id) : NULL;
}

static const struct effect *
effect_of(const struct record *record)
{
    return (const struct effect *)(const void *)record;
}

static const struct text *
id_of(const frozen_t *record)
{
    return effect_of(frozen_record(record))->id;
}

// --- staging ---

void
outbox_stage(struct outbox *self, struct message *message, uint16_t part, struct effect *effect)
{
    const frozen_t *frozen = record_freeze(&effect_schema, &effect->base);
    batch_put_record(self->staging->filling.batch, part, key_of_text(KEY_OUTBOX, effect->id),
                     frozen);
    staging_add(self->staging, &(struct change){.tag = KEY_OUTBOX, .part = part, .record = frozen});
    message->awaited = effect->id;
}

// May be called again before the list is gone through: who is asked now, for another's sake, may
// answer the question before.
static void
make_ready(struct outbox *self, struct outbox_entry *entry)
{
    entry->due_ms = 0;
    if (entry->is_ready)
        return;
    entry->is_ready = true;
    entry->behind = NULL;
    *self->ready_end = entry;
    self->ready_end = &entry->behind;
}

// A request waits for what may have been refused so often that it is asked for rarely.
static void
ask_now(struct outbox *self, struct outbox_entry *entry)
{
    if (!entry->due_ms || entry->tries <= ASKED_DOUBLES)
        return;
    entry->tries = 0;
    make_ready(self, entry);
}

// A request whose time is over is answered; its effect goes on.
static void
give_up_asker(struct outbox *self, struct outbox_entry *entry)
{
    uint64_t deadline_ms = entry->asker ? entry->asker->deadline_ms : 0;
    if (!deadline_ms || clock_left_ms(deadline_ms) > 0)
        return;
    struct message *asker = entry->asker;
    entry->asker = NULL;
    actor_answer_now(self->actor, &asker,
                     fail(ERR_UNAVAILABLE, "", "it is done, what depends on it follows"));
}

// A request that ends what never returns has several effects, and there may be those of earlier
// requests for the same: it waits for one of them after the other. False where all are done.
static bool
hold_for_another(struct outbox *self, struct outbox_entry *done)
{
    struct outbox_entry *entry, *next = NULL;
    if (!done->is_shared && effect_scale_of(done->operation) != FOR_EVER)
        return false;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;) {
        if (!entry->waited_for || !text_equal(entry->effect->key, done->effect->key))
            continue;
        give_up_asker(self, entry);
        ask_now(self, entry);
        if (!entry->asker)
            next = entry;
    }
    if (!next)
        return false;
    next->asker = done->asker;
    next->is_shared = true;
    done->asker = NULL;
    return true;
}

bool
outbox_hold(struct outbox *self, struct message *message)
{
    struct outbox_entry *entry = find(self, message->awaited);
    message->awaited = NULL;
    if (!entry || !entry->waited_for)
        return false;
    entry->asker = message;
    return true;
}

// --- the start ---

static bool
find_operation(const struct text *name, enum operation *ret_operation)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++)
        if (text_is(name, operation_rows[i].name)) {
            *ret_operation = (enum operation)i;
            return true;
        }
    return false;
}

static uint64_t
all_of(const struct outbox *self, enum operation operation)
{
    if (operation_rows[operation].actor != SCENE_ACTOR)
        return 1;
    return self->shards < 64 ? (UINT64_C(1) << self->shards) - 1 : UINT64_MAX;
}

// Enters a durable entry, which is sent at the end of the turn.
static void
enter(struct outbox *self, uint16_t part, const frozen_t *record)
{
    const struct effect *effect = effect_of(frozen_record(record));
    enum operation operation;
    if (!find_operation(effect->operation, &operation)) {
        log_error("effect_unknown", "actor=%s operation=%s", self->actor->name,
                  text_chars(effect->operation));
        return; // written by another version of the server, which may read it again
    }
    struct outbox_entry *entry = memory_take_zeroed(sizeof *entry);
    entry->record = record_ref(record);
    entry->effect = effect;
    entry->part = part;
    entry->operation = operation;
    entry->waited_for = all_of(self, operation);
    table_add(&self->entries, table_hash_text(effect->id), entry);
    make_ready(self, entry);
}

// What a scan fills.
struct reading {
    struct outbox *outbox;
    uint16_t part;
    bool is_damaged;
};

fallible
outbox_enter(struct outbox *self, uint16_t part, struct bytes value)
{
    const frozen_t *frozen;
    if (record_frozen_from_stored(&effect_schema, value.data, value.size, &frozen) != OK)
        return fail(ERR_INTERNAL, "", "the outbox of actor %s is damaged; restore a backup",
                    self->actor->name);
    enter(self, part, frozen);
    self->retry_ms = clock_now_ms(); // the first turn is now, not at the first message
    record_unref(&frozen);
    return OK;
}

static bool
read_entry(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct reading *self = context;
    (void)key;
    (void)version;
    self->is_damaged = outbox_enter(self->outbox, self->part, value) != OK;
    return !self->is_damaged;
}

fallible
outbox_read(struct outbox *self, store_t *store, uint16_t part)
{
    struct reading reading = {.outbox = self, .part = part};
    struct key low = key_of_tag(KEY_OUTBOX), high = key_after(&low);
    enum store_result result =
        store_scan(store, self->staging->family, part, key_bytes(&low), key_bytes(&high), false, 0,
                   clock_deadline_ms(READ_DEADLINE_MS), read_entry, &reading);
    if (result == STORE_BAD || reading.is_damaged)
        return fail(ERR_INTERNAL, "", "the outbox of actor %s is damaged; restore a backup",
                    self->actor->name);
    if (result != STORE_OK)
        return fail(store_error(result), "", "the outbox of actor %s cannot be read",
                    self->actor->name);
    return OK;
}

// --- commits ---

void
outbox_committed(struct outbox *self, const struct change *change)
{
    if (change->record) {
        enter(self, change->part, change->record);
        return;
    }
    struct outbox_entry *entry = find(self, id_of(change->before));
    table_remove(&self->entries, table_hash_text(entry->effect->id), entry);
    entry_destroy(entry);
}

static void
try_again(struct outbox *self, struct outbox_entry *entry, uint64_t after_ms)
{
    entry->due_ms = clock_deadline_ms(after_ms);
    if (!self->retry_ms)
        self->retry_ms = clock_deadline_ms(RETRY_MS);
}

// What was refused may be refused for ever, as where a block is damaged: the time until it is asked
// for again doubles. It depends on how often it was sent, since several receivers may refuse it.
static void
refused(struct outbox *self, struct outbox_entry *entry)
{
    unsigned doubles = entry->tries > 0 ? entry->tries - 1 : 0;
    unsigned most = entry->asker ? ASKED_DOUBLES : RETRY_DOUBLES;
    try_again(self, entry, (uint64_t)RETRY_MS << (doubles < most ? doubles : most));
}

void
outbox_dropped(struct outbox *self, const struct change *change)
{
    struct outbox_entry *entry = change->before ? find(self, id_of(change->before)) : NULL;
    if (entry)
        try_again(self, entry, RETRY_MS);
}

// --- sending and removing ---

static enum error
send_to(struct outbox *self, const struct outbox_entry *entry, unsigned place)
{
    char name[MAILBOX_NAME_SIZE];
    enum actor_kind kind = operation_rows[entry->operation].actor;
    if (kind == SCENE_ACTOR)
        mailbox_shard_name(place, name);
    else
        snprintf(name, sizeof name, "%s", actor_mailbox(kind));
    struct message *message = message_create(entry->operation);
    message->id = place + 1;
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] =
        record_copy(&message->arena, &effect_schema, &entry->effect->base);
    enum error error = mailbox_send(self->actor->mailbox, name, &message);
    message_destroy(&message);
    return error;
}

static void
send_entry(struct outbox *self, struct outbox_entry *entry)
{
    bool is_sent = true;
    for (unsigned place = 0; place < 64; place++)
        if (entry->waited_for & UINT64_C(1) << place)
            is_sent = send_to(self, entry, place) == OK && is_sent;
    entry->tries += is_sent;
    try_again(self, entry, is_sent ? RESEND_MS : RETRY_MS);
}

static void
stage_removal(struct outbox *self, const struct outbox_entry *entry)
{
    batch_delete(self->staging->filling.batch, entry->part,
                 key_of_text(KEY_OUTBOX, entry->effect->id));
    staging_add(self->staging, &(struct change){.tag = KEY_OUTBOX,
                                                .part = entry->part,
                                                .before = record_ref(entry->record)});
}

static void
look_again(struct outbox *self)
{
    struct outbox_entry *entry;
    bool is_under_way = false;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;) {
        give_up_asker(self, entry);
        if (entry->due_ms && clock_left_ms(entry->due_ms) == 0)
            make_ready(self, entry);
        is_under_way = is_under_way || entry->due_ms;
    }
    self->retry_ms = is_under_way ? clock_deadline_ms(RETRY_MS) : 0;
}

static bool
is_due(uint64_t deadline_ms)
{
    return deadline_ms && clock_left_ms(deadline_ms) == 0;
}

// The next write removes done entries too. So no later write is durable while the effect may still
// happen again.
static void
remove_entry(struct outbox *self, struct outbox_entry *entry, uint64_t remove_ms)
{
    bool is_wanted = self->staging->filling.batch->count > 0 || is_due(remove_ms);
    if (is_wanted && staging_has_room(self->staging, room_for_removals(1))) {
        stage_removal(self, entry);
        return;
    }
    make_ready(self, entry);
    self->remove_ms = remove_ms && !is_due(remove_ms) ? remove_ms : clock_deadline_ms(REMOVE_MS);
}

void
outbox_turn(struct outbox *self)
{
    uint64_t remove_ms = self->remove_ms;
    if (is_due(self->retry_ms))
        look_again(self);
    self->remove_ms = 0;
    struct outbox_entry *entry = self->ready;
    self->ready = NULL;
    self->ready_end = &self->ready;
    for (struct outbox_entry *behind; entry; entry = behind) {
        behind = entry->behind;
        entry->is_ready = false;
        if (entry->waited_for)
            send_entry(self, entry);
        else
            remove_entry(self, entry, remove_ms);
    }
}

uint64_t
outbox_deadline_ms(const struct outbox *self)
{
    bool is_removal_first =
        self->remove_ms && (!self->retry_ms || self->remove_ms < self->retry_ms);
    return is_removal_first ? self->remove_ms : self->retry_ms;
}

enum error
outbox_acknowledged(struct outbox *self, struct message *message)
{
    struct outbox_entry *entry = find(self, effect_of(message->records->items[0])->id);
    bool is_done = message->reply.fault.error == OK;
    uint64_t place = message->id - 1;
    if (entry && entry->waited_for && !is_done) {
        if (!entry->is_late)
            log_warning("effect_delayed", "actor=%s operation=%s reason=\"%s\"", self->actor->name,
                        text_chars(entry->effect->operation), message->reply.fault.detail);
        entry->is_late = true;
        refused(self, entry);
    }
    message_destroy(&message);
    if (!entry || !entry->waited_for || !is_done)
        return PARKED;
    entry->waited_for &= ~(UINT64_C(1) << place);
    entry->tries = 0;
    if (entry->waited_for)
        return PARKED;
    if (self->done)
        self->done(self, entry->part, entry->effect);
    if (entry->asker && !hold_for_another(self, entry))
        actor_answer_now(self->actor, &entry->asker, OK);
    make_ready(self, entry);
    return PARKED;
}

bool
outbox_has_scene(const struct outbox *self, int64_t scene_id)
{
    const struct outbox_entry *entry;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;)
        if (entry->waited_for && entry->effect->scene_id == scene_id)
            return true;
    return false;
}
