// fanout_lane.h - the devices of one scene that get the same bytes: of one form, one rate and one
// convention. What waits for them is encoded once (live-feed). Pure; used by the streamer's thread
// alone.
//
// Events go in *batches*. While one batch leaves, the next one collects: so no record can starve,
// however often others change. A batch that is merged has each entity once, in its newest state:
// always in the packed form, under load in the plain one.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_FANOUT_LANE_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_FANOUT_LANE_H

#include "actors/streamer/fanout/catch_up.h"
#include "actors/streamer/fanout/receivers.h"
#include "actors/streamer/fanout/retransmit.h"
#include "actors/streamer/fanout/timer_heap.h"
#include "proto/feed/destinations.h"
#include "proto/feed/event_batch.h"
#include "proto/spatial/convention.h"

struct lane;

enum subscriber_state {
    SUBSCRIBER_PENDING,     // has no proven address yet: what it misses waits for it, for a while
    SUBSCRIBER_UNPROVEN,    // has had none for too long: gets nothing
    SUBSCRIBER_REACHABLE,   // gets datagrams
    SUBSCRIBER_UNREACHABLE, // wants datagrams that this socket cannot send: counted
};

// A device in a scene.
struct subscriber {
    uint64_t since; // it has what it needs up to here: it gets the events with a larger seq
    struct receiver *receiver; // of SUBSCRIBER_REACHABLE
    struct lane *lane;
    uint64_t behind_since; // what `since` was when it fell behind
    uint64_t group;        // the last one that it was considered for
    uint64_t ticket;       // of the registration that is valid now: tells late resolutions apart
    struct send_budget budget;
    struct timer timer; // when it is sent some of its catch_up
    enum subscriber_state state;
    uint32_t place;         // in lane->devices
    bool is_behind;         // it is sent apart what the lane's catch_up have after `since`
    const struct text *key; // in the same block of memory
};

// What devices of one lane have in common.
struct lane_key {
    enum feed_form form;
    unsigned rate_hz; // 0 in the plain form
    const struct text *convention;
};

struct lane {
    struct lane_key key;                 // its text in the same block of memory
    const struct convention *convention; // that the key names; NULL: that of scenes
    struct stream *stream;
    struct lane *next; // of the stream
    uint64_t sent;     // seq of the event sent last: `prev` of the next one; 0 = none yet
    struct subscriber **devices;
    uint32_t device_count;
    uint32_t device_capacity;
    uint32_t behind_count; // of the devices
    uint32_t removals;     // so far: who walks the devices sees that their places changed
    uint32_t next_event;   // of leaving
    struct event_batch collecting;
    struct event_batch leaving;
    struct catch_up catch_up;     // while there are devices behind
    struct retransmit retransmit; // of the packed form
    uint64_t begun_us;            // when its last batch began to leave; 0 = none yet
    struct timer timer;           // when the next one may
    bool has_taken;               // an event: it knows of nothing before its first one
    bool is_leaving;              // in that queue of the subscribers
    bool has_lost;                // an event that found no place: the next datagram shows a gap
    struct lane *next_leaving;
};

enum {
    // Datagrams that a lane may have waiting before newest-wins begins: 5 ms of the kernel's time.
    LANE_UNMERGED_DATAGRAMS = 1000,
    // Of a scene: each costs as much as the first. Further devices share some, at lower rates.
    LANES_AS_ASKED = 32,
    LANE_TICK_US = 16000, // from batch to batch of the plain form under load
};

// A key that many share, of a rate that is no higher: for scenes with LANES_AS_ASKED.
struct lane_key lane_key_shared(const struct lane_key *asked);

struct lane *lane_create(struct stream *stream, const struct lane_key *key);
// With its devices.
void lane_destroy(struct lane *self);

bool lane_is(const struct lane *self, const struct lane_key *key);

void lane_add(struct lane *self, struct subscriber *device);
void lane_remove(struct lane *self, struct subscriber *device);

// Takes an event for its devices, with references of its own. In the packed form, under `load`, or
// where too much waits already, the newest state of an entity replaces the one that waits (counted
// as superseded).
void lane_take(struct lane *self, const struct event *event, bool load);

// When its next batch may begin; UINT64_MAX where there is nothing to send.
uint64_t lane_due_us(const struct lane *self, bool load);

// What was collected begins to leave. Only where no batch is under way.
void lane_begin_batch(struct lane *self, uint64_t now_us);
void lane_end_batch(struct lane *self);

// Whether something of the batch that leaves is still to be sent to somebody.
bool lane_has_more(const struct lane *self);

// Whether nothing is or will be sent.
bool lane_is_idle(const struct lane *self);

// The events that leave from `first` on, up to the lane's next one, are backlog to who is behind.
void lane_keep(struct lane *self, uint32_t first);

// The newest changes after `seq` are backlog to who is behind, as far as they are known. Returns up
// to where they are not.
uint64_t lane_keep_after(struct lane *self, uint64_t seq);

#endif
