// zap_handler.c - the ZAP handlers of this process, and their thread. They do not use czmq's zauth:
// its store of certificates notices a change only if the newest time (in seconds), the
// number or the total size of the files differ (czmq issue 2113), and a client that ZeroMQ refused
// once does not try again.

#include "actors/runtime/zap_handler.h"

#include <czmq.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/inotify.h>

#include "proto/base/clock.h"
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

const char *const zap_domain_names[ZAP_DOMAINS] = {[ZAP_PUB] = "pub", [ZAP_REPLICA] = "replica"};

// What the audit log says of their keys.
static const struct {
    const char *noun, *added, *removed;
} audited[ZAP_DOMAINS] = {
    [ZAP_PUB] = {"pub_key", "PUB_KEY_ADDED", "PUB_KEY_REMOVED"},
    [ZAP_REPLICA] = {"replica_key", "REPLICA_KEY_ADDED", "REPLICA_KEY_REMOVED"},
};

struct key_ring {
    char (*keys)[CURVE_KEY_SIZE]; // sorted
    size_t count;
};

struct zap_handler {
    enum zap_domain domain;
    const char *folder;
    int changes;            // inotify, or -1
    struct timespec looked; // the time of the folder when it was read
    struct key_ring ring;
    uint64_t quiet_until_ms;
    _Atomic uint64_t removals;
    char *path; // owns the folder's name
};

// Of the process.
static struct {
    pthread_mutex_t life; // one handler begins or ends at a time
    zactor_t *thread;     // while there are handlers
    zsock_t *questions;
    pthread_mutex_t lock; // guards the handlers and all that they have
    zap_handler_t *handlers[ZAP_DOMAINS];
} zap = {.life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

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
        log_warning("curve_key_unreadable", "file=%s reason=%s", name, fault_last()->detail);
        return;
    }
    if (ring->count == LIMIT_PUB_KEYS) {
        log_warning("curve_key_ignored", "file=%s limit=%d", name, LIMIT_PUB_KEYS);
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
audit_missing(enum zap_domain domain, const struct key_ring *ring, const struct key_ring *other,
              const char *operation)
{
    struct audit_event event = {.kind = AUDIT_SECURITY,
                                .operation = operation,
                                .noun = audited[domain].noun,
                                .outcome = 200};
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
        log_error("curve_keys_unreadable", "folder=%s reason=%s", self->folder, strerror(errno));
    bool is_removal =
        audit_missing(self->domain, &self->ring, &fresh, audited[self->domain].removed);
    if (!is_start)
        (void)audit_missing(self->domain, &fresh, &self->ring, audited[self->domain].added);
    free(self->ring.keys);
    self->ring = fresh;
    if (is_removal)
        atomic_fetch_add(&self->removals, 1);
    log_info("curve_keys_read", "folder=%s keys=%zu", self->folder, fresh.count);
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
    return frame_is(frames[5], "CURVE") && zframe_size(frames[6]) == 32 &&
           zmq_z85_encode(key, zframe_data(frames[6]), 32) && ring_has(&self->ring, key);
}

static void
log_refused(zap_handler_t *self, zframe_t *address)
{
    if (self->domain == ZAP_PUB)
        counter_add(COUNT_PUB_REFUSED, 1);
    if (clock_left_ms(self->quiet_until_ms) > 0)
        return;
    owned(zstr_free) char *words = zframe_strdup(address);
    log_warning(self->domain == ZAP_PUB ? "pub_refused" : "replica_refused",
                "address=%s reason=unknown_key", words);
    self->quiet_until_ms = clock_deadline_ms(QUIET_MS);
}

static zap_handler_t *
handler_of(zframe_t *domain)
{
    for (size_t i = 0; i < ZAP_DOMAINS; i++)
        if (zap.handlers[i] && frame_is(domain, zap_domain_names[i]))
            return zap.handlers[i];
    return NULL;
}

static bool
decide(zframe_t *const *frames)
{
    pthread_mutex_lock(&zap.lock);
    zap_handler_t *self = handler_of(frames[2]);
    bool is_known = false;
    if (self) {
        refresh_keys(self);
        is_known = has_known_key(self, frames);
        if (!is_known)
            log_refused(self, frames[3]);
    }
    pthread_mutex_unlock(&zap.lock);
    return is_known;
}

static void
answer(zmsg_t *question)
{
    zframe_t *frames[ZAP_FRAMES] = {zmsg_first(question)};
    for (int i = 1; i < ZAP_FRAMES; i++)
        frames[i] = zmsg_next(question);
    if (!frames[ZAP_FRAMES - 1] || !frame_is(frames[0], "1.0")) {
        zsock_send(zap.questions, "ssssss", "1.0", "", "500", "No such question", "", "");
        return;
    }
    bool is_known = decide(frames);
    zmsg_t *reply = zmsg_new();
    zmsg_addstr(reply, "1.0");
    zmsg_addmem(reply, zframe_data(frames[1]), zframe_size(frames[1]));
    zmsg_addstr(reply, is_known ? "200" : "400");
    zmsg_addstr(reply, is_known ? "OK" : "No access");
    zmsg_addstr(reply, "");
    zmsg_addstr(reply, "");
    zmsg_send(&reply, zap.questions);
}

// The thread

static void
refresh_all(void)
{
    pthread_mutex_lock(&zap.lock);
    for (size_t i = 0; i < ZAP_DOMAINS; i++)
        if (zap.handlers[i])
            refresh_keys(zap.handlers[i]);
    pthread_mutex_unlock(&zap.lock);
}

// The descriptors that tell of changes of the folders; their number.
static int
watch_changes(zmq_pollitem_t *items)
{
    int count = 0;
    pthread_mutex_lock(&zap.lock);
    for (size_t i = 0; i < ZAP_DOMAINS; i++)
        if (zap.handlers[i] && zap.handlers[i]->changes >= 0)
            items[count++] = (zmq_pollitem_t){.fd = zap.handlers[i]->changes, .events = ZMQ_POLLIN};
    pthread_mutex_unlock(&zap.lock);
    return count;
}

static void
zap_run(zsock_t *pipe, void *unused)
{
    (void)unused;
    zmq_pollitem_t items[2 + ZAP_DOMAINS] = {
        {.socket = zsock_resolve(pipe), .events = ZMQ_POLLIN},
        {.socket = zsock_resolve(zap.questions), .events = ZMQ_POLLIN}};
    zsock_signal(pipe, 0);
    while (!items[0].revents) {
        if (zmq_poll(items, 2 + watch_changes(items + 2), LOOK_MS) < 0 && errno != EINTR)
            break;
        if (items[1].revents) {
            owned(zmsg_destroy) zmsg_t *question = zmsg_recv(zap.questions);
            if (question)
                answer(question);
        } else
            refresh_all();
    }
}

static int
watch_folder(const char *folder)
{
    int changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (changes >= 0 && inotify_add_watch(changes, folder,
                                          IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
                                              IN_DELETE | IN_ATTRIB) >= 0)
        return changes;
    log_warning("curve_keys_unwatched", "folder=%s reason=%s", folder, strerror(errno));
    if (changes >= 0)
        close(changes);
    return -1;
}

// Under `life`.
static fallible
thread_start(void)
{
    if (zap.thread)
        return OK;
    zap.questions = zsock_new(ZMQ_REP);
    if (!zap.questions || zsock_bind(zap.questions, "%s", zap_endpoint) < 0) {
        zsock_destroy(&zap.questions);
        return fail(ERR_UNAVAILABLE, "", "somebody answers for keys already");
    }
    zap.thread = zactor_new(zap_run, NULL);
    if (zap.thread)
        return OK;
    zsock_destroy(&zap.questions);
    return fail(ERR_UNAVAILABLE, "", "no thread left");
}

static void
handler_free(zap_handler_t *self)
{
    if (self->changes >= 0)
        close(self->changes);
    free(self->ring.keys);
    free(self->path);
    free(self);
}

static void
enter(enum zap_domain domain, zap_handler_t *handler)
{
    pthread_mutex_lock(&zap.lock);
    zap.handlers[domain] = handler;
    pthread_mutex_unlock(&zap.lock);
}

// Under `life`.
static void
thread_stop_unless_used(void)
{
    for (size_t i = 0; i < ZAP_DOMAINS; i++)
        if (zap.handlers[i])
            return;
    zactor_destroy(&zap.thread);
    zsock_destroy(&zap.questions);
}

fallible
zap_handler_create(enum zap_domain domain, const char *folder, zap_handler_t **ret_handler)
{
    zap_handler_t *self = memory_take_zeroed(sizeof *self);
    self->domain = domain;
    self->path = strdup(folder);
    self->folder = self->path;
    self->changes = watch_folder(folder);
    read_keys(self);
    if (self->ring.count == 0)
        log_warning("curve_keys_none", "folder=%s", folder);
    pthread_mutex_lock(&zap.life);
    enum error error = thread_start();
    if (error == OK && zap.handlers[domain])
        error = fail(ERR_UNAVAILABLE, "", "somebody answers for these keys already");
    if (error == OK)
        enter(domain, self);
    pthread_mutex_unlock(&zap.life);
    if (error != OK)
        handler_free(self);
    else
        *ret_handler = self;
    return error;
}

void
zap_handler_destroy(zap_handler_t **self)
{
    if (!*self)
        return;
    pthread_mutex_lock(&zap.life);
    enter((*self)->domain, NULL);
    thread_stop_unless_used();
    pthread_mutex_unlock(&zap.life);
    handler_free(*self);
    *self = NULL;
}

uint64_t
zap_handler_removals(const zap_handler_t *self)
{
    return atomic_load(&self->removals);
}
