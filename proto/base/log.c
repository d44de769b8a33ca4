// log.c - one write(2) an event, so that lines of several threads never mix. Only the format names
// keys, so a value cannot pretend to be another pair: the spaces of the format that end a pair are
// replaced by a separator before the arguments are printed.
#include "proto/base/log.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/clock.h"
#include "proto/base/text.h"

enum {
    FORMAT_BYTES = 512,  // formats are literals of our own
    VALUES_BYTES = 3072, // longer values are cut
    SEPARATOR = '\x1e',
};

static const char *const level_names[] = {"debug", "info", "warning", "error"};

static atomic_int lowest_level = LOG_LEVEL_INFO; // enum log_level
static atomic_int line_format = LOG_TEXT;        // enum log_format

void
log_setup(enum log_level level, enum log_format format)
{
    atomic_store(&lowest_level, (int)level);
    atomic_store(&line_format, (int)format);
}

// The size of the `key` of a `key=` at `words`, or 0.
static size_t
key_size(const char *words)
{
    size_t size = strspn(words, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return words[size] == '=' ? size : 0;
}

// Copies the format with SEPARATOR for each space that ends a pair.
static void
separate(const char *format, char *ret_pattern)
{
    assert(strlen(format) < FORMAT_BYTES);
    for (; *format; format++)
        *ret_pattern++ = *format == ' ' && key_size(format + 1) ? SEPARATOR : *format;
    *ret_pattern = '\0';
}

// Whether the pair's value is one numeric conversion and nothing else.
static bool
is_numeric(const char *pattern)
{
    const char *value = strchr(pattern, '=') + 1;
    size_t size = strcspn(value, "\x1e");
    return size >= 2 && value[0] == '%' && !memchr(value + 1, '%', size - 1) &&
           strcspn(value + 1, "diufg") == size - 2;
}

// Whether JSON would take the characters as a number: no nan, no leading zero.
static bool
is_json_number(const char *value, size_t size)
{
    size_t sign = size && value[0] == '-';
    if (sign == size || !isdigit((unsigned char)value[sign]))
        return false;
    if (value[sign] == '0' && size > sign + 1 && isdigit((unsigned char)value[sign + 1]))
        return false;
    return strspn(value, "-+.0123456789e") >= size;
}

static void
put_escaped(struct buffer *line, const char *character, size_t size)
{
    if (size == 0)
        buffer_put_chars(line, "\\ufffd");
    else if (*character == '"' || *character == '\\')
        buffer_put_format(line, "\\%c", *character);
    else if (*character == '\n')
        buffer_put_chars(line, "\\n");
    else if (utf8_is_control(character, size))
        buffer_put_format(line, "\\u%04x", (unsigned)(unsigned char)character[size - 1]);
    else
        buffer_put(line, character, size);
}

static void
put_quoted(struct buffer *line, const char *value, size_t size)
{
    buffer_put_char(line, '"');
    for (size_t at = 0, step; at < size; at += step ? step : 1) {
        step = utf8_sequence(value + at, size - at);
        put_escaped(line, value + at, step);
    }
    buffer_put_char(line, '"');
}

static bool
needs_quotes(const char *value, size_t size)
{
    if (size == 0)
        return true;
    for (size_t at = 0, step; at < size; at += step) {
        step = utf8_sequence(value + at, size - at);
        if (step == 0 || utf8_is_control(value + at, step) || strchr(" \"\\=", value[at]))
            return true;
    }
    return false;
}

static void
put_pair(struct buffer *line, const char *pattern, const char *value, size_t size)
{
    int key = (int)key_size(pattern);
    bool json = line_format == LOG_JSON;
    buffer_put_format(line, json ? ",\"%.*s\":" : " %.*s=", key, pattern);
    bool bare = json ? is_numeric(pattern) && is_json_number(value, size) //
                     : !needs_quotes(value, size);
    if (bare)
        buffer_put(line, value, size);
    else
        put_quoted(line, value, size);
}

// The end of the value at `value`: the separator before the key that `next` begins with.
static const char *
value_end(const char *value, const char *next)
{
    size_t size = next ? key_size(next) + 1 : 0;
    for (const char *at = value; next && (at = strchr(at, SEPARATOR)); at++)
        if (strncmp(at + 1, next, size) == 0)
            return at;
    return value + strlen(value);
}

static void
put_pairs(struct buffer *line, const char *pattern, const char *values)
{
    while (pattern) {
        const char *next = strchr(pattern, SEPARATOR);
        if (next)
            next++;
        // The line was cut before this pair: nothing is left of it.
        size_t key = key_size(pattern) + 1;
        if (key == 1 || strlen(values) < key)
            return;
        const char *end = value_end(values + key, next);
        put_pair(line, pattern, values + key, (size_t)(end - values) - key);
        values = *end ? end + 1 : end;
        pattern = next;
    }
}

static void
put_head(struct buffer *line, enum log_level level, const char *event)
{
    uint64_t now_us = clock_calendar_us();
    time_t seconds = (time_t)(now_us / 1000000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    char when[32];
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
    unsigned ms = (unsigned)(now_us / 1000 % 1000);
    const char *name = level_names[level];
    if (line_format == LOG_JSON)
        buffer_put_format(line, "{\"time\":\"%s.%03uZ\",\"level\":\"%s\",\"event\":\"%s\"", when,
                          ms, name, event);
    else
        buffer_put_format(line, "%s.%03uZ %s %s", when, ms, name, event);
}

void
log_event(enum log_level level, const char *event, const char *format, ...)
{
    if ((int)level < lowest_level)
        return;
    char pattern[FORMAT_BYTES], values[VALUES_BYTES];
    separate(format, pattern);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values, sizeof(values), pattern, arguments);
    va_end(arguments);

    struct buffer line = {0};
    put_head(&line, level, event);
    put_pairs(&line, pattern, values);
    buffer_put_chars(&line, line_format == LOG_JSON ? "}\n" : "\n");
    // Nobody can be told that the log cannot be written.
    ssize_t ignored = write(STDERR_FILENO, line.data, line.size);
    (void)ignored;
    buffer_finish(&line);
}
