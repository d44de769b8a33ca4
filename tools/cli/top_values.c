// top_values.c - see the header.
#include "tools/cli/top_values.h"

#include <math.h>
#include <stdlib.h>

static double
number_of(const struct json *json)
{
    return json->type == JSON_INTEGER  ? (double)json->integer
           : json->type == JSON_NUMBER ? json->number
                                       : NAN;
}

struct top_span
top_span_of(const struct json *values)
{
    struct top_span span = {NAN, NAN, NAN};
    double sum = 0;
    size_t count = 0;
    for (uint32_t i = 0; values->type == JSON_ARRAY && i < values->count; i++) {
        double value = number_of(&values->items[i]);
        span.now = value;
        if (isnan(value))
            continue;
        sum += value;
        count++;
        span.most = isnan(span.most) ? value : fmax(span.most, value);
    }
    if (count)
        span.mean = sum / (double)count;
    return span;
}

static void
put_bytes(struct buffer *out, double value)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1024;
    buffer_put_format(out, "%.*f %s", unit == 0 || value >= 100 ? 0 : 1, value, units[unit]);
}

void
top_value_put(struct buffer *out, double value, const char *unit)
{
    if (isnan(value)) {
        buffer_put_char(out, '-');
        return;
    }
    if (strcmp(unit, "bytes") == 0) {
        put_bytes(out, value);
        return;
    }
    bool is_whole = value == floor(value), is_large = fabs(value) >= 100;
    buffer_put_format(out, "%.*f", is_whole || is_large ? 0 : fabs(value) >= 10 ? 1 : 2, value);
    if (strcmp(unit, "1/s") == 0)
        buffer_put_chars(out, " /s");
    else if (*unit)
        buffer_put_format(out, " %s", unit);
}
