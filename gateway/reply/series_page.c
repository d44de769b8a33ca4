// series_page.c - series of the server as JSON (series_page.h). Any worker thread.
#include "gateway/reply/series_page.h"

#include <math.h>
#include <string.h>

#include "proto/codec/json_write.h"
#include "proto/message/series.h"
#include "proto/records/params.h"

enum { SECONDS = 600, STEP_MS = 1000 };

// The bits of the series that a list names.
static fallible
read_names(const struct text *list, uint64_t *ret_wanted)
{
    const char *at = text_chars(list), *end = at + text_size(list);
    *ret_wanted = 0;
    while (at <= end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t size = (size_t)((comma ? comma : end) - at);
        unsigned place = series_find(at, size);
        if (place == series_count)
            return fail(ERR_INVALID, "/names", "there is no series %.*s", (int)size, at);
        *ret_wanted |= UINT64_C(1) << place;
        at += size + 1;
    }
    return OK;
}

static void
put_units(uint64_t wanted, struct buffer *out)
{
    json_write_begin(out, "units", '{');
    for (unsigned i = 0; i < series_count; i++)
        if (wanted >> i & 1)
            json_write_text(out, series_rows[i].name, series_rows[i].unit);
    json_write_end(out, '}');
}

static void
put_value(double value, struct buffer *out)
{
    if (isnan(value)) {
        json_write_value_begin(out, NULL);
        buffer_put_chars(out, "null");
    } else {
        json_write_number(out, NULL, round(value * 1000) / 1000);
    }
}

static void
put_values(uint64_t wanted, const struct series_window *window, unsigned count, struct buffer *out)
{
    const double *values = window->values;
    json_write_begin(out, "series", '{');
    for (unsigned i = 0; i < series_count; i++) {
        if (!(wanted >> i & 1))
            continue;
        json_write_begin(out, series_rows[i].name, '[');
        for (unsigned n = window->count - count; n < window->count; n++)
            put_value(values[n], out);
        json_write_end(out, ']');
        values += window->count;
    }
    json_write_end(out, '}');
}

void
series_put(uint64_t wanted, const struct series_window *window, unsigned count, struct buffer *out)
{
    json_write_number(out, "step_ms", STEP_MS);
    json_write_number(out, "until_us", (double)window->until_us);
    put_units(wanted, out);
    put_values(wanted, window, count, out);
}

fallible
series_wish_read(const struct params *params, uint64_t *ret_wanted, unsigned *ret_seconds)
{
    uint64_t wanted = UINT64_MAX;
    if (record_has(&params->base, PARAMS_SERIES))
        TRY(read_names(params->series, &wanted));
    bool has_seconds = record_has(&params->base, PARAMS_SECONDS);
    *ret_wanted = wanted;
    *ret_seconds = has_seconds ? (unsigned)params->seconds : SECONDS;
    return OK;
}

fallible
series_page_print(const struct probe *probe, struct buffer *out)
{
    uint64_t wanted;
    unsigned seconds;
    TRY(series_wish_read(probe->params, &wanted, &seconds));
    struct series_window window;
    series_window_take(wanted, seconds, &window);
    struct buffer page = {0}; // json_write looks at what stands before, and `out` has room there
    json_write_begin(&page, NULL, '{');
    series_put(wanted, &window, window.count, &page);
    json_write_end(&page, '}');
    buffer_put(out, page.data, page.size);
    buffer_finish(&page);
    series_window_finish(&window);
    return OK;
}
