// address_challenges_test.c - proofs of addresses without state, and how many challenges an address
// gets.
#include "actors/streamer/admission/address_challenges.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"

#define TOKEN_HASH "0123456789abcdef0123456789abcdef"
#define OTHER_HASH "1123456789abcdef0123456789abcdef"
enum { START_MS = 90000 }; // the beginning of a slice

static address_challenges_t *challenges;

static void
start(void)
{
    challenges = address_challenges_create();
}

static void
end(void)
{
    address_challenges_destroy(&challenges);
}

TestSuite(address_challenges, .init = start, .fini = end);

static union udp_endpoint
at_family(int family, const char *address, int port)
{
    union udp_endpoint endpoint;
    cr_assert(udp_endpoint_from(family, address, port, &endpoint));
    return endpoint;
}

static union udp_endpoint
at(const char *address, int port)
{
    return at_family(AF_INET, address, port);
}

Test(address_challenges, a_challenge_is_met_from_its_endpoint_with_its_token_alone)
{
    union udp_endpoint here = at("192.0.2.1", 9000), port = at("192.0.2.1", 9001),
                       address = at("192.0.2.2", 9000);
    char sent[CHALLENGE_SIZE];
    address_challenges_make(challenges, &here, TOKEN_HASH, START_MS, sent);
    cr_assert_eq(strlen(sent), 32);
    cr_assert_eq(strspn(sent, "0123456789abcdef"), 32);
    cr_assert(address_challenges_check(challenges, &here, TOKEN_HASH, START_MS, sent));
    cr_assert(!address_challenges_check(challenges, &port, TOKEN_HASH, START_MS, sent));
    cr_assert(!address_challenges_check(challenges, &address, TOKEN_HASH, START_MS, sent));
    cr_assert(!address_challenges_check(challenges, &here, OTHER_HASH, START_MS, sent));
    sent[31] ^= 1;
    cr_assert(!address_challenges_check(challenges, &here, TOKEN_HASH, START_MS, sent));
}

Test(address_challenges, a_challenge_is_good_for_its_slice_and_the_next)
{
    union udp_endpoint here = at("192.0.2.1", 9000);
    char sent[CHALLENGE_SIZE];
    address_challenges_make(challenges, &here, TOKEN_HASH, START_MS, sent);
    cr_assert(address_challenges_check(challenges, &here, TOKEN_HASH, START_MS + 59999, sent));
    cr_assert(!address_challenges_check(challenges, &here, TOKEN_HASH, START_MS + 60000, sent));
    cr_assert(!address_challenges_check(challenges, &here, TOKEN_HASH, START_MS - 1, sent));
}

Test(address_challenges, what_another_start_sent_proves_nothing)
{
    union udp_endpoint here = at("192.0.2.1", 9000);
    char sent[CHALLENGE_SIZE];
    owned(address_challenges_destroy) address_challenges_t *before = address_challenges_create();
    address_challenges_make(before, &here, TOKEN_HASH, START_MS, sent);
    cr_assert(!address_challenges_check(challenges, &here, TOKEN_HASH, START_MS, sent));
}

Test(address_challenges, an_address_gets_ten_in_any_minute_whatever_the_ports)
{
    for (int i = 0; i < CHALLENGES_PER_ADDRESS; i++) {
        union udp_endpoint endpoint = at("192.0.2.1", 9000 + i);
        cr_assert(address_challenges_spend(challenges, &endpoint, START_MS + (uint64_t)i * 1000));
    }
    union udp_endpoint here = at("192.0.2.1", 9000), other = at("192.0.2.2", 9000);
    cr_assert(!address_challenges_spend(challenges, &here, START_MS + 59999));
    cr_assert(address_challenges_spend(challenges, &other, START_MS + 59999));
    cr_assert(address_challenges_spend(challenges, &here, START_MS + 60000),
              "the first is a minute old");
    cr_assert(!address_challenges_spend(challenges, &here, START_MS + 60999));
    cr_assert(address_challenges_spend(challenges, &here, START_MS + 61000));
}

Test(address_challenges, ipv4_that_is_mapped_to_ipv6_is_the_same_address)
{
    union udp_endpoint v4 = at("192.0.2.1", 9000), v6 = at_family(AF_INET6, "192.0.2.1", 9000);
    for (int i = 0; i < CHALLENGES_PER_ADDRESS; i++)
        cr_assert(address_challenges_spend(challenges, i % 2 ? &v4 : &v6, START_MS));
    cr_assert(!address_challenges_spend(challenges, &v4, START_MS));
    cr_assert(!address_challenges_spend(challenges, &v6, START_MS));
}

// A number of an address, all of one network.
static union udp_endpoint
numbered(unsigned number)
{
    char address[32];
    snprintf(address, sizeof address, "10.%u.%u.%u", number >> 16, number >> 8 & 255, number & 255);
    return at(address, 9000);
}

Test(address_challenges, what_many_addresses_take_is_bounded_and_comes_back)
{
    for (unsigned i = 0; i < CHALLENGED_ADDRESSES; i++) {
        union udp_endpoint endpoint = numbered(i);
        cr_assert(address_challenges_spend(challenges, &endpoint, START_MS));
    }
    union udp_endpoint further = numbered(CHALLENGED_ADDRESSES), first = numbered(0);
    cr_assert(!address_challenges_spend(challenges, &further, START_MS + 59999));
    cr_assert(address_challenges_spend(challenges, &first, START_MS + 59999), "it is one of them");
    for (int i = 0; i < 4; i++) {
        union udp_endpoint endpoint = numbered(CHALLENGED_ADDRESSES + 1 + (unsigned)i);
        cr_assert(address_challenges_spend(challenges, &endpoint, START_MS + 60000));
    }
}
