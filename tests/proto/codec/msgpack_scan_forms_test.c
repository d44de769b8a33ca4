// msgpack_scan_forms_test.c - every form of a value is taken whole, and refused cut, followed or
// too deep.
#include <criterion/criterion.h>

#include "proto/base/limits.h"
#include "proto/codec/msgpack_scan.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/device.h"
#include "tests/support/hex.h"

static struct arena arena;
static struct buffer out;

static void
finish(void)
{
    arena_finish(&arena);
    buffer_finish(&out);
}

TestSuite(scan, .fini = finish);

static enum error
scan_hex(const char *hex)
{
    size_t size;
    const char *data = hex_bytes(&arena, hex, &size);
    return msgpack_scan(data, size);
}

Test(scan, one_value_of_every_form_is_fine)
{
    static const char *const good[] = {
        "00",
        "7f",
        "e0",
        "ff",
        "c0",
        "c2",
        "c3",
        "80",
        "90",
        "a0",
        "a161",
        "9101",
        "810102",
        "c400",
        "c40161",
        "c5000161",
        "c60000000161",
        "c70005",
        "c70105aa",
        "c8000105aa",
        "c90000000105aa",
        "ca00000000",
        "cb0000000000000000",
        "cc01",
        "cd0001",
        "ce00000001",
        "cf0000000000000001",
        "d001",
        "d10001",
        "d200000001",
        "d30000000000000001",
        "d405aa",
        "d505aaaa",
        "d605aaaaaaaa",
        "d705aaaaaaaaaaaaaaaa",
        "d805aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "d90161",
        "da000161",
        "db0000000161",
        "dc000101",
        "dd0000000101",
        "de00010102",
        "df000000010102",
        "9290a0",
        "82a0808090",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert_eq(scan_hex(good[i]), OK, "%s: %s", good[i], fault_last()->detail);
    }
}

Test(scan, every_form_that_is_cut_or_followed_is_refused)
{
    static const char *const bad[] = {
        "",           "c1",         "91",           "81",
        "8101",       "a1",         "c4",           "c401",
        "c500",       "c6000000",   "c7",           "c70105",
        "ca000000",   "cb00",       "cc",           "cd00",
        "ce000000",   "cf",         "d4",           "d405",
        "d805aa",     "d9",         "d90261",       "da00",
        "db000000",   "dc00",       "dc0001",       "dd000000",
        "de0001",     "df00000001", "df0000000101", "0000",
        "c0c0",       "9001",       "a16161",       "ddffffffff",
        "dfffffffff", "dbffffffff", "c6ffffffff",   "c9ffffffff05",
        "dcffff",     "deffff",     "92ddffffffff",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(scan_hex(bad[i]), ERR_MALFORMED, "%s", bad[i]);
}

Test(scan, the_depth_ends_at_32)
{
    struct record *record;
    for (size_t depth = 1; depth <= 34; depth++) {
        const struct json *value;
        buffer_clear(&out);
        for (size_t i = 1; i < depth; i++)
            msgpack_put_array(&out, 1);
        msgpack_put_array(&out, 0);
        enum error expected = depth <= LIMIT_JSON_DEPTH ? OK : ERR_MALFORMED;
        cr_assert_eq(msgpack_scan(out.data, out.size), expected, "%zu", depth);
        cr_assert_eq(msgpack_to_json(&arena, out.data, out.size, &value), expected, "%zu", depth);
        cr_assert_eq(record_from_stored(&arena, &pose_schema, out.data, out.size, &record),
                     ERR_MALFORMED);
    }
}

Test(scan, a_header_of_five_bytes_takes_no_memory)
{
    const struct json *value;
    size_t size;
    const char *data = hex_bytes(&arena, "ddffffffff", &size);
    struct arena into = {0};
    cr_assert_eq(msgpack_to_json(&into, data, size, &value), ERR_MALFORMED);
    cr_assert_leq(into.size, 64);
    arena_finish(&into);
}
