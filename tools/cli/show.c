// show.c - prints keys, one record, or a table.
#include "tools/cli/show.h"

#include <stdbool.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/json_value.h"
#include "tools/cli/sheet.h"

enum { CELL_MAX = 48 };

// The array of records, or the one record.
static const struct json *
find_records(const struct noun *noun, const struct json *answer)
{
    bool is_wrapped = answer && answer->type == JSON_OBJECT && noun->array;
    const struct json *array = is_wrapped ? json_find(answer, noun->array) : NULL;
    return array ? array : answer;
}

size_t
show_count(const struct noun *noun, const struct json *answer)
{
    const struct json *records = find_records(noun, answer);
    if (!records)
        return 0;
    return records->type == JSON_ARRAY ? records->count : 1;
}

const struct json *
show_item(const struct noun *noun, const struct json *answer, size_t index)
{
    const struct json *records = find_records(noun, answer);
    return records->type == JSON_ARRAY ? &records->items[index] : records;
}

// Writes text without quotes and other values as JSON; nothing for null and an empty list.
static void
put_plain(struct buffer *out, const struct json *value)
{
    if (value->type == JSON_TEXT)
        buffer_put(out, text_bytes(value->text), text_size(value->text));
    else if (value->type != JSON_NULL && !(value->type == JSON_ARRAY && value->count == 0))
        json_value_put(out, value);
}

// Writes a list of texts and numbers without its brackets and quotes.
static void
put_list(struct buffer *out, const struct json *value)
{
    bool is_flat = value->type == JSON_ARRAY;
    for (uint32_t i = 0; is_flat && i < value->count; i++)
        is_flat = value->items[i].type <= JSON_TEXT;
    for (uint32_t i = 0; is_flat && i < value->count; i++) {
        if (i)
            buffer_put_chars(out, ", ");
        put_plain(out, &value->items[i]);
    }
    if (!is_flat)
        put_plain(out, value);
}

static void
put_picks(struct buffer *out, const struct column *column, const struct json *value)
{
    for (size_t i = 0; i < COLUMN_PICKS; i++) {
        if (value->type != JSON_ARRAY || column->picks[i] >= value->count)
            continue;
        if (i)
            buffer_put_char(out, ' ');
        put_plain(out, &value->items[column->picks[i]]);
    }
}

static void
add_cell(struct sheet *sheet, const struct column *column, const struct json *record)
{
    owned(buffer_finish) struct buffer cell = {0};
    const struct json *value = json_find(record, column->member);
    if (value && column->picks[1])
        put_picks(&cell, column, value);
    else if (value)
        put_list(&cell, value);
    sheet_add(sheet, cell.data ? cell.data : "", cell.size);
}

static void
show_table(const struct noun *noun, const struct json *answer, FILE *out)
{
    size_t count = show_count(noun, answer);
    owned(sheet_finish) struct sheet sheet = {.cell_max = CELL_MAX};
    while (noun->columns[sheet.columns].title)
        sheet.columns++;
    for (size_t i = 0; i < sheet.columns; i++)
        sheet_add(&sheet, noun->columns[i].title, strlen(noun->columns[i].title));
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < sheet.columns; i++)
            add_cell(&sheet, &noun->columns[i], show_item(noun, answer, row));
    sheet_print(&sheet, out);
}

// Adds a matrix as four rows, the first with the name of the member.
static void
add_matrix(struct sheet *sheet, const struct json_member *member)
{
    struct json row = {.type = JSON_ARRAY, .count = 4};
    owned(buffer_finish) struct buffer cell = {0};
    for (uint32_t i = 0; i < 16; i += 4) {
        row.items = &member->value.items[i];
        buffer_clear(&cell);
        put_list(&cell, &row);
        sheet_add(sheet, i ? " " : text_bytes(member->name), i ? 1 : text_size(member->name));
        sheet_add(sheet, cell.data, cell.size);
    }
}

static void
add_member(struct sheet *sheet, const struct json_member *member)
{
    owned(buffer_finish) struct buffer cell = {0};
    if (member->value.type == JSON_ARRAY && member->value.count == 16 &&
        member->value.items[0].type <= JSON_NUMBER) {
        add_matrix(sheet, member);
        return;
    }
    put_list(&cell, &member->value);
    sheet_add(sheet, text_bytes(member->name), text_size(member->name));
    sheet_add(sheet, cell.data ? cell.data : "", cell.size);
}

static void
show_record(const struct json *record, FILE *out)
{
    owned(sheet_finish) struct sheet sheet = {.columns = 2};
    for (uint32_t i = 0; record->type == JSON_OBJECT && i < record->count; i++)
        add_member(&sheet, &record->members[i]);
    sheet_print(&sheet, out);
}

// What every envelope has says nothing new to who sees that it went well.
static bool
is_of_every_reply(const struct noun *noun, const struct text *name)
{
    static const char *const names[] = {"msg_type", "err_code", "num_records"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_is(name, names[i]))
            return true;
    return noun->array && text_is(name, noun->array);
}

static void
show_reply(const struct noun *noun, const struct json *reply, FILE *out)
{
    owned(sheet_finish) struct sheet sheet = {.columns = 2};
    for (uint32_t i = 0; reply && reply->type == JSON_OBJECT && i < reply->count; i++)
        if (!is_of_every_reply(noun, reply->members[i].name))
            add_member(&sheet, &reply->members[i]);
    sheet_print(&sheet, out);
}

static void
show_keys(const struct noun *noun, const struct json *answer, FILE *out)
{
    size_t count = show_count(noun, answer);
    owned(sheet_finish) struct sheet sheet = {.columns = 1};
    for (size_t i = 0; i < count; i++) {
        const struct json *record = show_item(noun, answer, i);
        const char *key = json_value_chars(record, "key", json_value_chars(record, "id", ""));
        sheet_add(&sheet, key, strlen(key));
    }
    sheet_print(&sheet, out);
}

fallible
show_answer(const struct verb *verb, const struct json *answer, FILE *out)
{
    const struct json *page = verb->array && answer ? json_find(answer, verb->array) : NULL;
    answer = page ? page : answer;
    switch (verb->output) {
    case OUTPUT_KEYS:
        show_keys(verb->noun, answer, out);
        break;
    case OUTPUT_TABLE:
        show_table(verb->noun, answer, out);
        break;
    case OUTPUT_RECORD:
        if (show_count(verb->noun, answer) == 0)
            return fail(ERR_NOT_FOUND, "", "there is no such %s", verb->noun->name);
        show_record(show_item(verb->noun, answer, 0), out);
        break;
    case OUTPUT_RECORDS:
        for (size_t i = 0; i < show_count(verb->noun, answer); i++)
            show_record(show_item(verb->noun, answer, i), out);
        break;
    case OUTPUT_REPLY:
        show_reply(verb->noun, answer, out);
        break;
    case OUTPUT_NOTHING:
        break;
    }
    return OK;
}
