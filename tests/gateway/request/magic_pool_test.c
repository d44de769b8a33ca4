// magic_pool_test.c - libmagic within a limit of time.
#include "gateway/request/magic_pool.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"

enum { WAIT_AT_MOST_MS = 5000 }; // 100 promised; the machine may be busy

static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0";

TestSuite(magic_pool, .timeout = 120);

Test(magic_pool, type_and_extension_are_told)
{
    struct magic_answer answer;
    cr_assert(magic_pool_ask(png, sizeof png - 1, true, &answer));
    cr_expect_str_eq(answer.media_type, "image/png");
    cr_expect_str_eq(answer.extension, "png");
}

Test(magic_pool, extension_is_told_to_who_wants_it)
{
    struct magic_answer answer;
    cr_assert(magic_pool_ask(png, sizeof png - 1, false, &answer));
    cr_expect_str_eq(answer.media_type, "image/png");
    cr_expect_str_eq(answer.extension, "");
}

Test(magic_pool, file_may_be_shorter_or_longer_than_what_is_looked_at)
{
    static char long_one[LIMIT_SNIFF_BYTES * 3];
    struct magic_answer answer;
    memcpy(long_one, png, sizeof png - 1);
    cr_assert(magic_pool_ask(long_one, sizeof long_one, true, &answer));
    cr_expect_str_eq(answer.media_type, "image/png");
    cr_assert(magic_pool_ask("", 0, true, &answer));
    cr_assert(magic_pool_ask("\1", 1, true, &answer));
}

static _Atomic unsigned asked;

static void *
ask_slowly(void *argument)
{
    static char lines[64 << 10];
    struct magic_answer answer;
    (void)argument;
    memset(lines, '\n', sizeof lines);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t begin_ms = clock_now_ms();
        magic_pool_ask(lines, sizeof lines, true, &answer);
        cr_expect_lt(clock_now_ms() - begin_ms, WAIT_AT_MOST_MS);
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

// More than the pool has threads, and more than it can answer in time: all go on.
Test(magic_pool, slow_files_hold_nobody_up)
{
    enum { ASKERS = 16 };
    pthread_t threads[ASKERS];
    struct magic_answer answer;
    for (unsigned i = 0; i < ASKERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_slowly, NULL), 0);
    for (unsigned i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(atomic_load(&asked), ASKERS * 10);
    bool is_told = false;
    for (unsigned i = 0; !is_told && i < 100; i++) // what was abandoned may still be answered
        is_told = magic_pool_ask(png, sizeof png - 1, false, &answer);
    cr_assert(is_told);
}
