// name_resolver_test.c - names are looked up on a thread of their own; the never list holds for
// answers.

#include "actors/streamer/admission/name_resolver.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static struct arena arena;
static name_resolver_t *resolver;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; // held: look-ups hang

// Names of the test: "mixed" has a forbidden address before an allowed one.
static size_t
lookup(int family, const char *host, char (*ret_addresses)[DESTINATION_ADDRESS_SIZE])
{
    (void)family;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    if (strcmp(host, "nobody") == 0)
        return 0;
    strcpy(ret_addresses[0], strcmp(host, "linklocal") == 0 ? "169.254.169.254" : "127.0.0.1");
    strcpy(ret_addresses[1], "192.0.2.1");
    return strcmp(host, "mixed") == 0 ? 2 : 1;
}

static bool is_loopback; // the peer who asks

static void
start_for(bool peer_is_loopback)
{
    arena_init(&arena);
    is_loopback = peer_is_loopback;
    cr_assert_eq(name_resolver_create(lookup, AF_INET, &resolver), OK);
}

static void
end(void)
{
    name_resolver_destroy(&resolver);
    arena_finish(&arena);
}

TestSuite(name_resolver, .fini = end);

static bool
ask(const char *host)
{
    struct resolution *question = resolution_create(text_from(&arena, "device"));
    strcpy(question->host, host);
    question->ticket = 3;
    question->peer_is_loopback = is_loopback;
    if (name_resolver_ask(resolver, &question))
        return true;
    resolution_destroy(&question);
    return false;
}

static struct resolution *
wait_for_answer(void)
{
    struct resolution *answer = NULL;
    for (int i = 0; i < 5000 && !answer; i++) {
        answer = name_resolver_answer(resolver);
        if (!answer)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert_not_null(answer);
    return answer;
}

static void
expect_address(const char *host, const char *address)
{
    cr_assert(ask(host));
    struct resolution *answer = wait_for_answer();
    cr_expect_str_eq(answer->address, address);
    cr_expect_str_eq(answer->host, host);
    cr_expect_eq(answer->ticket, 3);
    cr_expect(text_is(answer->key, "device"));
    resolution_destroy(&answer);
}

Test(name_resolver, the_first_address_that_may_be_sent_to_is_the_answer)
{
    start_for(false);
    expect_address("mixed", "192.0.2.1");
}

Test(name_resolver, a_name_that_leads_to_a_forbidden_address_only_has_no_answer)
{
    start_for(false);
    expect_address("loopback", "");
    expect_address("linklocal", "");
}

Test(name_resolver, a_device_that_registers_from_loopback_may_be_sent_to_there)
{
    start_for(true);
    expect_address("loopback", "127.0.0.1");
    expect_address("linklocal", "");
}

Test(name_resolver, an_unknown_name_has_no_answer)
{
    start_for(false);
    expect_address("nobody", "");
}

Test(name_resolver, it_is_busy_until_the_answer_is_taken)
{
    start_for(false);
    cr_assert(!name_resolver_is_busy(resolver));
    cr_assert(ask("mixed"));
    cr_assert(name_resolver_is_busy(resolver));
    struct resolution *answer = wait_for_answer();
    cr_assert(!name_resolver_is_busy(resolver));
    resolution_destroy(&answer);
}

Test(name_resolver, questions_beyond_the_limit_are_refused)
{
    start_for(false);
    pthread_mutex_lock(&gate);
    for (unsigned i = 0; i < NAME_RESOLVER_QUESTIONS; i++)
        cr_assert(ask("mixed"));
    cr_assert(!ask("mixed"));
    pthread_mutex_unlock(&gate);
}

Test(name_resolver, the_end_does_not_wait_for_a_look_up_that_hangs)
{
    start_for(false);
    pthread_mutex_lock(&gate);
    cr_assert(ask("mixed"));
    name_resolver_destroy(&resolver);
    cr_assert_null(resolver);
    pthread_mutex_unlock(&gate);
}
