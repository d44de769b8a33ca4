// magic_pool.c - a few threads with a line of questions. They have a large stack, because
// libmagic's recursion follows the depth of a file, and each has libmagic's data for itself. Who
// asks waits for a while; a question that nobody waits for any more is not begun.
#include "gateway/request/magic_pool.h"

#include <magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum {
    THREADS = 2,
    STACK_BYTES = 1 << 20,
    QUESTIONS_MOST = 64,
    REGEX_BYTES = 512,           // that a regular expression looks at: it takes time for each line
    THREAD_LIMIT_US = 10 * 1000, // of a thread's own time: a busy machine changes no file's type
    WAIT_MS = 100,
    LOAD_MS = 5000, // libmagic's data are read once, by who asks first
    LOOK_MS = 5,    // between two looks at how long it has taken
};

// A question; whoever of the two leaves it last frees it.
struct question {
    struct question *next;
    bool wants_extension, is_begun, is_done, is_abandoned;
    clockid_t clock; // of the thread that has begun it
    uint64_t begin_us;
    struct magic_answer answer;
    size_t size;
    char head[LIMIT_SNIFF_BYTES];
};

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t asked, answered;
    pthread_once_t once;
    struct question *first; // of those that wait
    unsigned count;
    unsigned ready; // threads that have libmagic's data
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .asked = PTHREAD_COND_INITIALIZER,
    .answered = PTHREAD_COND_INITIALIZER,
    .once = PTHREAD_ONCE_INIT,
};

static uint64_t
spent_us(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

// --- the threads of the pool ---

static magic_t
library_load(int flags)
{
    size_t regex_bytes = REGEX_BYTES;
    magic_t cookie = magic_open(flags | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF);
    if (cookie && magic_load(cookie, NULL) == 0) {
        magic_setparam(cookie, MAGIC_PARAM_REGEX_MAX, &regex_bytes);
        return cookie;
    }
    log_warning("magic_missing", "reason=%s", cookie ? magic_error(cookie) : "no memory");
    if (cookie)
        magic_close(cookie);
    return NULL;
}

static void
take_type(const char *found, struct magic_answer *ret)
{
    if (found && strlen(found) < sizeof ret->media_type)
        snprintf(ret->media_type, sizeof ret->media_type, "%s", found);
}

// "jpeg/jpg/jpe": the first one. "???" is libmagic's word for none.
static void
take_extension(const char *found, struct magic_answer *ret)
{
    size_t size = found ? strcspn(found, "/") : 0;
    if (size > 0 && found[0] != '?' && size < sizeof ret->extension)
        snprintf(ret->extension, sizeof ret->extension, "%.*s", (int)size, found);
}

// The next question that somebody waits for. The lock is held.
static struct question *
next_question(void)
{
    for (;;) {
        struct question *question = pool.first;
        if (!question) {
            pthread_cond_wait(&pool.asked, &pool.lock);
            continue;
        }
        pool.first = question->next;
        pool.count--;
        if (!question->is_abandoned)
            return question;
        free(question);
    }
}

static struct question *
begin_next(void)
{
    pthread_mutex_lock(&pool.lock);
    struct question *question = next_question();
    pthread_getcpuclockid(pthread_self(), &question->clock);
    question->begin_us = spent_us(question->clock);
    question->is_begun = true;
    pthread_mutex_unlock(&pool.lock);
    return question;
}

static void
end(struct question *question, const struct magic_answer *answer)
{
    pthread_mutex_lock(&pool.lock);
    bool is_abandoned = question->is_abandoned;
    question->answer = *answer;
    question->is_done = true;
    pthread_cond_broadcast(&pool.answered);
    pthread_mutex_unlock(&pool.lock);
    if (is_abandoned)
        free(question);
}

static void *
answer_questions(void *argument)
{
    magic_t types = library_load(MAGIC_MIME_TYPE), extensions = library_load(MAGIC_EXTENSION);
    (void)argument;
    pthread_mutex_lock(&pool.lock);
    pool.ready++;
    pthread_cond_broadcast(&pool.answered);
    pthread_mutex_unlock(&pool.lock);
    for (;;) {
        struct magic_answer answer = {0};
        struct question *question = begin_next();
        if (types)
            take_type(magic_buffer(types, question->head, question->size), &answer);
        if (extensions && question->wants_extension)
            take_extension(magic_buffer(extensions, question->head, question->size), &answer);
        end(question, &answer);
    }
    return NULL;
}

// On a busy machine to read the data takes longer than a question may.
static void
await_ready(void)
{
    uint64_t deadline_ms = clock_deadline_ms(LOAD_MS);
    pthread_mutex_lock(&pool.lock);
    while (pool.ready == 0 && clock_left_ms(deadline_ms) > 0)
        (void)condition_await(&pool.answered, &pool.lock, deadline_ms);
    pthread_mutex_unlock(&pool.lock);
}

// The threads last as long as the process.
static void
pool_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned started = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&thread, &attributes, answer_questions, NULL) != 0)
            log_warning("magic_missing", "reason=no thread");
        else
            started++;
    pthread_attr_destroy(&attributes);
    if (started > 0)
        await_ready();
}

// --- those who ask ---

static struct question *
question_create(const void *head, size_t size, bool wants_extension)
{
    struct question *self = memory_take_zeroed(sizeof *self);
    self->wants_extension = wants_extension;
    self->size = size < LIMIT_SNIFF_BYTES ? size : LIMIT_SNIFF_BYTES;
    memcpy(self->head, head, self->size);
    return self;
}

static void
post(struct question *question)
{
    struct question **end = &pool.first;
    while (*end)
        end = &(*end)->next;
    *end = question;
    pool.count++;
    pthread_cond_signal(&pool.asked);
}

static bool
takes_too_long(const struct question *question, uint64_t deadline_ms)
{
    if (clock_left_ms(deadline_ms) == 0)
        return true;
    return question->is_begun && spent_us(question->clock) > question->begin_us + THREAD_LIMIT_US;
}

// The lock is held.
static void
await(const struct question *question)
{
    uint64_t deadline_ms = clock_deadline_ms(WAIT_MS);
    while (!question->is_done && !takes_too_long(question, deadline_ms))
        (void)condition_await(&pool.answered, &pool.lock, clock_deadline_ms(LOOK_MS));
}

bool
magic_pool_ask(const void *head, size_t size, bool wants_extension, struct magic_answer *ret_answer)
{
    pthread_once(&pool.once, pool_start);
    struct question *question = question_create(head, size, wants_extension);
    pthread_mutex_lock(&pool.lock);
    bool is_posted = pool.count < QUESTIONS_MOST;
    if (is_posted) {
        post(question);
        await(question);
    }
    bool is_done = question->is_done;
    question->is_abandoned = is_posted && !is_done;
    pthread_mutex_unlock(&pool.lock);
    if (is_done)
        *ret_answer = question->answer;
    if (is_done || !is_posted)
        free(question);
    return is_done;
}
