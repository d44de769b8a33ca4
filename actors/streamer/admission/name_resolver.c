// name_resolver.c - one thread, two queues, one lock (name_resolver.h). The caller and the thread
// share the state, and the last of them frees it: getaddrinfo cannot be interrupted, and a server
// that stops must not wait for a name server.

#include "actors/streamer/admission/name_resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"

enum { NAME_SERVER_SECONDS = 2 };

struct resolutions {
    struct resolution *first;
    struct resolution **end;
};

struct name_resolver {
    name_resolver_lookup *lookup;
    int family;
    pthread_mutex_t lock; // guards all that follows
    pthread_cond_t changed;
    struct resolutions questions;
    struct resolutions answers;
    unsigned pending; // asked, and the answer not yet taken
    unsigned owners;
    bool ended;
};

struct resolution *
resolution_create(const struct text *device_key)
{
    size_t size = text_size(device_key);
    struct resolution *self = memory_take_zeroed(sizeof *self + sizeof(struct text) + size + 1);
    struct text *key = (struct text *)(self + 1);
    key->size = (uint32_t)size;
    memcpy(key->data, text_bytes(device_key), size);
    self->key = key;
    return self;
}

void
resolution_destroy(struct resolution **self)
{
    free(*self);
    *self = NULL;
}

static void
resolutions_put(struct resolutions *self, struct resolution *resolution)
{
    resolution->next = NULL;
    if (!self->first)
        self->end = &self->first;
    *self->end = resolution;
    self->end = &resolution->next;
}

static struct resolution *
resolutions_take(struct resolutions *self)
{
    struct resolution *first = self->first;
    if (first)
        self->first = first->next;
    return first;
}

static void
resolutions_finish(struct resolutions *self)
{
    struct resolution *resolution;
    while ((resolution = resolutions_take(self)) != NULL)
        resolution_destroy(&resolution);
}

// Called with the lock held, which it releases.
static void
name_resolver_leave(name_resolver_t *self)
{
    bool is_last = --self->owners == 0;
    pthread_mutex_unlock(&self->lock);
    if (!is_last)
        return;
    resolutions_finish(&self->questions);
    resolutions_finish(&self->answers);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

size_t
name_resolver_lookup_system(int family, const char *host,
                            char (*ret_addresses)[DESTINATION_ADDRESS_SIZE])
{
    struct addrinfo hints = {.ai_family = family == AF_INET ? AF_INET : AF_UNSPEC,
                             .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        return 0;
    size_t count = 0;
    for (struct addrinfo *info = found; info && count < NAME_RESOLVER_ADDRESSES;
         info = info->ai_next)
        if (getnameinfo(info->ai_addr, info->ai_addrlen, ret_addresses[count],
                        DESTINATION_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST) == 0)
            count++;
    freeaddrinfo(found);
    return count;
}

static void
name_resolver_resolve(const name_resolver_t *self, struct resolution *question)
{
    char addresses[NAME_RESOLVER_ADDRESSES][DESTINATION_ADDRESS_SIZE];
    if (clock_now_ms() > question->deadline_ms)
        return;
    size_t count = self->lookup(self->family, question->host, addresses);
    for (size_t i = 0; i < count; i++)
        if (destination_address_allowed(addresses[i], question->peer_is_loopback)) {
            memcpy(question->address, addresses[i], sizeof question->address);
            return;
        }
}

// In glibc this state belongs to the thread, so other threads are not affected.
static void
name_resolver_limit_time(void)
{
    if (res_init() != 0)
        return;
    _res.retrans = NAME_SERVER_SECONDS;
    _res.retry = 1;
}

static void *
name_resolver_run(void *argument)
{
    name_resolver_t *self = argument;
    name_resolver_limit_time();
    pthread_mutex_lock(&self->lock);
    while (!self->ended) {
        struct resolution *question = resolutions_take(&self->questions);
        if (!question) {
            pthread_cond_wait(&self->changed, &self->lock);
            continue;
        }
        pthread_mutex_unlock(&self->lock);
        name_resolver_resolve(self, question);
        pthread_mutex_lock(&self->lock);
        resolutions_put(&self->answers, question);
    }
    name_resolver_leave(self);
    return NULL;
}

fallible
name_resolver_create(name_resolver_lookup *lookup, int family, name_resolver_t **ret_resolver)
{
    name_resolver_t *self = memory_take_zeroed(sizeof *self);
    *self = (name_resolver_t){.lookup = lookup, .family = family, .owners = 2};
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, name_resolver_run, self) != 0) {
        self->owners = 1;
        pthread_mutex_lock(&self->lock);
        name_resolver_leave(self);
        return fail(ERR_UNAVAILABLE, "", "no thread left for the resolver");
    }
    pthread_detach(thread);
    *ret_resolver = self;
    return OK;
}

void
name_resolver_destroy(name_resolver_t **self)
{
    if (!*self)
        return;
    pthread_mutex_lock(&(*self)->lock);
    (*self)->ended = true;
    pthread_cond_signal(&(*self)->changed);
    name_resolver_leave(*self);
    *self = NULL;
}

bool
name_resolver_ask(name_resolver_t *self, struct resolution **question)
{
    pthread_mutex_lock(&self->lock);
    bool has_room = self->pending < NAME_RESOLVER_QUESTIONS;
    if (has_room) {
        self->pending++;
        (*question)->deadline_ms = clock_deadline_ms(NAME_RESOLVER_DEADLINE_MS);
        resolutions_put(&self->questions, *question);
        *question = NULL;
        pthread_cond_signal(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return has_room;
}

struct resolution *
name_resolver_answer(name_resolver_t *self)
{
    pthread_mutex_lock(&self->lock);
    struct resolution *answer = resolutions_take(&self->answers);
    if (answer)
        self->pending--;
    pthread_mutex_unlock(&self->lock);
    return answer;
}

bool
name_resolver_is_busy(name_resolver_t *self)
{
    pthread_mutex_lock(&self->lock);
    bool is_busy = self->pending > 0;
    pthread_mutex_unlock(&self->lock);
    return is_busy;
}
