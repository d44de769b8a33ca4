// json_text_test.c - JSON texts to trees: values, order, limits, and what is said of bad ones.
#include "proto/codec/json_text.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(parse, .fini = finish);

static const struct json *
parsed(const char *chars)
{
    const struct json *value;
    cr_assert_eq(json_parse(&arena, chars, strlen(chars), &value), OK, "%s: %s", chars,
                 fault_last()->detail);
    return value;
}

static void
refused(const char *chars, size_t size, enum error error, const char *detail)
{
    const struct json *value = NULL;
    cr_assert_eq(json_parse(&arena, chars, size, &value), error, "%s", chars);
    cr_assert_null(value);
    cr_assert_str_eq(fault_last()->detail, detail);
}

enum { THREADS = 64 };

// Parses one document, and lives on.
struct resting {
    pthread_t thread;
    pthread_barrier_t *barrier;
};

static void *
parse_and_rest(void *context)
{
    struct arena own = {0};
    struct resting *self = context;
    const struct json *value;
    cr_assert_eq(json_parse(&own, "[1]", 3, &value), OK);
    arena_finish(&own);
    pthread_barrier_wait(self->barrier); // its document is done
    pthread_barrier_wait(self->barrier); // all are
    return NULL;
}

Test(parse, threads_that_parsed_once_keep_no_memory)
{
    pthread_barrier_t barriers[THREADS];
    struct resting all[THREADS];
    parsed("[1]");
    size_t before = mallinfo2().uordblks;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_barrier_init(&barriers[i], NULL, 2);
        all[i].barrier = &barriers[i];
        pthread_create(&all[i].thread, NULL, parse_and_rest, &all[i]);
        pthread_barrier_wait(&barriers[i]);
    }
    size_t grown = mallinfo2().uordblks - before;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_barrier_wait(&barriers[i]);
        pthread_join(all[i].thread, NULL);
        pthread_barrier_destroy(&barriers[i]);
    }
    cr_assert_lt(grown, (size_t)THREADS * 10000, "each of them keeps %zu bytes", grown / THREADS);
}

Test(parse, every_type_comes_with_its_value)
{
    const struct json *value = parsed("[null,true,-7,0.5,\"a\\u00e9\",[],{\"n\":1}]");
    cr_assert_eq(value->type, JSON_ARRAY);
    cr_assert_eq(value->count, 7);
    cr_assert_eq(value->items[0].type, JSON_NULL);
    cr_assert(value->items[1].type == JSON_BOOL && value->items[1].boolean);
    cr_assert(value->items[2].type == JSON_INTEGER && value->items[2].integer == -7);
    cr_assert(value->items[3].type == JSON_NUMBER && value->items[3].number == 0.5);
    cr_assert(value->items[4].type == JSON_TEXT && text_is(value->items[4].text, "aé"));
    cr_assert(value->items[5].type == JSON_ARRAY && value->items[5].count == 0);
    cr_assert(value->items[6].type == JSON_OBJECT && value->items[6].count == 1);
}

// 4,095 values are the most that a datagram of 8 KiB can hold; it may ask for 64 KiB at once.
Test(parse, the_values_of_a_datagram_fit_64_kib)
{
    cr_assert_leq(4095 * sizeof(struct json), 65536 - 16);
}

Test(parse, members_keep_their_order_and_are_found_by_name)
{
    const struct json *value = parsed("{\"b\":1,\"a\":2}");
    cr_assert(text_is(value->members[0].name, "b"));
    cr_assert(text_is(value->members[1].name, "a"));
    cr_assert_eq(json_find(value, "a")->integer, 2);
    cr_assert_null(json_find(value, "c"));
    cr_assert_null(json_find(parsed("[1]"), "a"));
}

Test(parse, integers_beyond_int64_come_as_numbers)
{
    cr_assert_eq(parsed("9223372036854775807")->type, JSON_INTEGER);
    cr_assert_eq(parsed("9223372036854775807")->integer, INT64_MAX);
    cr_assert_eq(parsed("9223372036854775808")->type, JSON_NUMBER);
    cr_assert_eq(parsed("9223372036854775808")->number, 9223372036854775808.0);
    cr_assert_eq(parsed("18446744073709551615")->number, 18446744073709551616.0);
}

Test(parse, minus_zero_keeps_its_sign_only_as_a_number)
{
    cr_assert_eq(parsed("-0")->type, JSON_INTEGER);
    cr_assert(signbit(parsed("-0.0")->number));
}

Test(parse, the_tree_borrows_nothing_from_the_text)
{
    char chars[] = "{\"name\":\"cube\"}";
    const struct json *value = parsed(chars);
    memset(chars, 'x', sizeof chars);
    cr_assert(text_is(value->members[0].name, "name"));
    cr_assert(text_is(value->members[0].value.text, "cube"));
}

Test(parse, a_text_may_end_where_its_memory_ends)
{
    static const char chars[] = "[1,2,\"three\"]";
    for (size_t size = 1; size < sizeof chars; size++) {
        char *exact = malloc(size); // the sanitizer sees a byte read behind it
        memcpy(exact, chars, size);
        const struct json *value;
        cr_assert_eq(json_parse(&arena, exact, size, &value),
                     size == sizeof chars - 1 ? OK : ERR_MALFORMED);
        free(exact);
    }
}

Test(parse, what_is_wrong_is_said)
{
    refused("", 0, ERR_MALFORMED, "There is no JSON.");
    refused("[1,", 3, ERR_MALFORMED, "This is not JSON.");
    refused("\"\xff\"", 3, ERR_MALFORMED, "The JSON is not UTF-8.");
    refused("[1e999]", 7, ERR_MALFORMED, "The JSON has a number that is none, or is too large.");
    refused("{\"a\":1,\"a\":2}", 13, ERR_MALFORMED,
            "The JSON has the same name twice in one object.");
    refused("\"\\ud800\"", 8, ERR_MALFORMED, "The JSON has a string that is none.");
}

Test(parse, the_depth_ends_at_32_for_small_and_for_large_documents)
{
    static const size_t paddings[] = {0, 4 * LIMIT_DATAGRAM_BYTES};
    for (size_t i = 0; i < 2; i++)
        for (size_t depth = LIMIT_JSON_DEPTH; depth <= LIMIT_JSON_DEPTH + 1; depth++) {
            const struct json *value;
            buffer_clear(&out);
            for (size_t j = 0; j < paddings[i]; j++)
                buffer_put_char(&out, ' ');
            for (size_t j = 0; j < depth; j++)
                buffer_put_char(&out, '[');
            for (size_t j = 0; j < depth; j++)
                buffer_put_char(&out, ']');
            cr_assert_eq(json_parse(&arena, out.data, out.size, &value),
                         depth == LIMIT_JSON_DEPTH ? OK : ERR_MALFORMED, "%zu, %zu", depth,
                         paddings[i]);
        }
    cr_assert_str_eq(fault_last()->detail, "The JSON is nested deeper than 32 levels.");
}

Test(parse, a_bomb_of_brackets_is_refused)
{
    for (size_t i = 0; i < 1 << 20; i++)
        buffer_put_char(&out, '[');
    const struct json *value;
    cr_assert_eq(json_parse(&arena, out.data, out.size, &value), ERR_MALFORMED);
}

Test(parse, more_values_than_the_limit_are_too_large)
{
    const struct json *value;
    buffer_put_char(&out, '[');
    for (size_t i = 0; i < LIMIT_JSON_VALUES; i++)
        buffer_put_chars(&out, "1,");
    buffer_put_chars(&out, "1]");
    cr_assert_eq(json_parse(&arena, out.data, out.size, &value), ERR_TOO_LARGE);
    cr_assert_eq(arena.size, 0, "nothing was allocated for it");
}

// Whatever a document is made of, its tree takes no more than was said.
Test(parse, brackets_and_other_values_take_what_json_cost_says)
{
    static const char *const items[] = {"[],",   "{},",        "0,",      "[0],",
                                        "\"\",", "{\"a\":0},", "[[[]]],", "{\"\":\"\"},"};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const struct json *value;
        buffer_clear(&out);
        arena_finish(&arena);
        buffer_put_char(&out, '[');
        while (out.size < 1 << 18)
            buffer_put_chars(&out, items[i]);
        out.data[out.size - 1] = ']';
        cr_assert_eq(json_parse(&arena, out.data, out.size, &value), OK);
        cr_expect_leq(arena.size, 10 * out.size, "%s: %zu", items[i], arena.size);
        cr_expect_leq(arena.size, json_cost(out.data, out.size, 0), "%s", items[i]);
    }
}

Test(parse, many_names_are_compared_in_reasonable_time_and_a_double_is_found)
{
    enum { NAMES = 50000 };
    const struct json *value;
    buffer_put_char(&out, '{');
    for (unsigned i = 0; i < NAMES; i++)
        buffer_put_format(&out, "\"name %u\":1,", i);
    size_t size = out.size;
    buffer_put_chars(&out, "\"name 50000\":1}");
    cr_assert_eq(json_parse(&arena, out.data, out.size, &value), OK);
    cr_assert_eq(value->count, NAMES + 1);
    out.size = size;
    buffer_put_chars(&out, "\"name 31415\":1}");
    cr_assert_eq(json_parse(&arena, out.data, out.size, &value), ERR_MALFORMED);
}
