// json_text_oracle_test.c - JSON texts are read as jansson reads them.
#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
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

TestSuite(against_jansson, .fini = finish, .timeout = 240);

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
