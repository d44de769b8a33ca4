// json_text_test.c - JSON texts against jansson, numbers against their own bits.
#include "proto/codec/json_text.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "tests/proto/codec/json_corpus.h"
#include "tests/support/oracle.h"
#include "tests/support/samples.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(parse, .fini = finish);
TestSuite(against_jansson, .fini = finish, .timeout = 240);
TestSuite(print, .fini = finish);

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

// --- parsing -------------------------------------------------------------------------------------

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

// --- jansson as the oracle -----------------------------------------------------------------------

static void
put_form(struct buffer *form, const struct json *value)
{
    bool object = value->type == JSON_OBJECT;
    switch (value->type) {
    case JSON_NULL:
        buffer_put_char(form, 'n');
        break;
    case JSON_BOOL:
        buffer_put_char(form, value->boolean ? 't' : 'f');
        break;
    case JSON_INTEGER:
        buffer_put_format(form, "i%lld", (long long)value->integer);
        break;
    case JSON_NUMBER:
        oracle_put_number(form, value->number);
        break;
    case JSON_TEXT:
        oracle_put_text(form, value->text->data, value->text->size);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        buffer_put_char(form, object ? '{' : '[');
        for (uint32_t i = 0; i < value->count; i++) {
            const struct text *name = object ? value->members[i].name : NULL;
            if (name)
                oracle_put_text(form, name->data, name->size);
            put_form(form, object ? &value->members[i].value : &value->items[i]);
        }
        buffer_put_char(form, object ? '}' : ']');
        break;
    }
}

// What came of comparing: how many texts both accept, both refuse, and how many differ as
// proto/codec/README.md allows.
struct tally {
    size_t accepted, refused, allowed;
};

static void
compare(const char *data, size_t size, struct tally *tally)
{
    static struct buffer ours, theirs;
    struct arena tree = {0};
    const struct json *value;
    size_t depth = 0;
    buffer_clear(&ours);
    buffer_clear(&theirs);
    bool accepts = json_parse(&tree, data, size, &value) == OK;
    enum oracle_verdict verdict = oracle_read(data, size, &theirs, &depth);
    if (accepts && verdict == ORACLE_ACCEPTS) {
        put_form(&ours, value);
        cr_assert(ours.size == theirs.size && memcmp(ours.data, theirs.data, ours.size) == 0,
                  "read differently: %.*s", (int)size, data);
        tally->accepted++;
    } else if (accepts) {
        cr_assert_neq(verdict, ORACLE_REFUSES, "only we accept: %.*s", (int)size, data);
        tally->allowed++;
    } else if (verdict == ORACLE_ACCEPTS) {
        cr_assert_gt(depth, LIMIT_JSON_DEPTH, "only jansson accepts: %.*s", (int)size, data);
        tally->allowed++;
    } else {
        tally->refused++;
    }
    arena_finish(&tree);
}

Test(against_jansson, tricky_texts_are_read_as_the_corpus_says)
{
    size_t count = sizeof json_cases / sizeof json_cases[0];
    struct tally tally = {0};
    size_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        const struct json_case *row = &json_cases[i];
        const struct json *value;
        bool good = json_parse(&arena, row->chars, row->size, &value) == OK;
        cr_assert_eq(good, row->good, "case %zu: %s", i, row->chars);
        compare(row->chars, row->size, &tally);
        odd += row->odd;
        cr_assert_eq(tally.allowed, odd, "case %zu: %s", i, row->chars);
    }
    cr_assert_geq(count, 150);
}

// A document by chance: `budget` bounds its values.
static void
put_document(struct random *random, size_t depth, unsigned *budget)
{
    static const char *const scalars[] = {"null", "true", "false", "0",     "-0",  "1e3",
                                          "-1.5", "\"\"", "1E-7",  "0.1e1", "[ ]", "{ }"};
    uint64_t kind = random_below(random, depth < 36 && *budget ? 8 : 5);
    *budget -= *budget > 0;
    if (kind == 0) {
        buffer_put_chars(&out, scalars[random_below(random, sizeof scalars / sizeof scalars[0])]);
    } else if (kind == 1) {
        json_put_number(&out, random_number(random));
    } else if (kind == 2) {
        buffer_put_format(&out, "%lld", (long long)random_next(random));
    } else if (kind <= 4) {
        const struct text *text = random_text(random, &arena, 30);
        json_put_text(&out, text->data, text->size);
    } else {
        bool object = kind == 5;
        uint64_t items = depth % 5 ? random_below(random, 5) : 1;
        buffer_put_char(&out, object ? '{' : '[');
        for (uint64_t i = 0; i < items; i++) {
            if (i)
                buffer_put_char(&out, ',');
            if (object)
                buffer_put_format(&out, "\"%c%u\":", (int)('a' + random_below(random, 3)),
                                  (unsigned)random_below(random, 9));
            put_document(random, depth + 1, budget);
        }
        buffer_put_char(&out, object ? '}' : ']');
    }
}

// Breaks one place: another byte, one less, or one twice.
static void
damage(struct random *random)
{
    static const char bytes[] = "\"\\{}[],:0e-.u \x01\x80\xc3\xff"
                                "dn/";
    size_t at = random_below(random, out.size);
    switch (random_below(random, 4)) {
    case 0:
        out.data[at] = bytes[random_below(random, sizeof bytes - 1)];
        break;
    case 1:
        out.data[at] = (char)random_below(random, 256);
        break;
    case 2:
        memmove(out.data + at, out.data + at + 1, out.size - at - 1);
        out.size--;
        break;
    default:
        buffer_put_char(&out, 0);
        memmove(out.data + at + 1, out.data + at, out.size - at - 1);
        break;
    }
}

Test(against_jansson, a_hundred_thousand_documents_are_read_alike)
{
    struct random random = {2026};
    struct tally tally = {0};
    for (unsigned i = 0; i < 100000; i++) {
        unsigned budget = 60;
        buffer_clear(&out);
        put_document(&random, 0, &budget);
        for (uint64_t more = random_below(&random, 3); more > 0 && out.size; more--)
            damage(&random);
        compare(out.data, out.size, &tally);
        arena_finish(&arena);
        arena_init(&arena);
    }
    cr_assert_gt(tally.accepted, 20000, "%zu accepted", tally.accepted);
    cr_assert_gt(tally.refused, 20000, "%zu refused", tally.refused);
    cr_assert_gt(tally.allowed, 0, "%zu differ as allowed", tally.allowed);
}

// --- printing ------------------------------------------------------------------------------------

static void
prints(double value, const char *expected)
{
    buffer_clear(&out);
    json_put_number(&out, value);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(print, numbers_have_a_decimal_and_as_few_digits_as_read_back)
{
    static const struct {
        double value;
        const char *chars;
    } rows[] = {
        // clang-format off
        {0, "0.0"},             {-0.0, "-0.0"},         {1, "1.0"},               {-1, "-1.0"},
        {9, "9.0"},             {10, "10.0"},           {-10, "-10.0"},           {123456, "123456.0"},
        {0.1, "0.1"},           {-0.5, "-0.5"},         {0.3, "0.3"},             {1.0 / 3, "0.3333333333333333"},
        {0.001, "0.001"},       {1e-5, "1.0e-05"},      {1.5e-9, "1.5e-09"},      {1e300, "1.0e+300"},
        {-1e300, "-1.0e+300"},  {1.5e300, "1.5e+300"},  {5e-324, "5.0e-324"},     {999999999999999, "999999999999999.0"},
        {1e15, "1.0e+15"},      {-1e15, "-1.0e+15"},    {9007199254740993.0, "9007199254740992.0"},
        {1.7976931348623157e308, "1.7976931348623157e+308"}, {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {100000, "100000.0"},   {1e14, "100000000000000.0"}, {3.141592653589793, "3.141592653589793"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        prints(rows[i].value, rows[i].chars);
}

// Digits without sign, leading zeros, point and exponent.
static size_t
count_digits(const char *chars)
{
    size_t digits = 0, zeros = 0;
    for (; *chars && *chars != 'e'; chars++)
        if (*chars >= '0' && *chars <= '9' && (digits || *chars != '0')) {
            zeros = *chars == '0' ? zeros + 1 : 0;
            digits++;
        }
    return digits - zeros;
}

Test(print, two_hundred_thousand_numbers_read_back_as_the_same_bits)
{
    struct random random = {7};
    for (unsigned i = 0; i < 200000; i++) {
        double value = random_number(&random), back;
        buffer_clear(&out);
        json_put_number(&out, value);
        buffer_put_char(&out, '\0');
        back = strtod(out.data, NULL);
        cr_assert_eq(memcmp(&back, &value, sizeof value), 0, "%s for %a", out.data, value);
        cr_assert(strchr(out.data, '.'), "%s", out.data);
    }
}

Test(print, no_text_with_fewer_digits_reads_back)
{
    struct random random = {8};
    for (unsigned i = 0; i < 5000; i++) {
        double value = random_number(&random);
        char shorter[40];
        buffer_clear(&out);
        json_put_number(&out, value);
        buffer_put_char(&out, '\0');
        size_t digits = count_digits(out.data);
        // Beyond 2^53 a whole number without exponent has all its digits: they are not longer.
        if (digits < 2 || (fabs(value) >= 0x1p53 && !strchr(out.data, 'e')))
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
        cr_assert_neq(strtod(shorter, NULL), value, "%s, but %s is enough", out.data, shorter);
    }
}

Test(print, numbers_of_few_decimals_are_printed_as_they_were_written)
{
    static const struct {
        double value;
        const char *chars;
    } rows[] = {
        {11.5, "11.5"},
        {-0.001, "-0.001"},
        {0.0012, "0.0012"},
        {0.0001, "1.0e-04"},
        {-62.8040351, "-62.8040351"},
        {99999999.9999999, "99999999.9999999"},
        {100000000.5, "100000000.5"},
        {0.00000005, "5.0e-08"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        prints(rows[i].value, rows[i].chars);
    struct random random = {9};
    for (unsigned i = 0; i < 100000; i++) {
        char written[64];
        unsigned whole_digits = (unsigned)random_below(&random, 9);
        int decimals = 1 + (int)random_below(&random, 14 - whole_digits); // 15 digits are exact
        double size = pow(10, whole_digits);
        snprintf(written, sizeof written, "%.*f", decimals,
                 (double)random_below(&random, 1000000000) / 1e9 * size + 1);
        size_t end = strlen(written);
        while (written[end - 1] == '0' && written[end - 2] != '.')
            end--;
        written[end] = '\0';
        prints(strtod(written, NULL), written);
    }
}

Test(print, integers_are_plain)
{
    json_put_integer(&out, INT64_MIN);
    buffer_put_char(&out, ' ');
    json_put_integer(&out, 0);
    buffer_put_char(&out, ' ');
    json_put_integer(&out, INT64_MAX);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "-9223372036854775808 0 9223372036854775807");
}

Test(print, texts_escape_quotes_backslashes_and_control_characters)
{
    static const char chars[] = "a\"b\\c\b\f\n\r\t\x01\x1f\x7f\0é漢😀/";
    json_put_text(&out, chars, sizeof chars - 1);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000é漢😀/\"");
}

Test(print, an_escape_is_found_wherever_it_stands)
{
    for (size_t size = 0; size < 40; size++)
        for (size_t at = 0; at < size; at++) {
            char chars[40], expected[48];
            memset(chars, 0xc3, sizeof chars);
            chars[at] = '\n';
            buffer_clear(&out);
            json_put_text(&out, chars, size);
            snprintf(expected, sizeof expected, "\"%.*s\\n%.*s\"", (int)at, chars,
                     (int)(size - at - 1), chars + at + 1);
            cr_assert_eq(out.size, size + 3);
            cr_assert_eq(memcmp(out.data, expected, out.size), 0, "%zu of %zu", at, size);
        }
}

Test(print, a_printed_text_is_read_as_it_was)
{
    struct random random = {9};
    for (unsigned i = 0; i < 5000; i++) {
        const struct text *text = random_text(&random, &arena, 60);
        const struct json *value;
        buffer_clear(&out);
        json_put_text(&out, text->data, text->size);
        cr_assert_eq(json_parse(&arena, out.data, out.size, &value), OK);
        cr_assert(text_equal(value->text, text));
    }
}
