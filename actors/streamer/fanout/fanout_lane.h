// fanout_lane.h - a lane: the devices of one scene that get the same bytes because they have the
// same form, rate and convention. Events for them are encoded once. Pure; used by the streamer's
// thread alone.
//
// Events are sent in *batches*. While one batch is sent, the next one collects events, so no entity
// starves however often others change. A merged batch has each entity once, in its newest state. In
// the packed form all batches are merged, in the plain form only under load.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_FANOUT_LANE_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_FANOUT_LANE_H

#include "actors/streamer/fanout/catch_up.h"
#include "actors/streamer/fanout/device_sealer.h"
#include "actors/streamer/fanout/rate_meter.h"
#include "actors/streamer/fanout/receivers.h"
#include "actors/streamer/fanout/recent_changes.h"
#include "actors/streamer/fanout/retransmit.h"
#include "proto/base/timer_heap.h"
#include "proto/feed/destinations.h"
#include "proto/feed/event_batch.h"
#include "proto/spatial/convention.h"

struct lane;

enum subscriber_state {
    SUBSCRIBER_PENDING,     // has not proven an address yet: its events are kept for a while
    SUBSCRIBER_UNPROVEN,    // did not prove one in time: gets nothing
    SUBSCRIBER_REACHABLE,   // gets datagrams
    SUBSCRIBER_UNREACHABLE, // has an address that this socket cannot send to: counted
};

// What a device asked for again, and was not answered yet.
struct asked {
    uint64_t from, to; // 0: nothing
    uint32_t bytes;    // of the question: a refusal has no more
    bool is_refused;   // it asks too often: it is told so
};

struct subscriber;

// What a device has from the first datagram on that is sent to it, that it is behind with, or that
// it asks for.
struct traffic {
    struct subscriber *device;
    struct send_budget budget;
    struct rate_meter sent; // datagrams
    struct rate_meter lost; // changes that it asked for again
    uint64_t behind_since;  // the value of `since` when it fell behind
    struct asked asked;
    struct timer timer; // when it is sent some of its backlog, or what it asked for
    struct event *ask;  // that it was not told yet; NULL: none
};

// The feed of a device in a scene. Embedded in what registers it; all zero is one without a lane.
struct subscriber {
    uint64_t joined;              // the seq of its registration: nothing up to it was for it
    uint64_t since;               // it has everything up to this seq
    struct lane *lane;            // NULL: it gets no datagrams
    struct receiver *receiver;    // of SUBSCRIBER_REACHABLE
    struct device_sealer *sealer; // one reference; NULL: datagrams are in the clear
    struct traffic *traffic;      // owned; NULL: none yet
    uint32_t place;               // in lane->devices
    uint32_t group;               // number of the last group of the lane that considered it
    uint8_t state;                // enum subscriber_state
    bool is_behind;               // it is sent its backlog by itself
    bool hears_asks;              // it wants to be told that somebody asks for its locks
};

_Static_assert(sizeof(struct subscriber) == 64, "each registered device has one");

// What the devices of a lane have in common.
struct lane_key {
    enum feed_form form;
    unsigned rate_hz; // 0 in the plain form
    const struct text *convention;
    bool is_sealed;                       // each datagram for each device, with the device's key
    bool has_tail;                        // it is told up to where all was sent when nothing is
    bool has_filler;                      // of base64 characters, in the plain form
    bool has_indices;                     // numbers stand for keys, in the packed form
    char object[DESTINATION_OBJECT_SIZE]; // whose pose, in the form of OpenTrackIO
    uint8_t source;                       // its source number
};

struct lane {
    struct lane_key key;                 // its text in the same block of memory
    const struct convention *convention; // that the key names; NULL: the axes of scenes
    struct stream *stream;
    struct lane *next; // of the stream
    uint64_t sent;     // seq of the last event that was sent; 0 = none yet
    struct subscriber **devices;
    uint32_t device_count;
    uint32_t device_capacity;
    uint32_t behind_count; // of the devices
    uint32_t removals;     // so far: a walk over the devices sees that their places changed
    uint32_t next_event;   // of `leaving`
    uint32_t groups;       // of datagrams, so far; the device that comes was in none
    struct event_batch collecting;
    struct event_batch leaving;
    struct catch_up catch_up;     // used while devices are behind
    struct retransmit retransmit; // used in the packed form
    struct recent_changes recent; // for devices that ask for what they missed
    uint64_t begun_us;            // when its last batch began; 0 = none yet
    uint64_t changed_us;          // the same of the last one with changes
    unsigned tails;               // sent since
    uint64_t lost;                // seq of the last event that `collecting` lacks; 0 = none
    uint64_t leaving_lost;        // the same of `leaving`
    struct timer timer;           // when its next batch may begin
    struct timer ageing;          // when the oldest of `recent` is too old
    uint16_t packets;             // of OpenTrackIO, the number of the last one
    bool is_leaving;              // it is in the subscribers' queue of lanes that send
    struct lane *next_leaving;
};

enum {
    // Datagrams that may wait in a lane before its batch is merged: 5 ms of the kernel's time.
    LANE_UNMERGED_DATAGRAMS = 1000,
    // Lanes of a scene that devices may choose freely, because each costs as much as the first.
    // Further devices share lanes of a few lower rates.
    LANES_AS_ASKED = 32,
    // Objects of a scene that are told by OpenTrackIO: each event is compared with each of them.
    LANES_OF_OBJECTS = 64,
    LANE_FIRST_TAIL_US = 1000000, // after the last change
    LANE_TAIL_US = 15000000,      // after the last tail
    LANE_TICK_US = 16000,         // from batch to batch of the plain form under load
};

// The key of a shared lane for a scene that has LANES_AS_ASKED: its rate is not higher than asked.
// Beyond LANES_OF_OBJECTS it is that of a lane without object, which is told nothing.
struct lane_key lane_key_shared(const struct lane_key *asked);

// What is sent to the device; begins it.
struct traffic *subscriber_traffic(struct subscriber *self);
// What it asked for again; NULL where that is nothing.
static inline const struct asked *
subscriber_asked(const struct subscriber *self)
{
    return self->traffic && self->traffic->asked.from ? &self->traffic->asked : NULL;
}
// Forgets the question that it was not told.
void subscriber_drop_ask(struct subscriber *self);
// Forgets what is sent to it.
void subscriber_end_traffic(struct subscriber *self);

struct lane *lane_create(struct stream *stream, const struct lane_key *key);
// It has no devices any more.
void lane_destroy(struct lane *self);

bool lane_is(const struct lane *self, const struct lane_key *key);

void lane_add(struct lane *self, struct subscriber *device);
void lane_remove(struct lane *self, struct subscriber *device);

// Adds an event to the batch that collects, with references of its own. In the packed form, under
// `load`, or if too much waits, the event replaces an older one of the same entity (counted as
// superseded).
void lane_take(struct lane *self, const struct event *event, bool load);

// When its next batch may begin; UINT64_MAX if there is nothing to send.
uint64_t lane_due_us(const struct lane *self, bool load);

// The batch that collected becomes the one that is sent. The one before must have ended.
void lane_begin_batch(struct lane *self, uint64_t now_us);
void lane_end_batch(struct lane *self);

// A datagram was encoded: with changes, or without any.
void lane_note_sent(struct lane *self, bool has_changes);

// Whether the devices shall be told now up to where all was sent.
bool lane_tail_is_due(const struct lane *self);

// Whether something of the batch remains to be encoded.
bool lane_has_more(const struct lane *self);

// Whether nothing is being sent and nothing waits.
bool lane_is_idle(const struct lane *self);

// Adds the events of the batch from `first` to the one before the next to the catch-up buffer.
void lane_keep(struct lane *self, uint32_t first);

// Remembers the events of the batch from `first` to the one before the next as sent, in at most
// `most` bytes.
void lane_remember(struct lane *self, uint32_t first, uint64_t now_us, size_t most);

// The events up to `seq` that it has not taken are lost. The first datagram after them shows it.
void lane_note_lost(struct lane *self, uint64_t seq);

// Whether something was lost between what was sent and `seq`: a datagram ends before it.
bool lane_is_at_gap(const struct lane *self, uint64_t seq);

// Shows in the next datagram, which begins with `seq`, that something was lost before it.
void lane_pass_gap(struct lane *self, uint64_t seq);

#endif
