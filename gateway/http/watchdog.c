// watchdog.c - the thread that ends slow connections. It checks every connection four times a
// second, and at once when nearly all workers are busy; then it cuts the slowest, so that some
// workers are always free for new connections.
//
// The state of a watch is one word: a count of changes, the phase, and the mark of a cut. The
// worker changes phases and the watchdog sets the mark, both by compare-and-swap, so a request is
// never cut because of the phase before. The socket is used under the watch's lock only.
// watch_close removes it before its owner closes it, so the watchdog never ends a descriptor that
// has a new owner.
#include "gateway/http/watchdog.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "gateway/http/socket.h"
#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/budget/parse_memory.h"
#include "proto/message/metrics.h"

enum {
    ROUND_MS = 250,         // between two rounds
    ALARMED_ROUND_MS = 10,  // between two rounds while workers are short
    ASLEEP_MS = 1500,       // after a longer pause the process itself was stopped
    ANSWER_WITHIN_MS = 500, // time to send 408 to a client that was cut
    DRAIN_PAUSE_MS = 5,
    REPORT_EVERY_MS = 10000,
    RESERVE_SHARE = 8, // one worker in eight is kept free
    CACHE_LINE = 64,
};

enum {
    STATE_PHASE = 7,
    STATE_CUT = 8,
    STATE_CHANGE = 16, // added at each change
};

struct watch {
    _Alignas(CACHE_LINE) _Atomic uint32_t state;
    struct watchdog *watchdog;
    pthread_mutex_t lock;
    int socket;          // under the lock; -1: none
    unsigned connection; // under the lock: how many there have been

    // The watchdog's own notes on `seen`, the state they were taken in.
    uint32_t seen;
    unsigned seen_connection;
    int64_t since_ms;
    uint64_t bytes; // received or acknowledged by then
    int64_t cut_ms;
    bool aborted;
};

struct watchdog {
    unsigned count;
    _Atomic unsigned attached;
    _Atomic unsigned busy; // workers that hold a connection
    struct watch *watches;
    struct client_deadline_entry *entries; // of one round
    int64_t last_ms;                       // the last round
    size_t unreported;                     // cut since the last line about it
    int64_t report_ms;                     // no other line before
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool alarmed, ending; // under the lock
    bool running;
};

static enum client_deadline_phase
phase_of(uint32_t state)
{
    return (enum client_deadline_phase)(state & STATE_PHASE);
}

static unsigned
watchdog_reserve(const watchdog_t *self)
{
    unsigned reserve = self->count / RESERVE_SHARE;
    return reserve == 0 && self->count > 1 ? 1 : reserve;
}

// How many workers must become free to restore the reserve.
static size_t
watchdog_short_of(const watchdog_t *self)
{
    unsigned most = self->count - watchdog_reserve(self), busy = atomic_load(&self->busy);
    return busy > most ? busy - most : 0;
}

// What the kernel says of a connection.
struct progress {
    unsigned connection;
    uint64_t bytes; // received or acknowledged, whichever the phase counts
    bool owing;     // the peer has not acknowledged all sent bytes
};

static struct progress
watch_progress(struct watch *watch, enum client_deadline_phase phase)
{
    struct progress progress = {0};
    bool is_body = phase == CLIENT_DEADLINE_BODY || phase == CLIENT_DEADLINE_REST;
    if (!is_body && phase != CLIENT_DEADLINE_ANSWER)
        return progress;
    pthread_mutex_lock(&watch->lock);
    progress.connection = watch->connection;
    if (watch->socket >= 0 && is_body) {
        progress.bytes = socket_received(watch->socket);
    } else if (watch->socket >= 0) {
        progress.bytes = socket_acknowledged(watch->socket);
        progress.owing = socket_is_owing(watch->socket);
    }
    pthread_mutex_unlock(&watch->lock);
    return progress;
}

// Whether the client still has the answer of an earlier request to read: one that sends requests
// and reads no answers gets no new credit with each of them.
static bool
is_same_answer(const struct watch *watch, uint32_t state, const struct progress *progress)
{
    return phase_of(state) == CLIENT_DEADLINE_ANSWER &&
           phase_of(watch->seen) == CLIENT_DEADLINE_ANSWER &&
           watch->seen_connection == progress->connection && progress->owing;
}

static struct client_deadline_entry
watch_look(struct watch *watch, uint32_t state, int64_t now_ms)
{
    enum client_deadline_phase phase = phase_of(state);
    struct progress progress = watch_progress(watch, phase);
    if (watch->seen != state && !is_same_answer(watch, state, &progress)) {
        watch->since_ms = now_ms;
        watch->bytes = progress.bytes;
    }
    watch->seen = state;
    watch->seen_connection = progress.connection;
    // The worker may have taken its next connection since `state` was read.
    uint64_t bytes = progress.bytes > watch->bytes ? progress.bytes - watch->bytes : 0;
    int64_t elapsed_ms = now_ms - watch->since_ms;
    return (struct client_deadline_entry){
        .watch = watch,
        .lateness = client_deadline_lateness(phase, elapsed_ms, bytes),
        .holds_memory = phase == CLIENT_DEADLINE_REST,
        .holder_lateness = client_deadline_holder_lateness(elapsed_ms, bytes),
    };
}

// Ends the connection unless its state has changed by now. A client that was slow in sending can
// still get an answer; one that does not read its answer cannot.
static bool
watch_cut(struct watch *watch, int64_t now_ms)
{
    uint32_t state = watch->seen;
    bool cut = false;
    pthread_mutex_lock(&watch->lock);
    if (watch->socket >= 0 &&
        atomic_compare_exchange_strong(&watch->state, &state, state | STATE_CUT)) {
        cut = true;
        watch->cut_ms = now_ms;
        watch->aborted = phase_of(state) == CLIENT_DEADLINE_ANSWER;
        if (watch->aborted)
            socket_abort(watch->socket);
        else
            socket_end_input(watch->socket);
    }
    pthread_mutex_unlock(&watch->lock);
    return cut;
}

// Aborts a connection that was cut if its worker cannot send the answer in time.
static void
watch_finish_cut(struct watch *watch, uint32_t state, int64_t now_ms)
{
    if (watch->aborted || now_ms - watch->cut_ms < ANSWER_WITHIN_MS)
        return;
    pthread_mutex_lock(&watch->lock);
    if (watch->socket >= 0 && atomic_load(&watch->state) == state)
        socket_abort(watch->socket);
    watch->aborted = true;
    pthread_mutex_unlock(&watch->lock);
}

static void
cut_slowest(watchdog_t *self, size_t count, size_t wanted, int64_t slow, int64_t now_ms)
{
    size_t chosen = client_deadline_choose(self->entries, count, wanted, slow);
    for (size_t i = 0; i < chosen; i++) {
        bool late = self->entries[i].lateness >= CLIENT_DEADLINE_LOST;
        if (!watch_cut(self->entries[i].watch, now_ms))
            continue;
        counter_add(late ? COUNT_HTTP_CUT_LATE : COUNT_HTTP_CUT_CROWDED, 1);
        self->unreported += !late;
    }
}

// Logs that connections were cut because workers were short, at most every 10 s. Single late
// clients are not logged.
static void
report(watchdog_t *self, int64_t now_ms)
{
    if (self->unreported == 0 || now_ms < self->report_ms)
        return;
    log_warning("http_crowded", "cut=%zu held=%u workers=%u", self->unreported,
                atomic_load(&self->busy), self->count);
    self->unreported = 0;
    self->report_ms = now_ms + REPORT_EVERY_MS;
}

static bool
descriptors_are_used_up(void)
{
    int probe = dup(STDERR_FILENO);
    if (probe < 0)
        return errno == EMFILE || errno == ENFILE;
    close(probe);
    return false;
}

static bool
has_no_limit(enum client_deadline_phase phase)
{
    return phase == CLIENT_DEADLINE_NONE || phase == CLIENT_DEADLINE_WORK;
}

// One round. True if the next one is urgent: connections too young to be cut now may be cut then.
static bool
make_round(watchdog_t *self)
{
    int64_t now_ms = (int64_t)clock_now_ms();
    bool asleep = now_ms - self->last_ms > ASLEEP_MS;
    size_t count = 0, ending = 0;
    for (unsigned i = 0; i < self->count; i++) {
        struct watch *watch = &self->watches[i];
        uint32_t state = atomic_load(&watch->state);
        if (asleep)
            watch->seen = 0;
        if (has_no_limit(phase_of(state))) {
            watch->seen = state;
        } else if (state & STATE_CUT) {
            ending++;
            watch_finish_cut(watch, state, now_ms);
        } else {
            self->entries[count++] = watch_look(watch, state, now_ms);
        }
    }
    size_t wanted = watchdog_short_of(self);
    // Without descriptors nobody can connect, even if workers are free.
    if (descriptors_are_used_up() && wanted < watchdog_reserve(self))
        wanted = watchdog_reserve(self);
    cut_slowest(self, count, wanted > ending ? wanted - ending : 0, CLIENT_DEADLINE_SLOW, now_ms);
    cut_slowest(self, client_deadline_holders(self->entries, count), parse_memory_waiting(),
                CLIENT_DEADLINE_IDLE_HOLDER, now_ms);
    report(self, now_ms);
    self->last_ms = now_ms;
    return wanted > 0;
}

// Sleeps until the next round is due or the watchdog ends; the lock is held.
static void
await_round(watchdog_t *self)
{
    for (;;) {
        uint64_t due_ms =
            (uint64_t)self->last_ms + (unsigned)(self->alarmed ? ALARMED_ROUND_MS : ROUND_MS);
        if (self->ending || clock_now_ms() >= due_ms)
            return;
        (void)condition_await(&self->woken, &self->lock, due_ms);
    }
}

static void *
watchdog_run(void *argument)
{
    watchdog_t *self = argument;
    pthread_mutex_lock(&self->lock);
    while (!self->ending) {
        self->alarmed = false;
        pthread_mutex_unlock(&self->lock);
        bool urgent = make_round(self);
        pthread_mutex_lock(&self->lock);
        self->alarmed |= urgent;
        await_round(self);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

fallible
watchdog_create(unsigned workers, watchdog_t **ret_watchdog)
{
    watchdog_t *self = memory_take_zeroed(sizeof *self);
    self->count = workers;
    self->last_ms = (int64_t)clock_now_ms();
    self->watches = aligned_alloc(CACHE_LINE, workers * sizeof *self->watches);
    self->entries = memory_take_zeroed(workers * sizeof *self->entries);
    for (unsigned i = 0; i < workers; i++) {
        self->watches[i] = (struct watch){.watchdog = self, .socket = -1};
        pthread_mutex_init(&self->watches[i].lock, NULL);
    }
    pthread_cond_init(&self->woken, NULL);
    pthread_mutex_init(&self->lock, NULL);
    self->running = pthread_create(&self->thread, NULL, watchdog_run, self) == 0;
    if (!self->running) {
        watchdog_destroy(&self);
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for the watchdog");
    }
    *ret_watchdog = self;
    return OK;
}

void
watchdog_destroy(watchdog_t **self)
{
    watchdog_t *dog = *self;
    if (!dog)
        return;
    pthread_mutex_lock(&dog->lock);
    dog->ending = true;
    pthread_cond_signal(&dog->woken);
    pthread_mutex_unlock(&dog->lock);
    if (dog->running)
        pthread_join(dog->thread, NULL);
    for (unsigned i = 0; i < dog->count; i++)
        pthread_mutex_destroy(&dog->watches[i].lock);
    pthread_cond_destroy(&dog->woken);
    pthread_mutex_destroy(&dog->lock);
    free(dog->entries);
    free(dog->watches);
    free(dog);
    *self = NULL;
}

struct watch *
watchdog_attach(watchdog_t *self)
{
    unsigned index = atomic_fetch_add(&self->attached, 1);
    assert(index < self->count);
    return &self->watches[index];
}

unsigned
watchdog_busy(const watchdog_t *self)
{
    return atomic_load(&self->busy);
}

static bool
is_under_way(const struct watch *watch)
{
    uint32_t state = atomic_load(&watch->state);
    enum client_deadline_phase phase = phase_of(state);
    return phase >= CLIENT_DEADLINE_BODY && !(state & STATE_CUT);
}

// A worker that is seen between two requests has answered the one before.
void
watchdog_drain(const watchdog_t *self, uint64_t deadline_ms)
{
    const struct timespec pause = {.tv_nsec = DRAIN_PAUSE_MS * 1000000};
    for (unsigned i = 0; i < self->count; i++)
        while (is_under_way(&self->watches[i]) && clock_left_ms(deadline_ms) > 0)
            nanosleep(&pause, NULL);
}

void
watchdog_end_connections(watchdog_t *self)
{
    for (unsigned i = 0; i < self->count; i++) {
        struct watch *watch = &self->watches[i];
        pthread_mutex_lock(&watch->lock);
        if (watch->socket >= 0)
            socket_end(watch->socket);
        pthread_mutex_unlock(&watch->lock);
    }
}

static void
raise_alarm(watchdog_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->alarmed = true;
    pthread_cond_signal(&self->woken);
    pthread_mutex_unlock(&self->lock);
}

// Begins a phase in any case, cut or not; the count of changes grows.
static void
watch_begin(struct watch *self, enum client_deadline_phase phase)
{
    uint32_t state = atomic_load(&self->state) & ~(uint32_t)(STATE_PHASE | STATE_CUT);
    atomic_store(&self->state, (state + STATE_CHANGE) | phase);
}

void
watch_open(struct watch *self, int socket)
{
    if (socket >= 0)
        socket_limit_patience(socket);
    pthread_mutex_lock(&self->lock);
    self->socket = socket;
    self->connection++;
    watch_begin(self, CLIENT_DEADLINE_HEAD);
    pthread_mutex_unlock(&self->lock);
    atomic_fetch_add(&self->watchdog->busy, 1);
    if (watchdog_short_of(self->watchdog) > 0)
        raise_alarm(self->watchdog);
}

int
watch_socket(const struct watch *self)
{
    return self->socket; // only this thread writes it
}

bool
watch_enter(struct watch *self, enum client_deadline_phase phase)
{
    uint32_t state = atomic_load(&self->state);
    uint32_t next = ((state & ~(uint32_t)STATE_PHASE) + STATE_CHANGE) | phase;
    return !(state & STATE_CUT) && atomic_compare_exchange_strong(&self->state, &state, next);
}

bool
watch_is_cut(const struct watch *self)
{
    return atomic_load(&self->state) & STATE_CUT;
}

void
watch_forget(struct watch *self)
{
    pthread_mutex_lock(&self->lock);
    self->socket = -1;
    watch_begin(self, CLIENT_DEADLINE_NONE);
    pthread_mutex_unlock(&self->lock);
}

void
watch_close(struct watch *self)
{
    watch_forget(self);
    atomic_fetch_sub(&self->watchdog->busy, 1);
}
