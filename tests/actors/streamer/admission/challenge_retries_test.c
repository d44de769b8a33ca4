// challenge_retries_test.c - when challenges to registered addresses are sent again.
#include "actors/streamer/admission/challenge_retries.h"

#include <criterion/criterion.h>

#define TOKEN_HASH "0123456789abcdef0123456789abcdef"

static struct challenge_retries retries;

static void
end(void)
{
    challenge_retries_finish(&retries);
}

TestSuite(challenge_retries, .fini = end);

static void
add(int port, uint64_t now_ms)
{
    union udp_endpoint endpoint;
    cr_assert(udp_endpoint_from(AF_INET, "192.0.2.1", port, &endpoint));
    challenge_retries_add(&retries, &endpoint, TOKEN_HASH, now_ms);
}

// The port of the retry that is due; 0 if none is.
static int
take(uint64_t now_ms)
{
    struct challenge_retry retry;
    if (!challenge_retries_take(&retries, now_ms, &retry))
        return 0;
    cr_expect_str_eq(retry.token_hash, TOKEN_HASH);
    return ntohs(retry.endpoint.v4.sin_port);
}

Test(challenge_retries, a_challenge_is_repeated_after_one_second_and_after_four)
{
    add(9000, 5000);
    cr_assert_eq(challenge_retries_due_ms(&retries), 6000);
    cr_assert_eq(take(5999), 0);
    cr_assert_eq(take(6000), 9000);
    cr_assert_eq(challenge_retries_due_ms(&retries), 9000);
    cr_assert_eq(take(8999), 0);
    cr_assert_eq(take(9000), 9000);
    cr_assert_eq(take(100000), 0);
    cr_assert_eq(challenge_retries_due_ms(&retries), UINT64_MAX);
}

Test(challenge_retries, each_has_its_own_time)
{
    add(9000, 5000);
    add(9001, 5500);
    cr_assert_eq(take(6000), 9000);
    cr_assert_eq(take(6000), 0);
    cr_assert_eq(take(6500), 9001);
    cr_assert_eq(take(9000), 9000);
    cr_assert_eq(take(9000), 0);
    cr_assert_eq(take(9500), 9001);
}

Test(challenge_retries, more_than_fit_are_not_repeated)
{
    for (int i = 0; i <= CHALLENGE_RETRIES_WAITING; i++)
        add(i < CHALLENGE_RETRIES_WAITING ? 9000 : 9001, 5000);
    for (int i = 0; i < 2 * CHALLENGE_RETRIES_WAITING; i++)
        cr_assert_eq(take(100000 + (i < CHALLENGE_RETRIES_WAITING ? 0 : 3000)), 9000);
    cr_assert_eq(take(200000), 0);
}
