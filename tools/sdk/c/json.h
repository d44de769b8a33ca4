// json.h - JSON to trees and back (diorama.h).
#ifndef DIORAMA_JSON_H
#define DIORAMA_JSON_H

#include <locale.h>
#include <math.h>

#include "tools/sdk/c/memory.h"

enum { DIO_DEPTH = 64 };

struct dio_json {
    struct diorama_arena *arena;
    const char *at, *end;
};

static bool dio_json_value(struct dio_json *self, unsigned depth, struct diorama_value *ret_value);

static void
dio_json_blanks(struct dio_json *self)
{
    while (self->at < self->end &&
           (*self->at == ' ' || *self->at == '\n' || *self->at == '\r' || *self->at == '\t'))
        self->at++;
}

static bool
dio_json_next(struct dio_json *self, char wanted)
{
    dio_json_blanks(self);
    if (self->at == self->end || *self->at != wanted)
        return false;
    self->at++;
    return true;
}

static bool
dio_json_word(struct dio_json *self, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(self->end - self->at) < size || memcmp(self->at, word, size) != 0)
        return false;
    self->at += size;
    return true;
}

// Reads the point as the locale writes it, whatever that is.
static double
dio_double(const char *text, char **ret_end)
{
    char local[64];
    char point = *localeconv()->decimal_point;
    size_t size = strspn(text, "+-.0123456789eE");
    if (point == '.' || size >= sizeof local)
        return strtod(text, ret_end);
    memcpy(local, text, size);
    local[size] = '\0';
    for (size_t i = 0; i < size; i++)
        local[i] = local[i] == '.' ? point : local[i];
    char *end;
    double number = strtod(local, &end);
    *ret_end = (char *)(uintptr_t)text + (end - local);
    return number;
}

static bool
dio_json_number(struct dio_json *self, struct diorama_value *ret_value)
{
    char text[400], *end;
    size_t size = 0;
    while (size < sizeof text - 1 && self->at + size < self->end &&
           strchr("+-.0123456789eE", self->at[size]) && self->at[size])
        size++;
    memcpy(text, self->at, size);
    text[size] = '\0';
    if (size == 0 || text[0] == '+' || text[0] == '.')
        return false;
    ret_value->type = DIORAMA_NUMBER;
    ret_value->of.number = dio_double(text, &end);
    self->at += size;
    return *end == '\0' && isfinite(ret_value->of.number);
}

static bool
dio_hex4(const char *at, unsigned *ret_code)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        code = code * 16 + digit;
    }
    *ret_code = code;
    return true;
}

static char *
dio_put_utf8(char *out, unsigned code)
{
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size == 1) {
        *out = (char)code;
        return out + 1;
    }
    for (int i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(heads[size] | code);
    return out + size;
}

// What stands behind a backslash; it is never longer than what said it.
static char *
dio_json_escape(struct dio_json *self, char *out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    unsigned code, low;
    if (self->at == self->end)
        return NULL;
    char c = *self->at++;
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        *out = values[name - names];
        return out + 1;
    }
    if (c != 'u' || self->end - self->at < 4 || !dio_hex4(self->at, &code))
        return NULL;
    self->at += 4;
    if (code < 0xd800 || code > 0xdfff)
        return dio_put_utf8(out, code);
    if (code > 0xdbff || self->end - self->at < 6 || self->at[0] != '\\' || self->at[1] != 'u' ||
        !dio_hex4(self->at + 2, &low) || low < 0xdc00 || low > 0xdfff)
        return NULL;
    self->at += 6;
    return dio_put_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
}

static bool
dio_json_text(struct dio_json *self, struct diorama_value *ret_value)
{
    const char *close = self->at;
    while (close < self->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= self->end)
        return false;
    char *text = dio_take(self->arena, (size_t)(close - self->at) + 1), *out = text;
    while (text && out && self->at < close) {
        unsigned char c = (unsigned char)*self->at++;
        if (c < 0x20)
            return false;
        if (c == '\\')
            out = dio_json_escape(self, out);
        else
            *out++ = (char)c;
    }
    if (!text || !out)
        return false;
    *out = '\0';
    self->at = close + 1;
    ret_value->type = DIORAMA_TEXT;
    ret_value->count = (size_t)(out - text);
    ret_value->of.text = text;
    return true;
}

// Room for one more of what grows by doubling.
static void *
dio_json_room(struct diorama_arena *arena, void *items, size_t count, size_t size)
{
    if (count & (count - 1) || (count && count < 4))
        return items;
    void *grown = dio_take_items(arena, count ? 2 * count : 4, size);
    if (grown && count)
        memcpy(grown, items, count * size);
    return grown;
}

static bool
dio_json_array(struct dio_json *self, unsigned depth, struct diorama_value *ret_value)
{
    ret_value->type = DIORAMA_ARRAY;
    if (dio_json_next(self, ']'))
        return true;
    do {
        struct diorama_value *items =
            dio_json_room(self->arena, ret_value->of.items, ret_value->count, sizeof *items);
        if (!items)
            return false;
        ret_value->of.items = items;
        if (!dio_json_value(self, depth + 1, &items[ret_value->count++]))
            return false;
    } while (dio_json_next(self, ','));
    return dio_json_next(self, ']');
}

static bool
dio_json_map(struct dio_json *self, unsigned depth, struct diorama_value *ret_value)
{
    ret_value->type = DIORAMA_MAP;
    if (dio_json_next(self, '}'))
        return true;
    do {
        struct diorama_pair *pairs =
            dio_json_room(self->arena, ret_value->of.pairs, ret_value->count, sizeof *pairs);
        if (!pairs)
            return false;
        ret_value->of.pairs = pairs;
        struct diorama_pair *pair = &pairs[ret_value->count++];
        if (!dio_json_next(self, '"') || !dio_json_text(self, &pair->name) ||
            !dio_json_next(self, ':') || !dio_json_value(self, depth + 1, &pair->value))
            return false;
    } while (dio_json_next(self, ','));
    return dio_json_next(self, '}');
}

static bool
dio_json_value(struct dio_json *self, unsigned depth, struct diorama_value *ret_value)
{
    *ret_value = (struct diorama_value){0};
    dio_json_blanks(self);
    if (depth > DIO_DEPTH || self->at == self->end)
        return false;
    switch (*self->at) {
    case '{':
        self->at++;
        return dio_json_map(self, depth, ret_value);
    case '[':
        self->at++;
        return dio_json_array(self, depth, ret_value);
    case '"':
        self->at++;
        return dio_json_text(self, ret_value);
    case 'n':
        return dio_json_word(self, "null");
    case 't':
    case 'f':
        ret_value->type = DIORAMA_BOOL;
        ret_value->of.boolean = *self->at == 't';
        return dio_json_word(self, ret_value->of.boolean ? "true" : "false");
    default:
        return dio_json_number(self, ret_value);
    }
}

bool
diorama_read_json(struct diorama_arena *arena, const char *data, size_t size,
                  struct diorama_value *ret_value)
{
    struct dio_json self = {arena, data, data + size};
    if (!dio_json_value(&self, 0, ret_value))
        return false;
    dio_json_blanks(&self);
    return self.at == self.end;
}

const struct diorama_value *
diorama_find(const struct diorama_value *map, const char *name)
{
    if (!map || map->type != DIORAMA_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct diorama_pair *pair = &map->of.pairs[i];
        if (pair->name.type == DIORAMA_TEXT && strcmp(pair->name.of.text, name) == 0)
            return &pair->value;
    }
    return NULL;
}

static const char *
dio_find_text(const struct diorama_value *map, const char *name)
{
    const struct diorama_value *value = diorama_find(map, name);
    return value && value->type == DIORAMA_TEXT ? value->of.text : "";
}

static double
dio_find_number(const struct diorama_value *map, const char *name)
{
    const struct diorama_value *value = diorama_find(map, name);
    return value && value->type == DIORAMA_NUMBER ? value->of.number : 0;
}

// A number of events, of what a stranger may have sent.
static uint64_t
dio_find_count(const struct diorama_value *map, const char *name)
{
    double number = dio_find_number(map, name);
    return number >= 0 && number < 9007199254740992.0 ? (uint64_t)number : 0;
}

// --- writing ---

static void
dio_put_json_text(struct dio_text *out, const char *text, size_t size)
{
    dio_put(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20)
            dio_put_format(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            dio_put_format(out, "\\%c", c);
        else
            dio_put(out, &text[i], 1);
    }
    dio_put(out, "\"", 1);
}

// The shortest of three precisions that reads back as the same number.
static void
dio_put_number(struct dio_text *out, double number)
{
    char text[40], *end;
    for (int digits = 15; digits <= 17; digits++) {
        int size = snprintf(text, sizeof text, "%.*g", digits, number);
        for (int i = 0; i < size; i++)
            text[i] = text[i] == *localeconv()->decimal_point ? '.' : text[i];
        double again = dio_double(text, &end);
        if (again >= number && again <= number)
            break;
    }
    dio_put_chars(out, text);
}

static void
dio_put_value(struct dio_text *out, const struct diorama_value *value)
{
    switch (value->type) {
    case DIORAMA_NULL:
    case DIORAMA_BINARY:
        dio_put_chars(out, "null");
        break;
    case DIORAMA_BOOL:
        dio_put_chars(out, value->of.boolean ? "true" : "false");
        break;
    case DIORAMA_NUMBER:
        dio_put_number(out, value->of.number);
        break;
    case DIORAMA_TEXT:
        dio_put_json_text(out, value->of.text, value->count);
        break;
    case DIORAMA_ARRAY:
        for (size_t i = 0; i < value->count; i++) {
            dio_put_chars(out, i ? "," : "[");
            dio_put_value(out, &value->of.items[i]);
        }
        dio_put_chars(out, value->count ? "]" : "[]");
        break;
    case DIORAMA_MAP:
        for (size_t i = 0; i < value->count; i++) {
            dio_put_chars(out, i ? "," : "{");
            dio_put_value(out, &value->of.pairs[i].name);
            dio_put_chars(out, ":");
            dio_put_value(out, &value->of.pairs[i].value);
        }
        dio_put_chars(out, value->count ? "}" : "{}");
        break;
    }
}

#endif
