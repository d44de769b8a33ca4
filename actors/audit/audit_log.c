// audit_log.c - lines of the audit log: one numbering, and a roll for each class. The writer's
// thread; others ask how far it is written.
#include "actors/audit/audit_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "actors/audit/audit_roll.h"
#include "proto/base/clock.h"
#include "proto/base/directory.h"
#include "proto/base/memory.h"
#include "proto/codec/record_json.h"

struct audit_log {
    audit_roll_t *rolls[AUDIT_CLASSES];
    uint64_t number;          // of the next line
    _Atomic uint64_t written; // all lines up to this number are in their files
    struct buffer line;
    struct arena arena; // of a line
};

// --- lines ---

static const struct text *
time_text(struct arena *arena, uint64_t time_us)
{
    char when[32];
    struct tm utc;
    time_t seconds = (time_t)(time_us / 1000000);
    gmtime_r(&seconds, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    return text_format(arena, "%s.%03uZ", when, (unsigned)(time_us / 1000 % 1000));
}

static void
set_if_any(struct arena *arena, struct record *record, unsigned id, const char *chars)
{
    if (chars && *chars)
        record_set_text(record, id, text_from(arena, chars));
}

// SCENE_PUT -> scene_put, as people write it in a query string.
static const struct text *
operation_text(struct arena *arena, const char *name)
{
    char words[64];
    size_t size = 0;
    for (; name[size] && size < sizeof words; size++)
        words[size] = (char)tolower((unsigned char)name[size]);
    return text_new(arena, words, size);
}

static struct record *
line_record(audit_log_t *self, enum audit_class class, const struct audit_event *event,
            uint64_t count, const char *last_request)
{
    struct arena *arena = &self->arena;
    struct record *record = record_new(arena, &audit_line_schema);
    record_set_integer(record, AUDIT_LINE_NUMBER, (int64_t)self->number);
    record_set_text(record, AUDIT_LINE_TIME, time_text(arena, event->time_us));
    record_set_text(record, AUDIT_LINE_USER, text_from(arena, event->user));
    record_set_text(record, AUDIT_LINE_ADDRESS, text_from(arena, event->address));
    record_set_text(record, AUDIT_LINE_OPERATION, operation_text(arena, event->operation));
    record_set_integer(record, AUDIT_LINE_OUTCOME, event->outcome);
    record_set_text(record, AUDIT_LINE_BEFORE,
                    text_from(arena, audit_roll_hash(self->rolls[class])));
    set_if_any(arena, record, AUDIT_LINE_REQUEST, event->request);
    set_if_any(arena, record, AUDIT_LINE_KIND, event->noun);
    set_if_any(arena, record, AUDIT_LINE_KEY, event->key);
    set_if_any(arena, record, AUDIT_LINE_SCENE, event->scene);
    if (last_request) {
        record_set_integer(record, AUDIT_LINE_COUNT, (int64_t)count);
        set_if_any(arena, record, AUDIT_LINE_LAST_REQUEST, last_request);
    }
    return record;
}

void
audit_log_add(audit_log_t *self, enum audit_class class, const struct audit_event *event,
              uint64_t count, const char *last_request)
{
    buffer_clear(&self->line);
    record_to_json(line_record(self, class, event, count, last_request), &audit_line_view_full,
                   &self->line);
    audit_roll_add(self->rolls[class], self->number, &self->line);
    arena_finish(&self->arena);
    self->number++;
}

// --- the log ---

static fallible
folder_failed(const char *folder)
{
    return fail(ERR_UNAVAILABLE, "", "%.180s: %s", folder, strerror(errno));
}

static fallible
folder_make(const char *folder)
{
    if (strlen(folder) > AUDIT_PATH_SIZE - 160)
        return fail(ERR_UNAVAILABLE, "", "audit: the path of the folder is too long");
    bool is_made = mkdir(folder, 0700) == 0;
    if (!is_made && errno != EEXIST)
        return folder_failed(folder);
    if ((is_made && !directory_sync_above(folder)) || chmod(folder, 0700) != 0)
        return folder_failed(folder);
    return OK;
}

static fallible
open_rolls(audit_log_t *self, const struct audit_log_settings *settings)
{
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        const struct audit_roll_settings roll = {
            .folder = settings->folder,
            .class = (enum audit_class)i,
            .size = settings->size / 100 * audit_class_rows[i].percent,
            .days = settings->days,
        };
        TRY(audit_roll_open(&roll, &self->rolls[i]));
        if (self->number < audit_roll_next(self->rolls[i]))
            self->number = audit_roll_next(self->rolls[i]);
    }
    return OK;
}

// What was cut is told behind the lines of all classes, so that numbers grow.
static void
tell_cut(audit_log_t *self)
{
    const struct audit_event event = {
        .time_us = clock_calendar_us(), .operation = "audit_cut", .outcome = 200};
    for (int i = 0; i < AUDIT_CLASSES; i++)
        if (audit_roll_cut(self->rolls[i]))
            audit_log_add(self, (enum audit_class)i, &event, audit_roll_cut(self->rolls[i]), "");
}

fallible
audit_log_open(const struct audit_log_settings *settings, audit_log_t **ret_log)
{
    TRY(folder_make(settings->folder));
    audit_log_t *self = memory_take_zeroed(sizeof *self);
    enum error error = open_rolls(self, settings);
    if (error != OK) {
        audit_log_close(&self);
        return error;
    }
    atomic_store(&self->written, self->number - 1);
    tell_cut(self);
    *ret_log = self;
    return OK;
}

void
audit_log_close(audit_log_t **self)
{
    if (!*self)
        return;
    for (int i = 0; i < AUDIT_CLASSES; i++)
        audit_roll_close(&(*self)->rolls[i]);
    buffer_finish(&(*self)->line);
    arena_finish(&(*self)->arena);
    free(*self);
    *self = NULL;
}

bool
audit_log_write(audit_log_t *self)
{
    bool is_written = true;
    for (int i = 0; i < AUDIT_CLASSES; i++)
        is_written = audit_roll_write(self->rolls[i]) && is_written;
    if (is_written)
        atomic_store(&self->written, self->number - 1);
    return is_written;
}

uint64_t
audit_log_written(const audit_log_t *self)
{
    return atomic_load(&self->written);
}

void
audit_log_keep(audit_log_t *self, uint64_t now_ms)
{
    for (int i = 0; i < AUDIT_CLASSES; i++)
        audit_roll_keep(self->rolls[i], self->number, now_ms);
}

void
audit_log_reopen(audit_log_t *self)
{
    for (int i = 0; i < AUDIT_CLASSES; i++)
        audit_roll_reopen(self->rolls[i], self->number);
}
