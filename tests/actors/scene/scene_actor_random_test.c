// scene_actor_random_test.c - random requests in bursts, some of their commits failing, memory
// short: what a listener makes of the events is what readers get, and what is there after a
// restart; what a write was answered with is what it is behind the event that the answer names;
// what was refused left no trace.
#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/record_set.h"
#include "proto/base/owned.h"
#include "tests/support/samples.h"
#include "tests/support/scene_service.h"

enum { SCENES = 4, BURSTS = 50, BURST = 30, OBJECTS = 4000 };

static const char *const scene_keys[SCENES] = {"hall", "yard", "attic", "cellar"};
static const char *const devices[] = {"phone", "tablet"};

// One request that was sent and not answered yet.
struct sent {
    uint64_t id;
    enum operation operation;
};

// What a write was answered with, and behind which event of its scene.
struct claim {
    const frozen_t *record;
    uint64_t seq;
};

// What the test knows beside the service.
struct event_history {
    struct service *service;
    struct random random;
    struct object_key keys[OBJECTS]; // of every object ever created
    size_t key_count;
    size_t created, deleted; // objects, by requests that were answered with OK
    struct sent sent[BURST];
    size_t sent_count;
    struct claim claims[BURSTS * BURST];
    size_t claim_count, proven;
};

// ---------------------------------------------------------------- sending

static const char *
any_scene(struct event_history *self)
{
    return scene_keys[random_below(&self->random, SCENES)];
}

static const char *
any_object(struct event_history *self)
{
    return self->keys[random_below(&self->random, self->key_count)].chars;
}

static void
send(struct event_history *self, const struct wish *wish)
{
    self->sent[self->sent_count++] =
        (struct sent){service_send(self->service, wish), wish->operation};
}

static void
send_about_scene(struct event_history *self)
{
    const char *scene = any_scene(self);
    char record[128];
    switch (random_below(&self->random, 12)) {
    case 0:
        send(self, &(struct wish){.operation = SCENE_DELETE, .scene = scene});
        break;
    case 1:
    case 2:
        snprintf(record, sizeof record, "{'name':'%u'}", (unsigned)self->random.state);
        send(self,
             &(struct wish){.operation = random_below(&self->random, 2) ? SCENE_PUT : SCENE_UPDATE,
                            .scene = scene,
                            .records = record});
        break;
    case 3:
        snprintf(record, sizeof record, "{'devices':[{'key':'%s'}]}",
                 devices[random_below(&self->random, 2)]);
        send(self,
             &(struct wish){.operation = random_below(&self->random, 2) ? REGISTER : DEREGISTER,
                            .scene = scene,
                            .records = record});
        break;
    case 4:
        send(self, &(struct wish){.operation = OBJECT_QUERY, .scene = scene});
        break;
    default:
        send(self, &(struct wish){.operation = OBJECT_CREATE,
                                  .scene = scene,
                                  .records = "[{'name':'a','owner':'phone'},{'name':'b'},{}]"});
    }
}

static void
send_about_object(struct event_history *self)
{
    static const enum operation operations[] = {
        OBJECT_UPDATE, OBJECT_UPDATE, OBJECT_UPDATE, DATAGRAMS,     DATAGRAMS,        DATAGRAMS,
        OBJECT_LOCK,   OBJECT_UNLOCK, OBJECT_GET,    OBJECT_DELETE, OBJECT_DROP_ASSET};
    const char *key = any_object(self);
    enum operation operation =
        operations[random_below(&self->random, sizeof operations / sizeof operations[0])];
    char record[128];
    snprintf(record, sizeof record, "{'key':'%s','frame':%u,'type':'%u'}", key,
             (unsigned)random_below(&self->random, 1000),
             (unsigned)random_below(&self->random, 1000));
    if (operation == OBJECT_UPDATE && random_below(&self->random, 4) == 0)
        snprintf(record, sizeof record, "[]"); // which changes nothing
    send(self,
         &(struct wish){.operation = operation,
                        .object = operation == DATAGRAMS ? NULL : key,
                        .device = devices[random_below(&self->random, 2)],
                        .records =
                            operation == OBJECT_UPDATE || operation == DATAGRAMS ? record : NULL});
}

// ---------------------------------------------------------------- hearing

static void
keep_claim(struct event_history *self, struct message *answer)
{
    const struct envelope *envelope = reply_envelope(answer);
    cr_assert(record_has(&envelope->base, ENVELOPE_SEQ));
    self->claims[self->claim_count++] =
        (struct claim){record_ref(reply_frozen(&answer->reply, 0)), (uint64_t)envelope->seq};
}

static void
hear_answer(struct event_history *self, const struct sent *sent)
{
    owned(message_destroy) struct message *answer = service_answer(self->service, sent->id);
    enum error error = answer->reply.fault.error;
    cr_assert(error == OK || error == ERR_NOT_FOUND || error == ERR_LOCKED ||
                  error == ERR_UNAVAILABLE || error == ERR_CONFLICT,
              "%s: %s", operation_rows[sent->operation].name, answer->reply.fault.detail);
    if (error != OK)
        return;
    self->deleted += sent->operation == OBJECT_DELETE;
    if (sent->operation == OBJECT_CREATE || sent->operation == OBJECT_UPDATE)
        keep_claim(self, answer);
    if (sent->operation != OBJECT_CREATE)
        return;
    cr_assert_eq(answer->reply.count, 3);
    for (uint32_t i = 0; i < answer->reply.count && self->key_count < OBJECTS; i++)
        snprintf(self->keys[self->key_count++].chars, sizeof self->keys[0].chars, "%s",
                 text_chars(reply_object(answer, i)->key));
    self->created += answer->reply.count;
}

static void
burst(struct event_history *self)
{
    static const char *const plans[] = {"", "unavailable=2", "latency=1,conflict=3",
                                        "read-latency=1", "latency=2,read-latency=1,unknown=2"};
    service_set_faults(self->service, plans[random_below(&self->random, 5)]);
    size_t count = 1 + random_below(&self->random, BURST);
    self->sent_count = 0;
    while (self->sent_count < count)
        if (self->key_count == 0 || random_below(&self->random, 3) == 0)
            send_about_scene(self);
        else
            send_about_object(self);
    for (size_t i = 0; i < self->sent_count; i++)
        hear_answer(self, &self->sent[i]);
}

// ---------------------------------------------------------------- listening

// What somebody knows of one scene who hears its events and nothing else.
struct listener {
    uint64_t scene_id; // 0: there is no scene
    uint64_t seq;
    struct record_set objects;
};

static void
hear_event(struct listener *self, const struct event *event)
{
    if (event->msg_type == EVENT_SCENE_CREATED) {
        cr_assert_eq(self->scene_id, 0);
        cr_assert_gt(event->seq, self->seq);
        self->scene_id = event->scene_id;
    } else {
        cr_assert_eq(event->scene_id, self->scene_id);
        cr_assert_eq(event->seq, self->seq + 1, "no gap, no double, no disorder");
    }
    self->seq = event->seq;
    switch (event->msg_type) {
    case EVENT_OBJECT_CREATED:
        cr_assert_null(record_set_find(&self->objects, frozen_key(event->record)));
        record_set_put(&self->objects, event->record);
        break;
    case EVENT_OBJECT_UPDATED:
    case EVENT_LOCK_GRANTED:
    case EVENT_LOCK_RELEASED:
        cr_assert_not_null(record_set_find(&self->objects, frozen_key(event->record)));
        record_set_put(&self->objects, event->record);
        break;
    case EVENT_OBJECT_DELETED:
        record_set_remove(&self->objects, frozen_key(event->record));
        break;
    case EVENT_SCENE_DELETED:
        record_set_finish(&self->objects);
        self->scene_id = 0;
        break;
    default:
        break;
    }
}

// What was said of the scene as it is behind this event.
static void
check_claims(struct event_history *self, const char *scene, const struct listener *listener)
{
    for (size_t i = 0; i < self->claim_count; i++) {
        const struct claim *claim = &self->claims[i];
        const struct record *record = frozen_record(claim->record);
        if (claim->seq != listener->seq ||
            !text_is(((const struct object *)(const void *)record)->scene, scene))
            continue;
        const frozen_t *known = record_set_find(&listener->objects, frozen_key(claim->record));
        cr_assert(known && record_equal(record, frozen_record(known)), "%s of %s at %llu",
                  text_chars(frozen_key(claim->record)), scene, (unsigned long long)claim->seq);
        self->proven++;
    }
}

static void
check_reader(struct service *service, const char *scene, struct listener *listener)
{
    size_t count;
    const frozen_t *const *objects = record_set_items(&listener->objects, &count);
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_QUERY, .scene = scene);
    cr_assert_eq(answer->reply.fault.error, listener->scene_id ? OK : ERR_NOT_FOUND);
    cr_assert_eq(answer->reply.count, count, "%s: %u objects, heard of %zu", scene,
                 answer->reply.count, count);
    for (size_t i = 0; i < count; i++)
        cr_assert(
            record_equal(reply_record(&answer->reply, (uint32_t)i), frozen_record(objects[i])),
            "%s of %s", text_chars(frozen_key(objects[i])), scene);
}

static void
listen(struct event_history *self, struct listener *listeners, size_t *ret_created,
       size_t *ret_deleted)
{
    struct service *service = self->service;
    *ret_created = *ret_deleted = 0;
    for (size_t i = 0; i < SCENES; i++) {
        service_await_turn_end(service, scene_keys[i]); // all that came before was heard
        size_t count = service_count_events(service, scene_keys[i]);
        for (size_t place = 0; place < count; place++) {
            const struct event *event = service_event(service, scene_keys[i], place);
            hear_event(&listeners[i], event);
            check_claims(self, scene_keys[i], &listeners[i]);
            *ret_created += event->msg_type == EVENT_OBJECT_CREATED;
            *ret_deleted += event->msg_type == EVENT_OBJECT_DELETED;
        }
    }
}

static void
check_history(struct service *service, uint64_t seed, size_t memory)
{
    static struct event_history history;
    struct listener listeners[SCENES] = {0};
    size_t created, deleted;
    service->settings.memory = memory;
    service_restart(service);
    history = (struct event_history){.service = service, .random = {seed}};
    for (int i = 0; i < BURSTS; i++)
        burst(&history);
    service_set_faults(service, "");
    listen(&history, listeners, &created, &deleted);
    cr_assert_gt(history.created, 50);
    cr_assert_eq(created, history.created, "what was not answered with OK was not created");
    cr_assert_eq(deleted, history.deleted);
    cr_assert_gt(history.claim_count, 100);
    cr_assert_eq(history.proven, history.claim_count);
    for (size_t i = 0; i < history.claim_count; i++)
        record_unref(&history.claims[i].record);
    for (size_t i = 0; i < SCENES; i++)
        check_reader(service, scene_keys[i], &listeners[i]);
    service_restart(service);
    for (size_t i = 0; i < SCENES; i++) {
        check_reader(service, scene_keys[i], &listeners[i]);
        record_set_finish(&listeners[i].objects);
    }
}

SHARDED_TEST(scene_actor_random, listeners_readers_and_the_disk_agree)
{
    check_history(service, 1, 1 << 30);
}

SHARDED_TEST(scene_actor_random, they_agree_where_memory_is_short)
{
    check_history(service, 2, 4000);
}

SHARDED_TEST(scene_actor_random, they_agree_where_nothing_stays_in_memory)
{
    check_history(service, 3, 1);
}
