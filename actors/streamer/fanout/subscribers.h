// subscribers.h - the devices of all scenes that get datagrams, each with its lane (fanout_lane.h)
// and endpoint, and the order in which lanes and devices are served. Pure: the time is passed in;
// used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SUBSCRIBERS_H

#include "actors/streamer/fanout/fanout_lane.h"

// The devices of one scene.
struct stream {
    uint64_t scene_id;
    struct lane *lanes;
    const frozen_t *scene; // one reference; NULL: not known yet
    uint64_t newest;       // seq of its newest event; 0 = not known yet
    bool has_ended;        // the scene is deleted: the stream goes with the last of its devices
};

typedef struct subscribers subscribers_t;

subscribers_t *subscribers_create(void);
// Takes all devices out first, which must be there still. Accepts NULL.
void subscribers_destroy(subscribers_t **self);

// Admits a device, or takes its new registration to the same scene: it becomes PENDING. A device
// that stays in its lane keeps `since`, so that it loses nothing. A device that changes its lane
// gets the events after this registration. The device stays yours: remove it before it goes.
void subscribers_admit(subscribers_t *self, struct subscriber *device, uint64_t scene_id,
                       uint64_t since, const struct lane_key *lane);

// Its datagrams are sealed by this from now on (NULL: in the clear), if its lane is a sealed one.
void subscribers_set_sealer(struct subscriber *device, struct device_sealer *sealer);

// Sends its datagrams to `endpoint` from now on. It becomes REACHABLE, and a pause of the endpoint
// ends.
void subscribers_set_endpoint(subscribers_t *self, struct subscriber *device,
                              const union udp_endpoint *endpoint);

// Removes a device at once with its backlog; only its sealer stays. Does nothing if it has no lane.
void subscribers_remove(subscribers_t *self, struct subscriber *device);

// Takes no more events of the scene. Those that wait are sent still, and its devices are forgotten
// one by one.
void subscribers_end_scene(subscribers_t *self, uint64_t scene_id);
// Removes a device of a scene that has ended; false: something waits for it still.
bool subscribers_forget_ended(subscribers_t *self, struct subscriber *device);

// Counts an ICMP error about this endpoint. Returns whether this pauses it.
bool subscribers_note_error(subscribers_t *self, const union udp_endpoint *endpoint,
                            uint64_t now_us);

// Adds an event to the lanes of its scene, with references of its own. `load`: the server does not
// keep up, so a newer state of an entity replaces an older one.
void subscribers_take(subscribers_t *self, const struct event *event, bool load);

// An event of the scene that devices do not get: its number is no loss.
void subscribers_note(subscribers_t *self, const struct event *event);

// Somebody asks for a lock: the device, which holds it, is told, if it wants to and has an address,
// when it is served next (subscribers_next_behind). A newer question replaces one that waits.
void subscribers_tell_ask(subscribers_t *self, struct subscriber *device,
                          const struct event *event);

// The device was told, or is not.
void subscribers_end_ask(subscribers_t *self, struct subscriber *device);

// Remembers what a lane has encoded since `first` for devices that ask for it again.
void subscribers_remember(subscribers_t *self, struct lane *lane, uint32_t first, uint64_t now_us);

// Begins the batches that are due at `now_us`, and forgets what nobody may ask for any more.
void subscribers_begin_batches(subscribers_t *self, uint64_t now_us);

// The lane whose turn it is, which has something to send. NULL if no batch is being sent. This ends
// batches that are sent completely, so pointers into them become invalid.
struct lane *subscribers_next(subscribers_t *self, bool load);

// Moves the lane whose turn it is behind all others.
void subscribers_rotate(subscribers_t *self);

// Whether a batch is being sent.
bool subscribers_is_sending(const subscribers_t *self);

// Whether events wait in batches. Backlog and repeats do not count.
bool subscribers_has_events(const subscribers_t *self);

// When subscribers_begin_batches or subscribers_next_behind has something to do. UINT64_MAX: never.
uint64_t subscribers_due_us(const subscribers_t *self);

// Devices behind

// From now on the device is sent everything after `since` by itself: it is over its budget, or has
// some of the group already. The lane's catch-up buffer must have these events (lane_keep).
void subscribers_fall_behind(subscribers_t *self, struct subscriber *device, uint64_t since,
                             uint64_t now_us);

// The device that may be sent some of its backlog now. NULL if there is none.
struct subscriber *subscribers_next_behind(const subscribers_t *self, uint64_t now_us);

// Serves the device again when its budget has room.
void subscribers_postpone(subscribers_t *self, struct subscriber *device);

// The device has everything that its lane has sent, or will not get it. Lane and device may be
// freed.
void subscribers_end_backlog(subscribers_t *self, struct subscriber *device);

// The device asks for the changes from `from` to `to` again; `is_refused`: it asks too often, and
// is told so. It is answered when it is served next (subscribers_next_behind). Two questions that
// wait are answered as one.
void subscribers_ask(subscribers_t *self, struct subscriber *device, const struct asked *asked);

// The device was answered.
void subscribers_end_asked(subscribers_t *self, struct subscriber *device);

#endif
