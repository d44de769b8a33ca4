// fault.c - the decorator that injects faults, by test flag (plan: fault.h; order and counting:
// store/README.md). Any thread; latency makes the calling thread sleep.
#include "store/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum { PLAN_BYTES = 1024, LATENCY_MS_MAX = 600000 };

struct plan {
    uint64_t latency_ms;
    uint64_t read_latency_ms;
    uint64_t unavailable;
    uint64_t full;
    uint64_t limit; // bytes; 0 = none
    uint64_t conflict;
    uint64_t unknown;
    uint64_t kill_before;
    uint64_t kill_after;
};

struct decorator {
    store_t base; // first: engines are reached through it
    store_t *inner;
    char *path;            // of the plan; NULL = it never changes
    pthread_mutex_t mutex; // guards all below
    struct stat seen;      // the state of the file when the plan was read; all zero = absent
    struct plan plan;
    uint64_t commits;  // since the plan was read
    uint64_t unknowns; // UNKNOWN answers since the plan was read
};

// The faults of one commit.
struct fate {
    uint64_t latency_ms;
    bool kill_before, unavailable, full, limited, conflict, unknown, unwritten, kill_after;
};

static bool
number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *ret_number)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || *end || number < min || number > max)
        return false;
    *ret_number = number;
    return true;
}

static fallible
plan_set(struct plan *plan, const char *name, const char *value)
{
    // clang-format off
    static const struct {
        const char *name;
        size_t offset;
        uint64_t min;
        uint64_t max;
    } rows[] = {
        {"latency",      offsetof(struct plan, latency_ms),      0, LATENCY_MS_MAX},
        {"read-latency", offsetof(struct plan, read_latency_ms), 0, LATENCY_MS_MAX},
        {"unavailable",  offsetof(struct plan, unavailable),     1, UINT64_MAX},
        {"full",         offsetof(struct plan, full),            1, UINT64_MAX},
        {"limit",        offsetof(struct plan, limit),           1, SIZE_MAX},
        {"conflict",     offsetof(struct plan, conflict),        1, UINT64_MAX},
        {"unknown",      offsetof(struct plan, unknown),         1, UINT64_MAX},
        {"kill-before",  offsetof(struct plan, kill_before),     1, UINT64_MAX},
        {"kill-after",   offsetof(struct plan, kill_after),      1, UINT64_MAX},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        uint64_t number;
        if (!number_parse(value, rows[i].min, rows[i].max, &number))
            return fail(ERR_INVALID, "", "store.fault: %s must be a number from %llu to %llu", name,
                        (unsigned long long)rows[i].min, (unsigned long long)rows[i].max);
        memcpy((char *)plan + rows[i].offset, &number, sizeof number);
        return OK;
    }
    return fail(ERR_INVALID, "", "store.fault: there is no fault %.64s", name);
}

// Cuts `text` into pieces. Line ends count as commas, so that a file may have several lines.
static fallible
plan_parse(char *text, struct plan *ret_plan)
{
    struct plan plan = {0};
    char *rest = NULL;
    for (char *item = strtok_r(text, ",\n", &rest); item; item = strtok_r(NULL, ",\n", &rest)) {
        char *equals = strchr(item, '=');
        if (!equals)
            return fail(ERR_INVALID, "", "store.fault: %.64s has no value", item);
        *equals = '\0';
        TRY(plan_set(&plan, item, equals + 1));
    }
    *ret_plan = plan;
    return OK;
}

static fallible
plan_read(const char *path, struct plan *ret_plan)
{
    char text[PLAN_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
        *ret_plan = (struct plan){0};
        return OK;
    }
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text);
    int reason = errno;
    if (file >= 0)
        close(file);
    if (size < 0)
        return fail(ERR_INVALID, "", "store.fault: cannot read %s: %s", path, strerror(reason));
    if ((size_t)size == sizeof text)
        return fail(ERR_INVALID, "", "store.fault: %s is longer than a plan can be", path);
    text[size] = '\0';
    return plan_parse(text, ret_plan);
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// Reads the plan again if its file has changed. The caller holds the mutex.
static fallible
plan_refresh(struct decorator *self)
{
    struct stat now;
    if (!self->path)
        return OK;
    if (stat(self->path, &now) != 0)
        now = (struct stat){0};
    if (is_same_file(&now, &self->seen))
        return OK;
    self->seen = now;
    TRY(plan_read(self->path, &self->plan));
    self->commits = 0;
    self->unknowns = 0;
    log_info("fault_plan_read", "path=%s", self->path);
    return OK;
}

static void
plan_follow(struct decorator *self)
{
    if (plan_refresh(self) != OK)
        log_warning("fault_plan_refused", "path=%s detail=%s", self->path, fault_last()->detail);
}

static struct fate
fate_of_next_commit(struct decorator *self, const struct store_commit *commit)
{
    pthread_mutex_lock(&self->mutex);
    plan_follow(self);
    const struct plan *plan = &self->plan;
    uint64_t nth = ++self->commits;
    struct fate fate = {
        .latency_ms = plan->latency_ms,
        .kill_before = nth == plan->kill_before,
        .unavailable = plan->unavailable && nth % plan->unavailable == 0,
        .full = plan->full && nth % plan->full == 0,
        .limited = plan->limit && !store_commit_fits(commit, plan->limit),
        .conflict = plan->conflict && nth % plan->conflict == 0,
        .unknown = plan->unknown && nth % plan->unknown == 0,
        .kill_after = nth == plan->kill_after,
    };
    if (fate.unknown && !fate.unavailable && !fate.full && !fate.limited && !fate.conflict)
        fate.unwritten = self->unknowns++ % 2 == 0;
    pthread_mutex_unlock(&self->mutex);
    return fate;
}

static uint64_t
latency_of_next_read(struct decorator *self)
{
    pthread_mutex_lock(&self->mutex);
    plan_follow(self);
    uint64_t latency_ms = self->plan.read_latency_ms;
    pthread_mutex_unlock(&self->mutex);
    return latency_ms;
}

// Sleeps no longer than to the deadline: then the inner store sees that it has passed.
static void
sleep_ms(uint64_t duration_ms, uint64_t deadline_ms)
{
    if (deadline_ms && (uint64_t)clock_left_ms(deadline_ms) < duration_ms)
        duration_ms = (uint64_t)clock_left_ms(deadline_ms);
    struct timespec left = {
        .tv_sec = (time_t)(duration_ms / 1000),
        .tv_nsec = (long)(duration_ms % 1000) * 1000000,
    };
    while (duration_ms && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

// Tests wait for the line: what a commit writes is staged, and not durable for a while.
static void
delay(const struct store_commit *commit, uint64_t latency_ms, uint64_t deadline_ms)
{
    const struct store_address *first =
        commit->operation_count ? &commit->operations->address : &commit->guards->address;
    if (!latency_ms)
        return;
    log_info("fault_commit_delayed", "family=%s ms=%llu", store_family_names[first->family],
             (unsigned long long)latency_ms);
    sleep_ms(latency_ms, deadline_ms);
}

// Ends like `kill -9`: no destructor runs, no buffer is written.
static void
kill_oneself(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static enum store_result
decorator_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
              store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    struct decorator *self = container_of(base, struct decorator, base);
    sleep_ms(latency_of_next_read(self), deadline_ms);
    return store_get(self->inner, address, deadline_ms, ret_version, ret_value, ret_size);
}

static enum store_result
decorator_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms,
               store_visitor *visit, void *context)
{
    struct decorator *self = container_of(base, struct decorator, base);
    sleep_ms(latency_of_next_read(self), deadline_ms);
    return store_scan_ranges(self->inner, scan, deadline_ms, visit, context);
}

static enum store_result
commit_with_fate(struct decorator *self, const struct store_commit *commit, uint64_t deadline_ms,
                 struct fate fate)
{
    if (fate.unavailable)
        return STORE_UNAVAILABLE;
    if (fate.full)
        return STORE_FULL;
    if (fate.limited)
        return STORE_LIMIT;
    if (fate.conflict)
        return STORE_CONFLICT;
    if (fate.unwritten)
        return STORE_UNKNOWN;
    enum store_result result = store_commit(self->inner, commit, deadline_ms);
    return fate.unknown ? STORE_UNKNOWN : result;
}

static enum store_result
decorator_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct decorator *self = container_of(base, struct decorator, base);
    if (commit->is_beat)
        return store_commit(self->inner, commit, deadline_ms);
    struct fate fate = fate_of_next_commit(self, commit);
    if (fate.kill_before)
        kill_oneself();
    delay(commit, fate.latency_ms, deadline_ms);
    enum store_result result = commit_with_fate(self, commit, deadline_ms, fate);
    if (fate.kill_after)
        kill_oneself();
    return result;
}

static enum store_result
decorator_ping(store_t *base, uint64_t deadline_ms)
{
    return store_ping(container_of(base, struct decorator, base)->inner, deadline_ms);
}

static enum store_result
decorator_checkpoint(store_t *base, const char *folder)
{
    return store_checkpoint(container_of(base, struct decorator, base)->inner, folder);
}

static enum store_result
decorator_position(store_t *base, uint64_t *ret_position)
{
    store_t *inner = container_of(base, struct decorator, base)->inner;
    return inner->engine->position(inner, ret_position);
}

static enum store_result
decorator_changes(store_t *base, uint64_t after, size_t bytes, store_change_visitor *visit,
                  void *context)
{
    store_t *inner = container_of(base, struct decorator, base)->inner;
    return inner->engine->changes(inner, after, bytes, visit, context);
}

static void
decorator_release(store_t *base, uint64_t position, uint64_t kept, uint64_t most)
{
    store_t *inner = container_of(base, struct decorator, base)->inner;
    inner->engine->release(inner, position, kept, most);
}

// Faults are of commits: bytes of assets have none.
static fallible
decorator_provide_blobs(store_t *base, store_version_t fence, struct blob_provider **ret_provider)
{
    store_t *inner = container_of(base, struct decorator, base)->inner;
    if (!inner->engine->provide_blobs)
        return store_provide_blobs(inner, ret_provider);
    return inner->engine->provide_blobs(inner, fence, ret_provider);
}

static void
decorator_destroy(store_t **base)
{
    if (!*base)
        return;
    struct decorator *self = container_of(*base, struct decorator, base);
    store_destroy(&self->inner);
    pthread_mutex_destroy(&self->mutex);
    free(self->path);
    free(self);
    *base = NULL;
}

static const struct store_engine decorator_engine = {
    .name = "fault",
    .get = decorator_get,
    .scan = decorator_scan,
    .commit = decorator_commit,
    .ping = decorator_ping,
    .checkpoint = decorator_checkpoint,
    .position = decorator_position,
    .changes = decorator_changes,
    .release = decorator_release,
    .provide_blobs = decorator_provide_blobs,
    .destroy = decorator_destroy,
};

// The first plan. A copy of `text` is cut, or kept as the path.
static fallible
plan_begin(struct decorator *self, const char *text)
{
    static const char item[] = "file=";
    size_t prefix = strncmp(text, item, sizeof item - 1) == 0 ? sizeof item - 1 : 0;
    if (prefix && !text[prefix])
        return fail(ERR_INVALID, "", "store.fault: file has no path");
    size_t size = strlen(text + prefix) + 1;
    char *copy = memcpy(memory_take(size), text + prefix, size);
    if (prefix) {
        self->path = copy;
        return plan_refresh(self);
    }
    enum error error = plan_parse(copy, &self->plan);
    free(copy);
    return error;
}

fallible
fault_wrap(store_t **inner, const char *plan, store_t **ret_store)
{
    struct decorator *self = memory_take_zeroed(sizeof *self);
    self->base.engine = &decorator_engine;
    pthread_mutex_init(&self->mutex, NULL);
    owned(store_destroy) store_t *base = &self->base;
    TRY(plan_begin(self, plan));
    self->base.is_shared = (*inner)->is_shared;
    self->inner = *inner;
    *inner = NULL;
    *ret_store = base;
    base = NULL;
    return OK;
}
