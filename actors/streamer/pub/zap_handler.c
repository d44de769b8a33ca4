// zap_handler.c - the ZAP handler of PUB. It does not use czmq's
// zauth: its store of certificates notices a change only if the newest time (in seconds), the
// number or the total size of the files differ (czmq issue 2113), and a client that ZeroMQ refused
// once does not try again.

#include "actors/streamer/pub/zap_handler.h"

#include <czmq.h>
#include <dirent.h>
#include <stdatomic.h>
#include <sys/inotify.h>

#include "proto/base/clock.h"
#include "proto/base/handover.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/feed/curve.h"
#include "proto/message/audit.h"
#include "proto/message/metrics.h"

enum {
    LOOK_MS = 1000,  // between two looks at a folder, if the kernel does not report its changes
    QUIET_MS = 1000, // between two log lines about refused keys
    ZAP_FRAMES = 7,  // version, request, domain, address, identity, mechanism, key
};

static const char zap_endpoint[] = "inproc://zeromq.zap.01";

struct key_ring {
    char (*keys)[CURVE_KEY_SIZE]; // sorted
    size_t count;
};

struct zap_handler {
    const char *folder;
    zactor_t *thread;
    zsock_t *questions;
    int changes;            // inotify, or -1
    struct timespec looked; // the time of the folder when it was read
    struct key_ring ring;
    uint64_t quiet_until_ms;
    _Atomic uint64_t removals;
    char *path; // owns the folder's name
};

// Keys

static int
key_order(const void *a, const void *b)
{
    return memcmp(a, b, CURVE_KEY_SIZE);
}

static bool
ring_has(const struct key_ring *ring, const char *key)
{
    return ring->count && bsearch(key, ring->keys, ring->count, CURVE_KEY_SIZE, key_order);
}

static bool
name_is_of_key(const char *name)
{
    size_t size = strlen(name);
    return name[0] != '.' && size > 4 && strcmp(name + size - 4, ".key") == 0;
}

static void
ring_read_key(struct key_ring *ring, const char *folder, const char *name)
{
    char path[4096];
    struct curve_keys keys;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return;
    if (curve_keys_read(path, &keys) != OK) {
        log_warning("pub_key_unreadable", "file=%s reason=%s", name, fault_last()->detail);
        return;
    }
    if (ring->count == LIMIT_PUB_KEYS) {
        log_warning("pub_key_ignored", "file=%s limit=%d", name, LIMIT_PUB_KEYS);
        return;
    }
    ring->keys = memory_resize(ring->keys, (ring->count + 1) * CURVE_KEY_SIZE);
    memcpy(ring->keys[ring->count++], keys.open, CURVE_KEY_SIZE);
}

static bool
ring_read(struct key_ring *ring, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (name_is_of_key(entry->d_name))
            ring_read_key(ring, path, entry->d_name);
    closedir(folder);
    if (ring->count)
        qsort(ring->keys, ring->count, CURVE_KEY_SIZE, key_order);
    return true;
}

// Tells the audit log which keys of `ring` the other one lacks. Returns whether there are any.
static bool
audit_missing(const struct key_ring *ring, const struct key_ring *other, const char *operation)
{
    struct audit_event event = {
        .kind = AUDIT_SECURITY, .operation = operation, .noun = "pub_key", .outcome = 200};
    bool is_any = false;
    for (size_t i = 0; i < ring->count; i++) {
        if (ring_has(other, ring->keys[i]))
            continue;
        is_any = true;
        snprintf(event.key, sizeof event.key, "%s", ring->keys[i]);
        audit_note(&event);
    }
    return is_any;
}

// If the folder cannot be read any more, nobody may connect.
static void
read_keys(zap_handler_t *self)
{
    struct stat status;
    struct key_ring fresh = {0};
    bool is_start = self->looked.tv_sec == 0;
    if (stat(self->folder, &status) == 0)
        self->looked = status.st_mtim;
    if (!ring_read(&fresh, self->folder))
        log_error("pub_keys_unreadable", "folder=%s reason=%s", self->folder, strerror(errno));
    bool is_removal = audit_missing(&self->ring, &fresh, "PUB_KEY_REMOVED");
    if (!is_start)
        (void)audit_missing(&fresh, &self->ring, "PUB_KEY_ADDED");
    free(self->ring.keys);
    self->ring = fresh;
    if (is_removal)
        atomic_fetch_add(&self->removals, 1);
    log_info("pub_keys_read", "folder=%s keys=%zu", self->folder, fresh.count);
}

// Whether the kernel reported a change or the time of the folder differs. The kernel does not
// report changes that another host makes in a network folder.
static bool
folder_has_changed(zap_handler_t *self)
{
    char notes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    struct stat status;
    bool is_told = false;
    while (self->changes >= 0 && read(self->changes, notes, sizeof notes) > 0)
        is_told = true;
    if (is_told || stat(self->folder, &status) != 0)
        return true;
    return status.st_mtim.tv_sec != self->looked.tv_sec ||
           status.st_mtim.tv_nsec != self->looked.tv_nsec;
}

static void
refresh_keys(zap_handler_t *self)
{
    if (folder_has_changed(self))
        read_keys(self);
}

// Questions

static bool
frame_is(zframe_t *frame, const char *text)
{
    return frame && zframe_streq(frame, text);
}

static bool
has_known_key(const zap_handler_t *self, zframe_t *const *frames)
{
    char key[CURVE_KEY_SIZE];
    return frame_is(frames[2], ZAP_HANDLER_DOMAIN) && frame_is(frames[5], "CURVE") &&
           zframe_size(frames[6]) == 32 && zmq_z85_encode(key, zframe_data(frames[6]), 32) &&
           ring_has(&self->ring, key);
}

static void
log_refused(zap_handler_t *self, zframe_t *address)
{
    counter_add(COUNT_PUB_REFUSED, 1);
    if (clock_left_ms(self->quiet_until_ms) > 0)
        return;
    owned(zstr_free) char *words = zframe_strdup(address);
    log_warning("pub_refused", "address=%s reason=unknown_key", words);
    self->quiet_until_ms = clock_deadline_ms(QUIET_MS);
}

static void
answer(zap_handler_t *self, zmsg_t *question)
{
    zframe_t *frames[ZAP_FRAMES] = {zmsg_first(question)};
    for (int i = 1; i < ZAP_FRAMES; i++)
        frames[i] = zmsg_next(question);
    if (!frames[ZAP_FRAMES - 1] || !frame_is(frames[0], "1.0")) {
        zsock_send(self->questions, "ssssss", "1.0", "", "500", "No such question", "", "");
        return;
    }
    refresh_keys(self);
    bool is_known = has_known_key(self, frames);
    if (!is_known)
        log_refused(self, frames[3]);
    zmsg_t *reply = zmsg_new();
    zmsg_addstr(reply, "1.0");
    zmsg_addmem(reply, zframe_data(frames[1]), zframe_size(frames[1]));
    zmsg_addstr(reply, is_known ? "200" : "400");
    zmsg_addstr(reply, is_known ? "OK" : "No access");
    zmsg_addstr(reply, "");
    zmsg_addstr(reply, "");
    zmsg_send(&reply, self->questions);
}

// The thread

static void
zap_handler_run(zsock_t *pipe, void *untyped)
{
    zap_handler_t *self = untyped;
    handover_take(self);
    zmq_pollitem_t items[] = {{.socket = zsock_resolve(pipe), .events = ZMQ_POLLIN},
                              {.socket = zsock_resolve(self->questions), .events = ZMQ_POLLIN},
                              {.fd = self->changes, .events = ZMQ_POLLIN}};
    zsock_signal(pipe, 0);
    while (!items[0].revents) {
        if (zmq_poll(items, self->changes >= 0 ? 3 : 2, LOOK_MS) < 0 && errno != EINTR)
            break;
        if (items[1].revents) {
            owned(zmsg_destroy) zmsg_t *question = zmsg_recv(self->questions);
            if (question)
                answer(self, question);
        } else
            refresh_keys(self);
    }
    handover_give(self);
}

static int
watch_folder(const char *folder)
{
    int changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (changes >= 0 && inotify_add_watch(changes, folder,
                                          IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
                                              IN_DELETE | IN_ATTRIB) >= 0)
        return changes;
    log_warning("pub_keys_unwatched", "folder=%s reason=%s", folder, strerror(errno));
    if (changes >= 0)
        close(changes);
    return -1;
}

fallible
zap_handler_create(const char *folder, zap_handler_t **ret_handler)
{
    zap_handler_t *self = memory_take_zeroed(sizeof *self);
    self->path = strdup(folder);
    self->folder = self->path;
    self->changes = watch_folder(folder);
    self->questions = zsock_new(ZMQ_REP);
    if (!self->questions || zsock_bind(self->questions, "%s", zap_endpoint) < 0) {
        zap_handler_destroy(&self);
        return fail(ERR_UNAVAILABLE, "pub.curve_dir", "somebody answers for keys already");
    }
    read_keys(self);
    if (self->ring.count == 0)
        log_warning("pub_keys_none", "folder=%s", folder);
    handover_give(self);
    self->thread = zactor_new(zap_handler_run, self);
    if (!self->thread) {
        zap_handler_destroy(&self);
        return fail(ERR_UNAVAILABLE, "pub.curve_dir", "no thread left");
    }
    *ret_handler = self;
    return OK;
}

void
zap_handler_destroy(zap_handler_t **self)
{
    if (!*self)
        return;
    zactor_destroy(&(*self)->thread);
    handover_take(*self);
    zsock_destroy(&(*self)->questions);
    if ((*self)->changes >= 0)
        close((*self)->changes);
    free((*self)->ring.keys);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

uint64_t
zap_handler_removals(const zap_handler_t *self)
{
    return atomic_load(&self->removals);
}
