// calendar_time.c - see calendar_time.h.
#include "tools/cli/calendar_time.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SECOND_US = 1000000, MINUTE_S = 60, HOUR_S = 3600 };

// Behind the seconds: `.5`, to microseconds; further digits are left out.
static const char *
read_fraction(const char *text, uint64_t *ret_us)
{
    uint64_t unit = SECOND_US;
    *ret_us = 0;
    if (*text != '.' || !isdigit((unsigned char)text[1]))
        return text;
    for (text++; isdigit((unsigned char)*text); text++)
        *ret_us += (unit /= 10) * (uint64_t)(*text - '0');
    return text;
}

// Z, or +hh:mm and -hh:mm, and nothing behind it.
static bool
read_zone(const char *text, int64_t *ret_east_s)
{
    unsigned hours, minutes;
    int size = 0;
    *ret_east_s = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    bool is_zone = (*text == '+' || *text == '-') && isdigit((unsigned char)text[1]) &&
                   sscanf(text + 1, "%2u:%2u%n", &hours, &minutes, &size) == 2 && size == 5 &&
                   text[6] == '\0' && hours < 24 && minutes < MINUTE_S;
    if (is_zone)
        *ret_east_s =
            ((int64_t)hours * HOUR_S + (int64_t)minutes * MINUTE_S) * (*text == '-' ? -1 : 1);
    return is_zone;
}

bool
calendar_time_read(const char *text, uint64_t *ret_time_us)
{
    struct tm day = {0};
    uint64_t fraction_us;
    int64_t east_s;
    const char *rest =
        isdigit((unsigned char)*text) ? strptime(text, "%Y-%m-%dT%H:%M:%S", &day) : NULL;
    if (!rest || !read_zone(read_fraction(rest, &fraction_us), &east_s))
        return false;
    int asked_day = day.tm_mday;
    int64_t seconds = timegm(&day) - east_s; // it turns February 30th into another day
    if (seconds < 0 || day.tm_mday != asked_day)
        return false;
    *ret_time_us = (uint64_t)seconds * SECOND_US + fraction_us;
    return true;
}
