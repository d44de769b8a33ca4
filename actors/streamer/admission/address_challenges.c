// address_challenges.c - keyed hashes, and how many each address got lately (address_challenges.h).

#include "actors/streamer/admission/address_challenges.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/base/token.h"

// When the last challenges were sent to one address.
struct challenged {
    unsigned char ip[UDP_ENDPOINT_IP_BYTES];
    uint64_t sent_ms[CHALLENGES_PER_ADDRESS]; // a ring; 0 = none yet
    unsigned next;                            // place of the oldest
    struct challenged *newer;
};

struct address_challenges {
    unsigned char key[TOKEN_KEY_BYTES];
    struct table addresses;             // struct challenged by its IP
    struct challenged *oldest, *newest; // by their first challenge
};

address_challenges_t *
address_challenges_create(void)
{
    address_challenges_t *self = memory_take_zeroed(sizeof *self);
    randombytes_buf(self->key, sizeof self->key);
    return self;
}

void
address_challenges_destroy(address_challenges_t **self)
{
    if (!*self)
        return;
    for (struct challenged *address = (*self)->oldest, *newer; address; address = newer) {
        newer = address->newer;
        free(address);
    }
    table_finish(&(*self)->addresses);
    sodium_memzero((*self)->key, sizeof(*self)->key);
    free(*self);
    *self = NULL;
}

// --- challenges ---

static void
challenge_in(const address_challenges_t *self, const union udp_endpoint *endpoint,
             const char *token_hash, uint64_t slice, char ret_challenge[CHALLENGE_SIZE])
{
    struct {
        unsigned char ip[UDP_ENDPOINT_IP_BYTES];
        uint64_t slice;
        char token_hash[FEED_TOKEN_HASH_SIZE];
        uint16_t port;
    } about;
    memset(&about, 0, sizeof about); // the padding is hashed too
    udp_endpoint_ip(endpoint, about.ip);
    about.slice = slice;
    memcpy(about.token_hash, token_hash, sizeof about.token_hash);
    about.port = (uint16_t)udp_endpoint_port(endpoint);
    token_digest(&about, sizeof about, self->key, ret_challenge, CHALLENGE_SIZE);
}

void
address_challenges_make(const address_challenges_t *self, const union udp_endpoint *endpoint,
                        const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                        char ret_challenge[CHALLENGE_SIZE])
{
    challenge_in(self, endpoint, token_hash, now_ms / CHALLENGE_SLICE_MS, ret_challenge);
}

bool
address_challenges_check(const address_challenges_t *self, const union udp_endpoint *endpoint,
                         const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms,
                         const char challenge[CHALLENGE_SIZE])
{
    uint64_t slice = now_ms / CHALLENGE_SLICE_MS;
    for (uint64_t age = 0; age < 2; age++) {
        char sent[CHALLENGE_SIZE];
        challenge_in(self, endpoint, token_hash, slice - age, sent);
        if (sodium_memcmp(sent, challenge, CHALLENGE_SIZE) == 0)
            return true;
    }
    return false;
}

// --- limits ---

static uint64_t
place_of(const unsigned char ip[UDP_ENDPOINT_IP_BYTES])
{
    uint64_t halves[2];
    memcpy(halves, ip, sizeof halves);
    return table_hash_u64(halves[0] ^ table_hash_u64(halves[1]));
}

static bool
has_ip(const void *value, const void *key)
{
    return memcmp(((const struct challenged *)value)->ip, key, UDP_ENDPOINT_IP_BYTES) == 0;
}

static bool
is_over(uint64_t sent_ms, uint64_t now_ms)
{
    return sent_ms == 0 || sent_ms + CHALLENGES_WITHIN_MS <= now_ms;
}

// When the last challenge was sent.
static uint64_t
newest_ms(const struct challenged *address)
{
    return address->sent_ms[(address->next + CHALLENGES_PER_ADDRESS - 1) % CHALLENGES_PER_ADDRESS];
}

static void
append(address_challenges_t *self, struct challenged *address)
{
    address->newer = NULL;
    if (self->newest)
        self->newest->newer = address;
    else
        self->oldest = address;
    self->newest = address;
}

// Looks at the first addresses of the list: frees those that got nothing lately, moves others to
// the end.
static void
forget_some(address_challenges_t *self, uint64_t now_ms)
{
    enum { LOOKED_AT = 4 }; // more than are added, so that the table shrinks again
    for (unsigned i = 0; i < LOOKED_AT && self->oldest; i++) {
        struct challenged *address = self->oldest;
        self->oldest = address->newer;
        if (!self->oldest)
            self->newest = NULL;
        if (!is_over(newest_ms(address), now_ms)) {
            append(self, address);
            continue;
        }
        table_remove(&self->addresses, place_of(address->ip), address);
        free(address);
    }
}

static struct challenged *
find_or_add(address_challenges_t *self, const unsigned char ip[UDP_ENDPOINT_IP_BYTES],
            uint64_t now_ms)
{
    struct challenged *address = table_find(&self->addresses, place_of(ip), has_ip, ip);
    if (address)
        return address;
    forget_some(self, now_ms);
    if (self->addresses.count >= CHALLENGED_ADDRESSES)
        return NULL;
    address = memory_take_zeroed(sizeof *address);
    memcpy(address->ip, ip, UDP_ENDPOINT_IP_BYTES);
    table_add(&self->addresses, place_of(ip), address);
    append(self, address);
    return address;
}

bool
address_challenges_spend(address_challenges_t *self, const union udp_endpoint *endpoint,
                         uint64_t now_ms)
{
    unsigned char ip[UDP_ENDPOINT_IP_BYTES];
    udp_endpoint_ip(endpoint, ip);
    struct challenged *address = find_or_add(self, ip, now_ms);
    if (!address || !is_over(address->sent_ms[address->next], now_ms))
        return false;
    address->sent_ms[address->next] = now_ms;
    address->next = (address->next + 1) % CHALLENGES_PER_ADDRESS;
    return true;
}
