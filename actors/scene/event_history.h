// event_history.h - the newest events of the scenes that somebody watches, so that a client whose
// stream broke off goes on where it was (`Last-Event-ID`). Pure; one thread.
//
// A scene has a history from its first watcher on, until nobody has watched it for some minutes or
// the memory of all is used up: what nobody watches costs nothing.
#ifndef DIORAMA_ACTORS_SCENE_EVENT_HISTORY_H
#define DIORAMA_ACTORS_SCENE_EVENT_HISTORY_H

#include "proto/feed/event.h"

enum {
    EVENT_HISTORY_MINUTES = 5,      // after the last word of a watcher
    EVENT_HISTORY_BYTES = 64 << 20, // of the records in all histories of one actor
};

// A ring of events whose numbers follow one another.
struct event_history {
    struct event_history **owner;        // where its scene keeps it; NULL there when it goes
    struct event_history *older, *newer; // by the last word of a watcher
    uint64_t watched_ms;
    uint64_t newest; // seq of the newest event, or of the one before the first
    size_t bytes;
    struct event *events;
    uint32_t first, count, capacity;
};

// All of one actor. Embedded; all zero but for the limit.
struct event_histories {
    struct event_history *oldest, *newest;
    size_t bytes;
    uint32_t limit; // events of each; 0 = none are kept
};

void event_histories_finish(struct event_histories *self);

// Somebody watches the scene that keeps its history at `owner`: it begins behind the event `seq`
// where there is none.
void event_histories_watch(struct event_histories *self, struct event_history **owner, uint64_t seq,
                           uint64_t now_ms);

// Keeps the scene's next event, with references of its own; nothing happens where `*owner` is NULL.
void event_histories_keep(struct event_histories *self, struct event_history **owner,
                          const struct event *event);

// The events after `seq`, yours; NULL = there are none. False where they are not all known.
bool event_history_since(const struct event_history *self, uint64_t seq,
                         struct events **ret_events);

// Forgets one. Accepts that there is none.
void event_histories_forget(struct event_histories *self, struct event_history **owner);

// Forgets those that nobody watches any more.
void event_histories_expire(struct event_histories *self, uint64_t now_ms);
// When that is worth a look; 0 = never.
uint64_t event_histories_deadline_ms(const struct event_histories *self);

#endif
