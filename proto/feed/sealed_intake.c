// sealed_intake.c - keys and windows by id, under a lock (sealed_intake.h). The receiver alone
// opens, and registrations are rare, so that nobody waits for long.

#include "proto/feed/sealed_intake.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/feed/replay_window.h"

// One registration.
struct sealed_device {
    unsigned char id[SEAL_ID_BYTES];
    unsigned char key[SEAL_KEY_BYTES]; // of what the device sends
    char token_hash[FEED_TOKEN_HASH_SIZE];
    bool is_new; // no session yet, and the first one is good
    bool has_session;
    uint64_t session;
    unsigned char session_key[SEAL_KEY_BYTES];
    struct replay_window window;
};

struct sealed_intake {
    pthread_mutex_t lock;
    struct table devices; // struct sealed_device by id
};

sealed_intake_t *
sealed_intake_create(void)
{
    sealed_intake_t *self = memory_take_zeroed(sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void
sealed_device_destroy(struct sealed_device *self)
{
    sodium_memzero(self, sizeof *self);
    free(self);
}

void
sealed_intake_destroy(sealed_intake_t **self)
{
    size_t cursor = 0;
    struct sealed_device *device;
    if (!*self)
        return;
    while ((device = table_next(&(*self)->devices, &cursor)) != NULL)
        sealed_device_destroy(device);
    table_finish(&(*self)->devices);
    pthread_mutex_destroy(&(*self)->lock);
    free(*self);
    *self = NULL;
}

// --- registrations ---

static bool
has_id(const void *value, const void *key)
{
    return memcmp(((const struct sealed_device *)value)->id, key, SEAL_ID_BYTES) == 0;
}

static uint64_t
place_of(const unsigned char id[SEAL_ID_BYTES])
{
    uint64_t place;
    memcpy(&place, id, sizeof place);
    return table_hash_u64(place);
}

static struct sealed_device *
find(const sealed_intake_t *self, const unsigned char id[SEAL_ID_BYTES])
{
    return table_find(&self->devices, place_of(id), has_id, id);
}

// Under the lock: the registration that has a token with this hash, or NULL.
static struct sealed_device *
find_registered(const sealed_intake_t *self, const char token_hash[FEED_TOKEN_HASH_SIZE])
{
    unsigned char id[SEAL_ID_BYTES];
    feed_seal_id(token_hash, id);
    struct sealed_device *device = find(self, id);
    return device && memcmp(device->token_hash, token_hash, FEED_TOKEN_HASH_SIZE) == 0 ? device
                                                                                       : NULL;
}

// The hash of the token of a device that seals; NULL of another one.
static const char *
token_hash_of(const struct device *device, unsigned char ret_key[SEAL_KEY_BYTES])
{
    return text_size(device->token) == FEED_TOKEN_HASH_SIZE - 1 &&
                   feed_seal_read_key(device_rare_of(device)->seal_key, ret_key)
               ? text_chars(device->token)
               : NULL;
}

void
sealed_intake_put(sealed_intake_t *self, const struct device *device, bool is_old)
{
    unsigned char key[SEAL_KEY_BYTES];
    const char *token_hash = token_hash_of(device, key);
    if (!token_hash)
        return;
    pthread_mutex_lock(&self->lock);
    if (!find_registered(self, token_hash)) {
        struct sealed_device *sealed = memory_take_zeroed(sizeof *sealed);
        feed_seal_id(token_hash, sealed->id);
        feed_seal_derive(key, SEAL_TO_SERVER, sealed->key);
        memcpy(sealed->token_hash, token_hash, sizeof sealed->token_hash);
        sealed->is_new = !is_old;
        table_add(&self->devices, place_of(sealed->id), sealed);
    }
    pthread_mutex_unlock(&self->lock);
    sodium_memzero(key, sizeof key);
}

void
sealed_intake_remove(sealed_intake_t *self, const struct device *device)
{
    unsigned char key[SEAL_KEY_BYTES];
    const char *token_hash = token_hash_of(device, key);
    if (!token_hash)
        return;
    sodium_memzero(key, sizeof key);
    pthread_mutex_lock(&self->lock);
    struct sealed_device *sealed = find_registered(self, token_hash);
    if (sealed) {
        table_remove(&self->devices, place_of(sealed->id), sealed);
        sealed_device_destroy(sealed);
    }
    pthread_mutex_unlock(&self->lock);
}

// --- datagrams ---

static bool
is_in_session(const struct sealed_device *self, uint64_t session)
{
    return self->has_session && self->session == session;
}

static void
begin_session(struct sealed_device *self, uint64_t session, uint64_t next)
{
    self->is_new = false;
    self->has_session = true;
    self->session = session;
    struct seal_head head = {.session = session};
    memcpy(head.id, self->id, sizeof head.id);
    feed_seal_session_key(self->key, &head, self->session_key);
    replay_window_begin(&self->window, next);
}

static bool
open_locked(const sealed_intake_t *self, const void *data, size_t size, struct buffer *out,
            struct sealed_sender *sender, enum metric_cell *ret_reason)
{
    struct seal_head head;
    *ret_reason = COUNT_UDP_DROP_JSON;
    if (!feed_seal_read_head(data, size, &head))
        return false;
    struct sealed_device *device = find(self, head.id);
    *ret_reason = COUNT_UDP_DROP_TOKEN;
    if (!device)
        return false;
    bool is_of_now = is_in_session(device, head.session);
    *ret_reason = COUNT_UDP_DROP_REPLAYED;
    if (is_of_now && !replay_window_takes(&device->window, head.counter))
        return false;
    *ret_reason = COUNT_UDP_DROP_FORGED;
    if (!(is_of_now ? feed_seal_open_in_session(device->session_key, data, size, out)
                    : feed_seal_open(device->key, data, size, out)))
        return false;
    if (device->is_new)
        begin_session(device, head.session, 0);
    *sender = (struct sealed_sender){.session = head.session,
                                     .counter = head.counter,
                                     .is_admitted = is_in_session(device, head.session)};
    memcpy(sender->token_hash, device->token_hash, sizeof sender->token_hash);
    if (sender->is_admitted)
        replay_window_note(&device->window, head.counter);
    return true;
}

bool
sealed_intake_open(sealed_intake_t *self, const void *data, size_t size, struct buffer *out,
                   struct sealed_sender *ret_sender, enum metric_cell *ret_reason)
{
    buffer_clear(out);
    pthread_mutex_lock(&self->lock);
    bool is_open = open_locked(self, data, size, out, ret_sender, ret_reason);
    pthread_mutex_unlock(&self->lock);
    return is_open;
}

// --- sessions ---

uint64_t
sealed_intake_session(sealed_intake_t *self, const char token_hash[FEED_TOKEN_HASH_SIZE])
{
    pthread_mutex_lock(&self->lock);
    const struct sealed_device *device = find_registered(self, token_hash);
    uint64_t session = device && device->has_session ? device->session : 0;
    pthread_mutex_unlock(&self->lock);
    return session;
}

void
sealed_intake_admit(sealed_intake_t *self, const struct sealed_sender *sender)
{
    pthread_mutex_lock(&self->lock);
    struct sealed_device *device = find_registered(self, sender->token_hash);
    if (device && !is_in_session(device, sender->session))
        begin_session(device, sender->session, sender->counter + 1);
    pthread_mutex_unlock(&self->lock);
}
