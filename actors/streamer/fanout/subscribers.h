// subscribers.h - which device of which scene gets datagrams at which address, in which lane
// (fanout_lane.h), and whose turn it is (live-feed). Pure: the time is passed in; used by the
// streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_H

#include "actors/streamer/fanout/fanout_lane.h"

// The listeners of one scene.
struct stream {
    uint64_t scene_id;
    struct lane *lanes;
    struct table by_key; // struct subscriber of all lanes
    bool has_ended;      // the scene is deleted: the stream goes when nothing waits any more
};

typedef struct subscribers subscribers_t;

subscribers_t *subscribers_create(void);
void subscribers_destroy(subscribers_t **self);

// Admits a device, or gives it a new registration: state PENDING, a fresh ticket; what it gets and
// how is in `key`. One that is in the same lane already keeps `since`, so that nothing is lost to
// it; one that changes its lane gets the events after this registration.
struct subscriber *subscribers_admit(subscribers_t *self, uint64_t scene_id, const struct text *key,
                                     uint64_t since, const struct lane_key *lane);

// Its datagrams go to `endpoint` from now on: REACHABLE, and not paused any more.
void subscribers_set_endpoint(subscribers_t *self, struct subscriber *device,
                              const union udp_endpoint *endpoint);

// The device whose registration has this ticket; NULL where it went or came again meanwhile.
struct subscriber *subscribers_find(const subscribers_t *self, uint64_t scene_id,
                                    const struct text *key, uint64_t ticket);

// Removes a device at once, whatever waits for it; nothing happens where it is not there.
void subscribers_remove(subscribers_t *self, uint64_t scene_id, const struct text *key);

// Forgets a scene as soon as what waits for its devices has left.
void subscribers_end_scene(subscribers_t *self, uint64_t scene_id);

// Nobody is at this endpoint, as somebody on the way says. Returns true where that pauses it.
bool subscribers_note_error(subscribers_t *self, const union udp_endpoint *endpoint,
                            uint64_t now_us);

// Takes an event for the devices of its scene, with references of its own; nothing happens where
// there are none. `load`: the server does not keep up, newest wins.
void subscribers_take(subscribers_t *self, const struct event *event, bool load);

// The batches of lanes that are due at `now_us` begin.
void subscribers_begin_batches(subscribers_t *self, uint64_t now_us);

// The lane whose turn it is, with something to send; NULL where no batch is under way. Rounds that
// are at their end are ended, so what came from there is not valid any more.
struct lane *subscribers_next(subscribers_t *self, bool load);

// The lane whose turn it is gives way to the others.
void subscribers_rotate(subscribers_t *self);

// Whether a batch is under way.
bool subscribers_is_sending(const subscribers_t *self);

// Whether events wait, except for devices behind. Repeats do not count.
bool subscribers_has_events(const subscribers_t *self);

// When subscribers_begin_batches or subscribers_next_behind has something to do; UINT64_MAX: never.
uint64_t subscribers_due_us(const subscribers_t *self);

// Devices behind

// The device is sent apart what comes after `since`: it is beyond its budget, or has some of what
// would be sent. The lane's catch_up must have that (lane_keep).
void subscribers_fall_behind(subscribers_t *self, struct subscriber *device, uint64_t since,
                             uint64_t now_us);

// The device that may be sent some of its catch_up; NULL where there is none at this time.
struct subscriber *subscribers_next_behind(const subscribers_t *self, uint64_t now_us);

// It goes on when there is room in its budget.
void subscribers_postpone(subscribers_t *self, struct subscriber *device);

// It has everything that its lane has sent, or must do without. Device and lane may go with it.
void subscribers_end_backlog(subscribers_t *self, struct subscriber *device);

// The device asks for what it missed of the changes from `from` to `to`: it is sent, whole, all
// that changed from there on, as far as that is known (packed form: 2 s; else only what it is
// backlog anyway). What is not known stays a gap that it sees by `prev`.
void subscribers_repeat(subscribers_t *self, struct subscriber *device, uint64_t from, uint64_t to);

#endif
