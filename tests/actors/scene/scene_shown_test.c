// scene_shown_test.c - what a scene actor publishes, read by other threads while it works.
#include "actors/scene/scene_shown.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/owned.h"
#include "tests/support/scene_service.h"

enum {
    OBJECTS = 200, // of one commit
    COMMITS = 60,
    READERS = 2,
    MEMORY = 8 << 20,
};

static shown_t *shown;
static struct object_key keys[OBJECTS];

// A service with one scene actor, which publishes.
static struct service *
begin(void)
{
    struct service *service = service_begin(1);
    shown = service->settings.shown = shown_create(MEMORY);
    service_restart(service);
    return service;
}

static void
end(void)
{
    service_end();
    shown_destroy(&shown);
}

static void
create_all(struct service *service)
{
    for (unsigned i = 0; i < OBJECTS; i++)
        keys[i] = service_create_object(service, "hall", "{'frame':0}");
}

// Somebody asks for it: it is shown from then on.
static void
ask(struct service *service, unsigned number)
{
    cr_assert_eq(OK, DO(service, OBJECT_GET, .object = keys[number].chars));
}

// The frame that is shown of an object; -1 = none.
static int64_t
frame_of(unsigned number)
{
    struct shown_reading reading;
    struct message *message = message_create(OBJECT_GET);
    bool is_shown = shown_read(shown, message, &object_schema,
                               text_from(&message->arena, keys[number].chars), &reading);
    message_destroy(&message);
    if (!is_shown)
        return -1;
    int64_t frame =
        ((const struct object *)(const void *)frozen_record(reading.record))->rare->frame;
    record_unref(&reading.record);
    return frame;
}

// Sets the frame of all objects in one commit.
static void
set_all(struct service *service, int frame)
{
    owned(buffer_finish) struct buffer body = {0};
    for (unsigned i = 0; i < OBJECTS; i++)
        buffer_put_format(&body, "%s{'key':'%s','frame':%d}", i ? "," : "{'update':[",
                          keys[i].chars, frame);
    buffer_put(&body, "]}", 3);
    cr_assert_eq(OK, DO(service, SCENE_BULK, .scene = "hall", .records = body.data));
}

Test(scene_shown, what_is_acknowledged_is_shown_and_what_nobody_asked_for_is_not, .fini = end)
{
    struct service *service = begin();
    create_all(service);
    cr_expect_eq(-1, frame_of(0));
    ask(service, 0);
    cr_expect_eq(0, frame_of(0));
    set_all(service, 7);
    cr_expect_eq(7, frame_of(0));
    cr_expect_eq(-1, frame_of(1));
    cr_assert_eq(OK, DO(service, OBJECT_DELETE, .object = keys[0].chars));
    cr_expect_eq(-1, frame_of(0));
}

static _Atomic bool is_over;
static _Atomic unsigned halves, pairs;

// Reads the object that a commit changes first, then the one that it changes last.
static void *
read_pairs(void *nothing)
{
    while (!atomic_load(&is_over)) {
        int64_t first = frame_of(0), last = frame_of(OBJECTS - 1);
        if (first < 0 || last < 0)
            continue;
        atomic_fetch_add(&pairs, 1);
        if (last < first)
            atomic_fetch_add(&halves, 1);
    }
    return nothing;
}

Test(scene_shown, nobody_sees_half_of_a_commit, .fini = end)
{
    pthread_t readers[READERS];
    struct service *service = begin();
    create_all(service);
    for (unsigned i = 0; i < OBJECTS; i++)
        ask(service, i);
    for (unsigned i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_pairs, NULL);
    for (int frame = 1; frame <= COMMITS; frame++)
        set_all(service, frame);
    atomic_store(&is_over, true);
    for (unsigned i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    cr_expect_eq(0, atomic_load(&halves));
    cr_expect_gt(atomic_load(&pairs), 0);
    cr_expect_eq(COMMITS, frame_of(0));
}

Test(scene_shown, scene_that_is_deleted_takes_along_what_is_in_it, .fini = end)
{
    struct service *service = begin();
    create_all(service);
    ask(service, 0);
    cr_assert_eq(OK, DO(service, SCENE_DELETE, .scene = "hall"));
    cr_expect_eq(-1, frame_of(0));
    service_barrier(service);
    cr_expect_lt(shown_bytes(shown), 1000, "what was shown has not left");
}
