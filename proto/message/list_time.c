// list_time.c - reads intervals of time (list_time.h).
#include "proto/message/list_time.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { SECOND_US = 1000000, FRACTION_DIGITS = 6 };

// Reads exactly `count` digits.
static bool
read_digits(const char **at, unsigned count, int *ret_number)
{
    *ret_number = 0;
    for (unsigned i = 0; i < count; i++, (*at)++) {
        if (!isdigit((unsigned char)**at))
            return false;
        *ret_number = *ret_number * 10 + (**at - '0');
    }
    return true;
}

// A number behind one of these characters.
static bool
read_part(const char **at, const char *before, unsigned count, int *ret_number)
{
    if (before[0] && (!**at || !strchr(before, **at)))
        return false;
    *at += before[0] != '\0';
    return read_digits(at, count, ret_number);
}

// ".25": microseconds; what is finer is cut off. Without a fraction -1.
static bool
read_fraction(const char **at, int *ret_us)
{
    *ret_us = -1;
    if (**at != '.')
        return true;
    int us = 0, digits = 0;
    for ((*at)++; isdigit((unsigned char)**at); (*at)++, digits++)
        if (digits < FRACTION_DIGITS)
            us = us * 10 + (**at - '0');
    for (int i = digits; i < FRACTION_DIGITS; i++)
        us *= 10;
    *ret_us = us;
    return digits > 0;
}

// "Z" or "+01:30"; how far east of UTC that is.
static bool
read_zone(const char **at, int *ret_east_s)
{
    int hours, minutes, sign = **at == '-' ? -1 : 1;
    *ret_east_s = 0;
    if (**at == 'Z' || **at == 'z') {
        (*at)++;
        return true;
    }
    if (!read_part(at, "+-", 2, &hours) || !read_part(at, ":", 2, &minutes) || hours > 23 ||
        minutes > 59)
        return false;
    *ret_east_s = sign * (hours * 3600 + minutes * 60);
    return true;
}

// Reads an instant up to `end`; the first and the last microsecond that it means.
static bool
read_instant(const char *at, const char *end, struct list_time *ret_time)
{
    struct tm day = {0};
    int year, month, hour, minute, second, us, east_s;
    if (!read_part(&at, "", 4, &year) || !read_part(&at, "-", 2, &month) ||
        !read_part(&at, "-", 2, &day.tm_mday) || !read_part(&at, "Tt", 2, &hour) ||
        !read_part(&at, ":", 2, &minute) || !read_part(&at, ":", 2, &second) ||
        !read_fraction(&at, &us) || !read_zone(&at, &east_s) || at != end)
        return false;
    day.tm_year = year - 1900;
    day.tm_mon = month - 1;
    const struct tm said = day;
    int64_t midnight_s = timegm(&day); // it turns February 30th into another day
    if (day.tm_mon != said.tm_mon || day.tm_mday != said.tm_mday || hour > 23 || minute > 59 ||
        second > 60) // a leap second
        return false;
    int64_t time_s = midnight_s + hour * 3600 + minute * 60 + second - east_s;
    ret_time->from = time_s * SECOND_US + (us < 0 ? 0 : us);
    ret_time->to = ret_time->from + (us < 0 ? SECOND_US - 1 : 0);
    return true;
}

static bool
is_open(const char *at, const char *end)
{
    return at == end || (end - at == 2 && memcmp(at, "..", 2) == 0);
}

static bool
read_interval(const char *chars, const char *slash, struct list_time *ret_time)
{
    const char *last = slash + 1, *end = last + strlen(last);
    struct list_time from = {.from = INT64_MIN}, to = {.to = INT64_MAX};
    bool is_open_before = is_open(chars, slash), is_open_behind = is_open(last, end);
    if ((is_open_before && is_open_behind) ||
        (!is_open_before && !read_instant(chars, slash, &from)) ||
        (!is_open_behind && !read_instant(last, end, &to)) || from.from > to.to)
        return false;
    *ret_time = (struct list_time){from.from, to.to};
    return true;
}

fallible
list_time_read(const struct text *text, struct list_time *ret_time)
{
    const char *chars = text_chars(text), *slash = strchr(chars, '/');
    bool is_read = slash ? read_interval(chars, slash, ret_time)
                         : read_instant(chars, chars + strlen(chars), ret_time);
    if (!is_read || strlen(chars) != text_size(text))
        return fail(ERR_INVALID, "/datetime",
                    "must be a time as in RFC 3339, or FROM/TO, where .. is an open end");
    return OK;
}
