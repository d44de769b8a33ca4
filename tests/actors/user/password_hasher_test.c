// password_hasher_test.c - the thread that hashes passwords.
#include "actors/user/password_hasher.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"

enum { WAIT_MS = 60000 };

static mailbox_t *asker;
static password_t *password;

static void
begin(void)
{
    cr_assert_eq(mailbox_create("asker", false, &asker), OK);
    cr_assert_eq(password_create("password", &password), OK);
}

static void
end(void)
{
    password_destroy(&password, asker);
    mailbox_destroy(&asker);
}

TestSuite(password_hasher, .init = begin, .fini = end);

// Hashes `words`, or compares them with `hash`; the answer is yours.
static struct message *
work(const char *words, const char *hash, uint64_t deadline_ms)
{
    struct message *message = message_create(PASSWORD_WORK);
    message->id = 7;
    message->deadline_ms = deadline_ms;
    message->parcel = &password_job_create(text_from(&message->arena, words), hash)->base;
    cr_assert_eq(mailbox_send(asker, "password", &message), OK);
    message = mailbox_receive(asker, WAIT_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, PASSWORD_DONE);
    cr_assert_eq(message->id, 7);
    return message;
}

Test(password_hasher, a_hash_is_argon2id_and_matches_its_password_alone)
{
    owned(message_destroy) struct message *made = work("secret", NULL, 0);
    const char *hash = password_job_of(made)->hash;
    cr_assert(password_job_of(made)->is_done);
    cr_assert_eq(strncmp(hash, "$argon2id$v=19$m=65536,t=2,p=1$", 31), 0, "%s", hash);
    owned(message_destroy) struct message *same = work("secret", hash, 0);
    cr_assert(password_job_of(same)->is_done && password_job_of(same)->matches);
    owned(message_destroy) struct message *other = work("secret ", hash, 0);
    cr_assert(password_job_of(other)->is_done);
    cr_assert_not(password_job_of(other)->matches);
}

Test(password_hasher, it_is_wiped_when_the_work_is_done)
{
    owned(message_destroy) struct message *made = work("secret", NULL, 0);
    const struct password_job *job = password_job_of(made);
    cr_assert_eq(job->size, 6);
    cr_assert_eq(memcmp(job->password, "\0\0\0\0\0\0", 6), 0);
}

Test(password_hasher, what_nobody_waits_for_any_more_is_not_done)
{
    owned(message_destroy) struct message *late = work("secret", NULL, clock_now_ms());
    cr_assert_not(password_job_of(late)->is_done);
    cr_assert_str_eq(password_job_of(late)->hash, "");
}

Test(password_hasher, what_would_come_too_late_is_not_begun_until_it_may_be_done_again)
{
    uint64_t began_ms = clock_now_ms();
    owned(message_destroy) struct message *first = work("secret", NULL, 0);
    uint64_t took_ms = clock_now_ms() - began_ms;
    owned(message_destroy) struct message *late =
        work("secret", NULL, clock_now_ms() + took_ms / 8);
    cr_assert_not(password_job_of(late)->is_done);
    owned(message_destroy) struct message *next = work("secret", NULL, clock_now_ms() + WAIT_MS);
    cr_assert(password_job_of(next)->is_done);
}

Test(password_hasher, what_is_no_hash_matches_nothing)
{
    owned(message_destroy) struct message *checked = work("secret", "$argon2id$", 0);
    cr_assert(password_job_of(checked)->is_done);
    cr_assert_not(password_job_of(checked)->matches);
}
