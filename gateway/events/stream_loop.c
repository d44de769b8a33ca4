// stream_loop.c - the thread of many streams (stream_loop.h). What happens marks a stream; the
// marked ones have their turns one after another, each of one write, so that none waits for long.
// Streams end in their turns only: nothing else may free what an epoll event points to.
#define _GNU_SOURCE // EPOLLRDHUP
#include "gateway/events/stream_loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "gateway/events/stream_turn.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"
#include "proto/message/partition.h"

enum {
    WAKE_EVENTS = 256,    // taken from epoll at once
    ROUND_US = 2000,      // of turns, before the loop looks what has happened
    QUESTIONS_MOST = 256, // under way at once
    ASK_AGAIN_MS = 10,    // where the actors' mailboxes are full
    LEASE_LOOK_MS = 250,  // between two looks whether feeds are to end
    SCENE_BITS = 8,       // of a question's id: which scene of the stream it is about
};
_Static_assert(LIMIT_WATCHED_SCENES <= 1 << SCENE_BITS, "an id tells the scene");

// Streams in the order in which they came. A stream is in one list of each kind at most.
struct stream_list {
    event_stream_t *first, **last;
};

struct stream_loop {
    struct stream_desk desk;
    unsigned shards;
    event_bell_t *bell;
    mailbox_t *mailbox;
    int epoll;
    struct table streams; // by serial
    struct stream_dues dues;
    struct stream_list ready;  // those that have a turn next
    struct stream_list asking; // those that wait for room at the desk
    unsigned questions;        // under way
    pthread_t thread;
    pthread_mutex_t lock;
    struct stream_list given; // under the lock: new ones
    bool is_stopping;         // under the lock
    bool is_running;
};

// --- lists ---

static void
list_init(struct stream_list *self)
{
    self->first = NULL;
    self->last = &self->first;
}

static void
list_add(struct stream_list *self, event_stream_t *stream)
{
    stream->next = NULL;
    *self->last = stream;
    self->last = &stream->next;
}

static event_stream_t *
list_take(struct stream_list *self)
{
    event_stream_t *stream = self->first;
    if (!stream)
        return NULL;
    self->first = stream->next;
    if (!self->first)
        self->last = &self->first;
    return stream;
}

// The stream has a turn soon.
static void
mark(stream_loop_t *self, event_stream_t *stream)
{
    if (stream->is_listed)
        return;
    stream->is_listed = true;
    list_add(&self->ready, stream);
}

// --- streams ---

static bool
has_serial(const void *value, const void *key)
{
    const event_stream_t *stream = value;
    const uint64_t *serial = key;
    return stream->serial == *serial;
}

static event_stream_t *
find(const stream_loop_t *self, uint64_t serial)
{
    return table_find(&self->streams, table_hash_u64(serial), has_serial, &serial);
}

// The events of its socket: that the client leaves and, if it reads slowly, that it takes more.
static bool
watch_client(stream_loop_t *self, event_stream_t *stream, int how)
{
    stream->awaits_room = stream_client_is_behind(&stream->client);
    uint32_t events =
        EPOLLRDHUP | (stream->awaits_room ? EPOLLOUT : 0U) | (stream->form ? EPOLLIN : 0U);
    struct epoll_event wanted = {.events = events, .data.ptr = stream};
    return epoll_ctl(self->epoll, how, stream->client.socket, &wanted) == 0;
}

static void
drop(stream_loop_t *self, event_stream_t *stream)
{
    table_remove(&self->streams, table_hash_u64(stream->serial), stream);
    stream_dues_remove(&self->dues, &stream->due);
    event_stream_destroy(&stream); // closed, the socket leaves epoll
}

static void
admit(stream_loop_t *self, event_stream_t *stream)
{
    static _Atomic uint64_t serials;
    stream->serial = atomic_fetch_add(&serials, 1) + 1;
    table_add(&self->streams, table_hash_u64(stream->serial), stream);
    event_queue_listen(stream->queue, stream);
    stream_turn_begin(stream, clock_now_ms());
    stream->is_over = !watch_client(self, stream, EPOLL_CTL_ADD);
    mark(self, stream);
}

// Takes what it was given; false if it is to stop.
static bool
admit_given(stream_loop_t *self)
{
    pthread_mutex_lock(&self->lock);
    struct stream_list given = self->given;
    if (!given.first)
        given.last = &given.first;
    list_init(&self->given);
    bool is_stopping = self->is_stopping;
    pthread_mutex_unlock(&self->lock);
    event_stream_t *stream;
    while ((stream = list_take(&given)) != NULL)
        admit(self, stream);
    return !is_stopping;
}

// --- asking ---

static stream_loop_t *
loop_of(struct stream_desk *desk)
{
    return (stream_loop_t *)(void *)desk;
}

static void
address(const stream_loop_t *self, const struct message *question, char ret_to[MAILBOX_NAME_SIZE])
{
    const struct operation_row *row = &operation_rows[question->operation];
    if (row->target == SINGLE)
        snprintf(ret_to, MAILBOX_NAME_SIZE, "%s", actor_mailbox(row->actor));
    else
        mailbox_shard_name(partition_of_scene(question->params->scene) % self->shards, ret_to);
}

static bool
ask(struct stream_desk *desk, event_stream_t *stream, unsigned scene, struct message **question)
{
    stream_loop_t *self = loop_of(desk);
    char to[MAILBOX_NAME_SIZE];
    if (self->questions == QUESTIONS_MOST)
        return false;
    address(self, *question, to);
    (*question)->id = stream->serial << SCENE_BITS | scene;
    (*question)->deadline_ms = clock_deadline_ms(desk->deadline_ms);
    if (mailbox_send(self->mailbox, to, question) != OK)
        return false;
    self->questions++;
    return true;
}

static void
take_answers(stream_loop_t *self)
{
    struct message *answer;
    while ((answer = mailbox_receive(self->mailbox, 0)) != NULL) {
        event_stream_t *stream = find(self, answer->id >> SCENE_BITS);
        self->questions--;
        if (stream) {
            event_stream_take_answer(stream, answer->id & ((1U << SCENE_BITS) - 1), &answer);
            mark(self, stream);
        }
        message_destroy(&answer); // its stream has ended meanwhile
    }
}

// --- what happens ---

static void
hear_bell(stream_loop_t *self)
{
    for (struct bell_cord *cord = event_bell_hush(self->bell), *next; cord; cord = next) {
        next = cord->next;
        event_stream_t *stream = event_queue_answer(cord);
        if (!stream)
            continue;
        stream->is_rung = true;
        mark(self, stream);
    }
}

// A client that leaves has nothing to tell: its stream ends.
static void
hear_client(stream_loop_t *self, event_stream_t *stream, uint32_t events)
{
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        stream->is_over = true;
    if (events & EPOLLOUT)
        stream_client_has_room(&stream->client);
    stream->has_input |= (events & EPOLLIN) != 0;
    mark(self, stream);
}

static event_stream_t *
stream_of(struct stream_due *due)
{
    return (event_stream_t *)(void *)((char *)due - offsetof(event_stream_t, due));
}

static void
mark_due(stream_loop_t *self, uint64_t now_us)
{
    for (struct stream_due *due; (due = stream_dues_first(&self->dues)) && due->at_us <= now_us;) {
        stream_dues_remove(&self->dues, due);
        mark(self, stream_of(due));
    }
}

// Milliseconds until somebody is due; -1 if nobody is.
static int
due_ms(const stream_loop_t *self)
{
    const struct stream_due *first = stream_dues_first(&self->dues);
    uint64_t now_us = clock_now_us();
    if (!first)
        return -1;
    return first->at_us <= now_us ? 0 : (int)((first->at_us - now_us + 999) / 1000);
}

// How long the loop may wait, in milliseconds; 0 if somebody has a turn, -1 for ever.
static int
wait_ms(const stream_loop_t *self)
{
    if (self->ready.first)
        return 0;
    if (self->asking.first)
        return ASK_AGAIN_MS;
    int left_ms = due_ms(self);
    bool must_look = lease_is_needed() && self->streams.count;
    return must_look && (left_ms < 0 || left_ms > LEASE_LOOK_MS) ? LEASE_LOOK_MS : left_ms;
}

// Where feeds are to end, each stream has a turn to leave. Those of the server itself stay.
static void
mark_blind(stream_loop_t *self)
{
    size_t cursor = 0;
    event_stream_t *stream;
    if (!lease_is_blind())
        return;
    while ((stream = table_next(&self->streams, &cursor)) != NULL)
        if (!stream->is_samples)
            mark(self, stream);
}

// What is drained last is the mailbox: its descriptor tells of what comes after that.
static void
await(stream_loop_t *self)
{
    struct epoll_event events[WAKE_EVENTS];
    take_answers(self);
    int count = epoll_wait(self->epoll, events, WAKE_EVENTS, wait_ms(self));
    for (int i = 0; i < count; i++)
        if (events[i].data.ptr)
            hear_client(self, events[i].data.ptr, events[i].events);
    hear_bell(self);
    take_answers(self);
    mark_due(self, clock_now_us());
    mark_blind(self);
}

// --- turns ---

static void
give_turn(stream_loop_t *self, event_stream_t *stream)
{
    enum stream_outcome outcome = stream_turn(stream, &self->desk);
    if (outcome == STREAM_BREAKS)
        stream_client_abort(&stream->client);
    if (outcome == STREAM_ENDS || outcome == STREAM_BREAKS) {
        drop(self, stream);
        return;
    }
    if (stream->awaits_room != stream_client_is_behind(&stream->client))
        (void)watch_client(self, stream, EPOLL_CTL_MOD);
    if (outcome == STREAM_GOES_ON) {
        mark(self, stream);
    } else if (outcome == STREAM_ASKS) {
        stream->is_listed = true;
        list_add(&self->asking, stream);
    }
    stream_dues_set(&self->dues, &stream->due, stream_turn_due_us(stream));
}

// Streams whose question found no room ask again, where there is some.
static void
mark_asking(stream_loop_t *self)
{
    event_stream_t *stream;
    for (unsigned room = QUESTIONS_MOST - self->questions; room; room--) {
        if ((stream = list_take(&self->asking)) == NULL)
            return;
        list_add(&self->ready, stream);
    }
}

static void
give_turns(stream_loop_t *self)
{
    uint64_t end_us = clock_now_us() + ROUND_US;
    event_stream_t *stream;
    mark_asking(self);
    while ((stream = list_take(&self->ready)) != NULL) {
        stream->is_listed = false;
        give_turn(self, stream);
        if (clock_now_us() >= end_us)
            return;
    }
}

static void
drop_all(stream_loop_t *self)
{
    size_t cursor = 0;
    event_stream_t *stream;
    while ((stream = table_next(&self->streams, &cursor)) != NULL)
        event_stream_destroy(&stream);
    table_finish(&self->streams);
    hear_bell(self); // the queues are closed: nobody listens, and no cord stays pulled
}

static void *
run(void *argument)
{
    stream_loop_t *self = argument;
    while (admit_given(self)) {
        await(self);
        give_turns(self);
    }
    drop_all(self);
    return NULL;
}

// --- life ---

static bool
watch_descriptor(const stream_loop_t *self, int descriptor)
{
    struct epoll_event wanted = {.events = EPOLLIN};
    return epoll_ctl(self->epoll, EPOLL_CTL_ADD, descriptor, &wanted) == 0;
}

static fallible
open_all(stream_loop_t *self, struct allowance *memory)
{
    static _Atomic unsigned made;
    char name[MAILBOX_NAME_SIZE];
    snprintf(name, sizeof name, "streams.%u", made++);
    TRY(event_bell_create(memory, &self->bell));
    TRY(mailbox_create(name, false, &self->mailbox));
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (self->epoll < 0 || !watch_descriptor(self, event_bell_descriptor(self->bell)) ||
        !watch_descriptor(self, mailbox_descriptor(self->mailbox)))
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor for streams of events");
    self->is_running = pthread_create(&self->thread, NULL, run, self) == 0;
    if (!self->is_running)
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for streams of events");
    return OK;
}

fallible
stream_loop_create(struct allowance *memory, unsigned shards, int64_t deadline_ms,
                   stream_loop_t **ret_loop)
{
    stream_loop_t *self = memory_take_zeroed(sizeof *self);
    self->desk.ask = ask;
    self->desk.deadline_ms = (uint64_t)deadline_ms;
    self->shards = shards ? shards : 1;
    self->epoll = -1;
    pthread_mutex_init(&self->lock, NULL);
    list_init(&self->ready);
    list_init(&self->asking);
    list_init(&self->given);
    enum error error = open_all(self, memory);
    if (error == OK)
        *ret_loop = self;
    else
        stream_loop_destroy(&self);
    return error;
}

void
stream_loop_destroy(stream_loop_t **self)
{
    stream_loop_t *loop = *self;
    *self = NULL;
    if (!loop)
        return;
    if (loop->epoll >= 0)
        close(loop->epoll);
    mailbox_destroy(&loop->mailbox);
    event_bell_unref(&loop->bell);
    stream_dues_finish(&loop->dues);
    buffer_finish(&loop->desk.sink.out);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}

event_bell_t *
stream_loop_bell(const stream_loop_t *self)
{
    return self->bell;
}

void
stream_loop_take(stream_loop_t *self, event_stream_t **stream)
{
    pthread_mutex_lock(&self->lock);
    bool is_taken = !self->is_stopping;
    if (is_taken)
        list_add(&self->given, *stream);
    pthread_mutex_unlock(&self->lock);
    if (is_taken)
        *stream = NULL;
    event_stream_destroy(stream);
    event_bell_ring(self->bell);
}

void
stream_loop_stop(stream_loop_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_stopping = true;
    pthread_mutex_unlock(&self->lock);
    event_bell_ring(self->bell);
    if (self->is_running)
        pthread_join(self->thread, NULL);
    self->is_running = false;
}
