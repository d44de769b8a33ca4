// lease_index.h - the leases of a shard in the order of their ends, whether their scenes are in
// memory or not. Pure but for memory; one thread. Times are those of the monotonic clock.
#ifndef DIORAMA_ACTORS_SCENE_LEASE_INDEX_H
#define DIORAMA_ACTORS_SCENE_LEASE_INDEX_H

#include "proto/base/table.h"
#include "proto/base/timer_heap.h"

struct scene_state;

// The lease of one object.
struct lease {
    struct timer timer; // the first member: at the end, or before it where that has moved
    struct lease_list *list;
    struct lease *next, **link; // of its scene
    const struct text *key;     // of the object, owned
    int64_t fence, lease_s;
    int64_t until_us; // as the record says it, on the calendar
    uint64_t ends_us; // 0: it does not run yet
};

// The leases of one scene.
struct lease_list {
    struct scene_state *scene; // NULL: it is gone
    struct lease *first;
    struct lease_list *next_dead;
};

// Embedded; all zero is empty, and leases run.
struct lease_index {
    struct table leases; // by the keys of their objects
    struct timer_heap timers;
    struct lease_list *dead; // of scenes that are gone: freed little by little
    bool is_waiting;         // a start reads them: they run from lease_index_begin on
};

// The lease of an object of the scene, or NULL.
struct lease *lease_index_find(const struct lease_index *self, const struct scene_state *scene,
                               const struct text *key);
// It runs for `lease_s` from now on; it is made where there is none.
struct lease *lease_index_put(struct lease_index *self, struct scene_state *scene,
                              const struct text *key, int64_t lease_s, uint64_t now_us);
// The same for one that is there: the cheap way for each update.
void lease_renew(struct lease *lease, uint64_t now_us);
void lease_index_drop(struct lease_index *self, struct lease *lease);

// All leases that were put so far begin to run.
void lease_index_begin(struct lease_index *self, uint64_t now_us);
// A lease that has ended, or NULL.
struct lease *lease_index_ended(struct lease_index *self, uint64_t now_us);
// Looks at the lease again at this time, if somebody has not ended or renewed it.
void lease_index_postpone(struct lease_index *self, struct lease *lease, uint64_t due_us);
// When lease_index_ended is to be asked; 0 = not yet.
uint64_t lease_index_due_us(const struct lease_index *self);

// The scene is gone, and so are its leases: they are freed by lease_index_trim, some at a time.
void lease_index_forget(struct lease_index *self, struct scene_state *scene);
void lease_index_trim(struct lease_index *self);
void lease_index_finish(struct lease_index *self);

#endif
