// list_query.c - reads what a request wants of a list (list_query.h).
#include "proto/message/list_query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/token.h"
#include "proto/codec/record_json.h"
#include "proto/message/list_time.h"
#include "proto/message/partition.h"

enum { TAGS_BY_INDEX = 4 }; // of more tags that records must have, the others are looked at only

bool
list_is_asked(const struct message *message)
{
    return record_has(&message->params->base, PARAMS_AFTER);
}

// --- values ---

void
list_words(const struct list_kind *kind, const struct record *record, struct words *ret_words)
{
    static const enum list_order texts[] = {LIST_NAME, LIST_TYPE};
    ret_words->size = 0;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        words_add(ret_words, record_text(record, list_kind_member(kind, texts[i])));
    const struct field *field = list_kind_field(kind, LIST_TAG);
    const struct texts *tags = field && record_has(record, field->id)
                                   ? MEMBER_CONST(const struct texts *, record, field)
                                   : NULL;
    for (size_t i = 0; i < texts_count(tags); i++)
        words_add(ret_words, tags->items[i]);
    if (!key_is_generated(record_key(record)))
        words_add(ret_words, record_key(record));
}

static bool
is_within(const struct list_filter *filter, const char *value, size_t size)
{
    return list_value_compare(value, size, filter->low, filter->low_size) >= 0 &&
           list_value_compare(value, size, filter->high, filter->high_size) <= 0;
}

static bool
has_tag(const struct field *field, const struct record *record, const struct list_filter *filter)
{
    if (!record_has(record, field->id))
        return false;
    const struct texts *tags = MEMBER_CONST(const struct texts *, record, field);
    for (size_t i = 0; i < texts_count(tags); i++) {
        size_t size = text_size(tags->items[i]);
        if (is_within(filter, text_bytes(tags->items[i]),
                      size > LIST_VALUE_BYTES ? LIST_VALUE_BYTES : size))
            return true;
    }
    return false;
}

static bool
has_word(const struct list_filter *filter, const struct list_known *known)
{
    return words_have(known->words, known->words_size, filter->low, filter->low_size);
}

static bool
passes(const struct list_query *self, const struct list_filter *filter, const struct record *record)
{
    char value[LIST_VALUE_BYTES];
    if (filter->order == LIST_TAG)
        return has_tag(self->fields[LIST_TAG], record, filter);
    return is_within(filter, value, list_value(self->fields[filter->order], record, value));
}

static bool
lies_in_area(const struct list_query *self, const struct record *record)
{
    double latitude, longitude;
    return self->kind->place(record, &latitude, &longitude) &&
           list_area_has(&self->area, latitude, longitude);
}

bool
list_query_finds(const struct list_query *self, const struct record *record,
                 const struct list_known *known)
{
    struct words made;
    struct list_known all = *known;
    if (self->key && !text_equal(record_key(record), self->key))
        return false;
    for (unsigned i = 0; i < self->filter_count; i++) {
        const struct list_filter *filter = &self->filters[i];
        if (filter->order == LIST_WORD && !all.words) {
            list_words(self->kind, record, &made);
            all.words = made.bytes;
            all.words_size = made.size;
        }
        if (filter != all.passed &&
            !(filter->order == LIST_WORD ? has_word(filter, &all) : passes(self, filter, record)))
            return false;
    }
    if (self->area.form != LIST_EVERYWHERE && self->kind->place && !lies_in_area(self, record))
        return false;
    return !self->rest || record_matches(record, self->rest);
}

void
list_place_of(const struct list_query *self, const struct record *record,
              struct list_place *ret_place)
{
    ret_place->size = (uint8_t)list_value(self->fields[self->sort], record, ret_place->value);
    ret_place->key = record_key(record);
}

int
list_place_compare(const struct list_query *self, const struct list_place *a,
                   const struct list_place *b)
{
    int order = list_value_compare(a->value, a->size, b->value, b->size);
    order = order ? order : text_compare(a->key, b->key);
    return self->descending ? -order : order;
}

// --- filters ---

static fallible
filter_add(struct list_query *self, enum list_order order, const char *pointer,
           struct list_filter **ret_filter)
{
    if (self->filter_count == LIST_FILTERS_MOST)
        return fail(ERR_INVALID, pointer, "are too many filters: at most %d", LIST_FILTERS_MOST);
    *ret_filter = &self->filters[self->filter_count++];
    (*ret_filter)->order = order; // the rest is zero
    return OK;
}

// Records with exactly this text.
static fallible
filter_equal(struct list_query *self, enum list_order order, const char *pointer,
             const struct text *value)
{
    struct list_filter *filter;
    TRY(filter_add(self, order, pointer, &filter));
    filter->is_cut = text_size(value) >= LIST_VALUE_BYTES;
    filter->low_size = (uint8_t)(filter->is_cut ? LIST_VALUE_BYTES : (int)text_size(value));
    memcpy(filter->low, text_bytes(value), filter->low_size);
    filter->high_size = filter->low_size;
    memcpy(filter->high, filter->low, filter->low_size);
    return OK;
}

// A whole number at `chars` that ends at `end`; where there is none, `*time` stays.
static bool
read_time(const char *chars, const char *end, int64_t *time)
{
    char *stop;
    errno = 0;
    if (chars == end)
        return true;
    long long number = strtoll(chars, &stop, 10);
    *time = number;
    return errno == 0 && stop == end && *chars >= '0' && *chars <= '9';
}

// Records whose time lies between two, both included; microseconds since 1970.
static fallible
filter_between(struct list_query *self, enum list_order order, const char *pointer, int64_t from,
               int64_t to)
{
    struct list_filter *filter;
    TRY(filter_add(self, order, pointer, &filter));
    list_value_of_time(from, filter->low);
    list_value_of_time(to, filter->high);
    filter->low_size = filter->high_size = sizeof(int64_t);
    return OK;
}

// When they were changed last, as maps ask for it. What is known of no time is always wanted.
static fallible
filter_datetime(struct list_query *self, const struct text *datetime)
{
    struct list_time time;
    TRY(list_time_read(datetime, &time));
    return list_kind_member(self->kind, LIST_CHANGED) == LIST_NO_MEMBER
               ? OK
               : filter_between(self, LIST_CHANGED, "/datetime", time.from, time.to);
}

// "FROM..TO", microseconds, one of them may be missing.
static fallible
filter_time(struct list_query *self, enum list_order order, const char *pointer,
            const struct text *range)
{
    int64_t from = INT64_MIN, to = INT64_MAX;
    const char *chars = text_chars(range), *dots = strstr(chars, "..");
    if (list_kind_member(self->kind, order) == LIST_NO_MEMBER)
        return fail(ERR_INVALID, pointer, "is not known of a %s", self->kind->noun);
    if (!dots || !read_time(chars, dots, &from) || !read_time(dots + 2, chars + strlen(chars), &to))
        return fail(ERR_INVALID, pointer, "must be FROM..TO in microseconds since 1970");
    return filter_between(self, order, pointer, from, to);
}

static fallible
filter_words(struct list_query *self, const struct text *q)
{
    struct words words = {0};
    struct list_filter *filter;
    const char *word;
    size_t size;
    words_add(&words, q);
    if (words.size == 0)
        return fail(ERR_INVALID, "/q", "must have a letter or a digit");
    for (size_t at = 0; words_next(words.bytes, words.size, &at, &word, &size);) {
        TRY(filter_add(self, LIST_WORD, "/q", &filter));
        filter->low_size = (uint8_t)size;
        memcpy(filter->low, word, size);
    }
    return OK;
}

// Turns a member of the request's record into filters; true: nothing of it is left to be looked at.
static fallible
filter_member(struct list_query *self, const struct record *record, enum list_order order,
              bool *ret_is_whole)
{
    unsigned id = list_kind_member(self->kind, order);
    const struct field *field = schema_field(record->schema, id);
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s", field->name);
    if (field->type == FIELD_TEXT) {
        const struct text *value = record_text(record, id);
        *ret_is_whole = text_size(value) < LIST_VALUE_BYTES;
        return filter_equal(self, order, pointer, value);
    }
    const struct texts *list = MEMBER_CONST(const struct texts *, record, field);
    *ret_is_whole = texts_count(list) <= TAGS_BY_INDEX;
    for (size_t i = 0; i < texts_count(list) && i < TAGS_BY_INDEX; i++) {
        *ret_is_whole &= text_size(list->items[i]) < LIST_VALUE_BYTES;
        TRY(filter_equal(self, order, pointer, list->items[i]));
    }
    return OK;
}

// What the query string says by the names of the record's own members.
static fallible
read_record(struct list_query *self, const struct record *record)
{
    uint64_t left = 0, key = FIELD_BIT(list_kind_member(self->kind, LIST_KEY));
    for (uint32_t i = 0; i < record->schema->count; i++)
        if (record->schema->fields[i].flags & FIELD_FILTER)
            left |= FIELD_BIT(record->schema->fields[i].id);
    left &= record->present & ~key;
    for (enum list_order order = LIST_NAME; order <= LIST_TAG; order++) {
        unsigned id = list_kind_member(self->kind, order);
        bool is_whole = false;
        if (id == LIST_NO_MEMBER || !(left & FIELD_BIT(id)))
            continue;
        TRY(filter_member(self, record, order, &is_whole));
        left &= is_whole ? ~FIELD_BIT(id) : ~UINT64_C(0);
    }
    self->key = record->present & key ? record_key(record) : NULL;
    self->rest = left ? record : NULL;
    return OK;
}

static fallible
read_area(struct list_query *self, const struct params *params)
{
    TRY(list_area_read(params, &self->area));
    // Where a kind has no place of its own, whoever answers with places looks at them.
    if (self->area.form != LIST_EVERYWHERE && !self->kind->place && !params->placed)
        return fail(ERR_INVALID,
                    text_size(params->bbox)       ? "/bbox"
                    : self->area.form == LIST_BOX ? "/box"
                                                  : "/near",
                    "is not known of a %s", self->kind->noun);
    return OK;
}

// What it says by names that all lists share.
static fallible
read_params(struct list_query *self, const struct params *params)
{
    const struct {
        enum list_order order;
        const char *pointer;
        const struct text *value;
    } given[] = {{LIST_TYPE, "/type", params->type}, {LIST_TAG, "/tag", params->tag}};
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (text_size(given[i].value) == 0)
            continue;
        if (list_kind_member(self->kind, given[i].order) == LIST_NO_MEMBER)
            return fail(ERR_INVALID, given[i].pointer, "is not known of a %s", self->kind->noun);
        if (text_size(given[i].value) > LIST_VALUE_BYTES)
            return fail(ERR_INVALID, given[i].pointer, "must have at most %d bytes",
                        LIST_VALUE_BYTES);
        TRY(filter_equal(self, given[i].order, given[i].pointer, given[i].value));
    }
    if (text_size(params->created))
        TRY(filter_time(self, LIST_CREATED, "/created", params->created));
    if (text_size(params->changed))
        TRY(filter_time(self, LIST_CHANGED, "/changed", params->changed));
    if (text_size(params->datetime))
        TRY(filter_datetime(self, params->datetime));
    TRY(read_area(self, params));
    return text_size(params->q) ? filter_words(self, params->q) : OK;
}

// --- order and page ---

static bool
is_called(const struct list_kind *kind, enum list_order order, const struct text *name)
{
    const struct field *field = list_kind_field(kind, order);
    return field && (text_is(name, list_order_name(order)) || text_is(name, field->name));
}

static fallible
read_sort(struct message *message, struct list_query *self)
{
    const struct text *sort = message->params->sort;
    if (text_size(sort) == 0)
        return OK;
    self->descending = text_size(sort) > 0 && text_bytes(sort)[0] == '-';
    size_t sign = self->descending;
    const struct text *name =
        text_new(&message->arena, text_bytes(sort) + sign, text_size(sort) - sign);
    for (enum list_order order = LIST_KEY; order <= LIST_CHANGED; order++) {
        if (is_called(self->kind, order, name)) {
            self->sort = order;
            return OK;
        }
    }
    return fail(ERR_INVALID, "/sort", "is no order of a %s", self->kind->noun);
}

static fallible
read_limit(const struct params *params, struct list_query *self)
{
    if (params->num_records > LIST_LIMIT_MOST)
        return fail(ERR_INVALID, "/limit", "must be at most %d", LIST_LIMIT_MOST);
    self->limit = params->num_records ? (uint32_t)params->num_records : LIST_LIMIT;
    return OK;
}

// Everything that decides what the list has, and in which order, and for whom.
static void
print_of(const struct message *message, const struct list_query *self, uint64_t place,
         struct list_print *ret_print)
{
    struct buffer rest = {0};
    const uint64_t numbers[] = {place, self->sort, self->descending, message->caller.role};
    struct token_part parts[7 + LIST_FILTERS_MOST] = {
        {self->kind->noun, strlen(self->kind->noun)},
        {numbers, sizeof numbers},
        {message->caller.user, strlen(message->caller.user)},
        {text_bytes(self->key), text_size(self->key)},
        {&self->area, sizeof self->area},
        {text_bytes(message->params->asset), text_size(message->params->asset)},
    };
    size_t count = 6;
    if (self->rest)
        record_to_json(self->rest, NULL, &rest);
    parts[count++] = (struct token_part){rest.data ? rest.data : "", rest.size};
    for (unsigned i = 0; i < self->filter_count; i++)
        parts[count++] = (struct token_part){&self->filters[i], sizeof self->filters[i]};
    token_digest_parts(parts, count, ret_print->bytes, sizeof ret_print->bytes);
    buffer_finish(&rest);
}

static void
query_begin(struct list_query *self, const struct list_kind *kind)
{
    memset(self, 0, sizeof *self); // padding too: the print covers filters as bytes
    self->kind = kind;
    for (enum list_order order = LIST_KEY; order < LIST_WORD; order++)
        self->fields[order] = list_kind_field(kind, order);
    self->total = -1;
}

void
list_query_of(const struct list_kind *kind, enum list_order sort, const struct record *filter,
              uint32_t limit, struct list_query *ret_query)
{
    query_begin(ret_query, kind);
    ret_query->sort = sort;
    ret_query->limit = limit;
    if (filter) // a record has fewer members that are filters than a query may have
        error_ignore(read_record(ret_query, filter), "what is no filter is looked at");
    if (!(schema_key_field(kind->schema)->flags & FIELD_FILTER))
        ret_query->key = NULL;
}

fallible
list_query_read(struct message *message, const struct list_kind *kind, uint64_t place,
                struct list_query *ret_query)
{
    const struct params *params = message->params;
    query_begin(ret_query, kind);
    TRY(read_sort(message, ret_query));
    TRY(read_limit(params, ret_query));
    if (message->records && message->records->count)
        TRY(read_record(ret_query, message->records->items[0]));
    TRY(read_params(ret_query, params));
    print_of(message, ret_query, place, &ret_query->print);
    if (text_size(params->after) == 0)
        return OK;
    ret_query->has_place = true;
    return list_cursor_read(&message->arena, &ret_query->print, params->after, &ret_query->place,
                            &ret_query->total);
}

// --- answer ---

void
list_answer(struct message *message, const struct list_query *self, int64_t total,
            const struct record *last)
{
    struct envelope *envelope = reply_envelope(message);
    bool is_more = total < 0 || total > LIST_TOTAL_EXACT;
    struct list_place place;
    record_set_integer(&envelope->base, ENVELOPE_TOTAL, is_more ? LIST_TOTAL_EXACT : total);
    envelope->at_least = is_more;
    if (is_more)
        record_mark(&envelope->base, ENVELOPE_AT_LEAST);
    if (!last)
        return;
    list_place_of(self, last, &place);
    record_set_text(&envelope->base, ENVELOPE_NEXT,
                    list_cursor_write(&message->arena, &self->print, &place, is_more ? -1 : total));
}
