// audit_search.c - the lines of the audit log that a request wants, oldest first.
#include "actors/audit/audit_search.h"

#include <ctype.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/token.h"
#include "proto/codec/record_json.h"
#include "proto/records/audit_line.h"

enum { LINES_BETWEEN_CLOCKS = 32 };

struct audit_search {
    struct message *message;
    struct record *filter;    // NULL: every line
    const struct text *after; // a time, or NULL
    const struct text *about; // id of the user whom the lines concern; NULL: every line
    uint64_t after_number;    // lines up to it are skipped
    uint64_t skipped, left;   // of the page
    uint64_t last;            // number of the last line that is looked at
    audit_reader_t *reader;
    struct arena arena; // of one line
};

static bool
is_number(const struct text *text)
{
    for (size_t i = 0; i < text_size(text); i++)
        if (!isdigit((unsigned char)text->data[i]))
            return false;
    return text_size(text) > 0 && text_size(text) < 19;
}

static void
take_filter(audit_search_t *self)
{
    const struct records *records = self->message->records;
    if (!records || records->count == 0)
        return;
    self->filter = record_copy(&self->message->arena, &audit_line_schema, records->items[0]);
    const struct text *after = record_text(self->filter, AUDIT_LINE_AFTER);
    if (is_number(after))
        self->after_number = strtoull(after->data, NULL, 10);
    else if (text_size(after))
        self->after = after;
    self->filter->present &= ~FIELD_BIT(AUDIT_LINE_AFTER);
}

fallible
audit_search_create(const char *folder, uint64_t last, struct message **message,
                    audit_search_t **ret_search)
{
    audit_search_t *self = memory_take_zeroed(sizeof *self);
    self->message = *message;
    self->last = last;
    self->skipped = (uint64_t)self->message->params->start_record;
    self->left = (uint64_t)self->message->params->num_records;
    take_filter(self);
    if (self->message->operation == AUDIT_EXPORT)
        self->about = self->message->params->user;
    enum error error = audit_reader_create(folder, self->after_number, &self->reader);
    if (error != OK) {
        *message = audit_search_take(self);
        audit_search_destroy(&self);
        return error;
    }
    *message = NULL;
    *ret_search = self;
    return OK;
}

void
audit_search_destroy(audit_search_t **self)
{
    if (!*self)
        return;
    audit_reader_destroy(&(*self)->reader);
    arena_finish(&(*self)->arena);
    message_destroy(&(*self)->message);
    free(*self);
    *self = NULL;
}

bool
audit_search_is_late(const audit_search_t *self)
{
    uint64_t deadline_ms = self->message->deadline_ms;
    return deadline_ms && clock_now_ms() >= deadline_ms;
}

struct message *
audit_search_take(audit_search_t *self)
{
    struct message *message = self->message;
    self->message = NULL;
    return message;
}

// Whether the user did it, or it was done to their account.
static bool
is_about(const struct text *user, const struct audit_line *line)
{
    return text_equal(line->user, user) ||
           (text_is(line->kind, "user") && text_equal(line->key, user));
}

static bool
is_wanted(const audit_search_t *self, const struct record *record)
{
    const struct audit_line *line = (const struct audit_line *)(const void *)record;
    if ((uint64_t)line->number <= self->after_number)
        return false;
    if (self->after && text_compare(line->time, self->after) <= 0)
        return false;
    if (self->about && !is_about(self->about, line))
        return false;
    return !self->filter || record_matches(record, self->filter);
}

// A line that cannot be read is left out: whoever checks the chain finds it.
static void
look_at(audit_search_t *self, const struct audit_text *line)
{
    struct record *record;
    char hash[AUDIT_HASH_SIZE];
    if (!line->json ||
        record_from_json(&self->arena, &audit_line_schema, line->json, "", &record) != OK)
        return;
    record_set_text(record, AUDIT_LINE_CLASS,
                    text_from(&self->arena, audit_class_rows[line->class].name));
    if (!is_wanted(self, record))
        return;
    if (self->skipped) {
        self->skipped--;
        return;
    }
    if (self->about && !text_equal(record_text(record, AUDIT_LINE_USER), self->about))
        record->present &= ~FIELD_BIT(AUDIT_LINE_ADDRESS); // of somebody else
    token_digest(line->chars, line->size, NULL, hash, sizeof hash);
    record_set_text(record, AUDIT_LINE_HASH, text_from(&self->arena, hash));
    reply_add_loose(self->message, &audit_line_schema, record);
    self->left--;
}

bool
audit_search_continue(audit_search_t *self)
{
    uint64_t end_ms = clock_deadline_ms(AUDIT_SEARCH_MS);
    struct audit_text line;
    for (unsigned lines = 1; self->left; lines++) {
        if (!audit_reader_next(self->reader, &line) || line.number > self->last)
            return true;
        look_at(self, &line);
        arena_finish(&self->arena);
        if (lines % LINES_BETWEEN_CLOCKS == 0 && clock_now_ms() >= end_ms)
            return false;
    }
    return true;
}
