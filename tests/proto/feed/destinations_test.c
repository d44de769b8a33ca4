// destinations_test.c - where datagrams may go: denied ranges, literals, names, ports, localhost.

#include "proto/feed/destinations.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;

static void
start(void)
{
    arena_init(&arena);
}

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(destinations, .init = start, .fini = end);

enum { ABSENT = -1, OWN_PORT = 8762 };

static const struct device *
device(const char *hostname, int port, const char *connection_string)
{
    struct record *record = record_new(&arena, &device_schema);
    if (hostname)
        record_set_text(record, DEVICE_HOSTNAME, text_from(&arena, hostname));
    if (port != ABSENT)
        record_set_integer(record, DEVICE_PORT, port);
    if (connection_string)
        record_set_text(record, DEVICE_CONNECTION_STRING, text_from(&arena, connection_string));
    return device_of(record);
}

// What destination_choose makes of a device.
struct choice {
    enum error error;
    enum destination_kind kind;
    char address[DESTINATION_ADDRESS_SIZE];
    int port;
};

static struct choice
choose(const struct device *wish, const char *peer, bool loopback)
{
    static const uint16_t own_ports[] = {OWN_PORT};
    struct caller caller = {.loopback = loopback};
    struct choice choice = {0};
    strncpy(caller.peer, peer, sizeof caller.peer - 1);
    choice.error = destination_choose(wish, &caller, own_ports, 1, "/scenes/0/devices/1",
                                      &choice.kind, choice.address, &choice.port);
    return choice;
}

static struct choice
choose_on_loopback(const char *hostname, int port)
{
    return choose(device(hostname, port, NULL), "127.0.0.1", true);
}

static struct choice
choose_from_afar(const char *hostname, int port)
{
    return choose(device(hostname, port, NULL), "192.0.2.7", false);
}

static void
expect_pointer(const char *pointer)
{
    cr_expect_str_eq(fault_last()->pointer, pointer);
}

Test(destinations, an_address_that_may_be_sent_to_comes_back_as_it_is)
{
    static const char *const addresses[] = {"192.0.2.1",       "10.0.0.1",  "223.255.255.255",
                                            "169.253.255.255", "128.0.0.1", "2001:db8::1",
                                            "fc00::1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct choice choice = choose_from_afar(addresses[i], 4000);
        cr_expect_eq(choice.error, OK, "%s", addresses[i]);
        cr_expect_eq(choice.kind, DESTINATION_ADDRESS, "%s", addresses[i]);
        cr_expect_str_eq(choice.address, addresses[i]);
        cr_expect_eq(choice.port, 4000);
    }
}

Test(destinations, the_never_list_is_refused)
{
    static const char *const addresses[] = {"0.0.0.0",
                                            "0.1.2.3",
                                            "127.0.0.1",
                                            "127.255.255.254",
                                            "169.254.0.1",
                                            "169.254.255.255",
                                            "224.0.0.1",
                                            "239.255.255.255",
                                            "240.0.0.1",
                                            "255.255.255.255",
                                            "::",
                                            "::1",
                                            "fe80::1",
                                            "febf::1",
                                            "ff02::1",
                                            "::ffff:127.0.0.1",
                                            "::ffff:0.0.0.0",
                                            "::ffff:224.0.0.1",
                                            "::ffff:7f00:1",
                                            "::127.0.0.1",
                                            "::ffff:169.254.1.1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct choice choice = choose_from_afar(addresses[i], 4000);
        cr_expect_eq(choice.error, ERR_INVALID, "%s", addresses[i]);
        expect_pointer("/scenes/0/devices/1/hostname");
        cr_expect(!destination_address_allowed(addresses[i], false), "%s", addresses[i]);
    }
}

Test(destinations, loopback_is_open_to_peers_on_loopback_only)
{
    static const char *const addresses[] = {"127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        cr_expect(destination_address_allowed(addresses[i], true), "%s", addresses[i]);
        cr_expect(!destination_address_allowed(addresses[i], false), "%s", addresses[i]);
        cr_expect_eq(choose_on_loopback(addresses[i], 4000).error, OK, "%s", addresses[i]);
    }
}

Test(destinations, a_peer_on_loopback_opens_nothing_else)
{
    static const char *const addresses[] = {"0.0.0.0", "::", "255.255.255.255", "169.254.169.254",
                                            "ff02::1"};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        cr_expect_eq(choose_on_loopback(addresses[i], 4000).error, ERR_INVALID, "%s", addresses[i]);
}

Test(destinations, a_mapped_address_becomes_ipv4)
{
    cr_expect_str_eq(choose_from_afar("::ffff:192.0.2.1", 4000).address, "192.0.2.1");
    cr_expect_str_eq(choose_from_afar("::ffff:c000:0201", 4000).address, "192.0.2.1");
}

Test(destinations, old_forms_of_literals_are_refused)
{
    static const char *const hosts[] = {"127.1",       "0x7f.1",      "2130706433", "0x7f000001",
                                        "0177.0.0.1",  "127.0.0.1.",  "1",          "192.0.2.256",
                                        "192.0.2.1.5", "192.0.2.0x1", "a.1",        "fe80::1%eth0",
                                        "[::1]",       ":::",         "1.2.3"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        cr_expect_eq(choose_on_loopback(hosts[i], 4000).error, ERR_INVALID, "%s", hosts[i]);
        expect_pointer("/scenes/0/devices/1/hostname");
        cr_expect(!destination_address_allowed(hosts[i], true), "%s", hosts[i]);
    }
}

Test(destinations, names_are_left_to_the_resolver)
{
    static const char *const names[] = {"example.org",  "a",  "node-1.lab",           "x.0x7g",
                                        "EXAMPLE.org.", "1a", "localhost.example.org"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct choice choice = choose_from_afar(names[i], 4000);
        cr_expect_eq(choice.error, OK, "%s", names[i]);
        cr_expect_eq(choice.kind, DESTINATION_NAME, "%s", names[i]);
        cr_expect_str_eq(choice.address, "");
    }
}

Test(destinations, malformed_names_are_refused)
{
    static const char *const names[] = {"a b",          "a_b", "a/b", "http://a",
                                        "\xc3\xa4.org", "a:1", "a\n"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_eq(choose_from_afar(names[i], 4000).error, ERR_INVALID, "%s", names[i]);
}

Test(destinations, a_name_has_at_most_253_bytes)
{
    char name[255];
    memset(name, 'a', sizeof name);
    name[253] = '\0';
    cr_expect_eq(choose_from_afar(name, 4000).kind, DESTINATION_NAME);
    name[253] = 'a';
    name[254] = '\0';
    cr_expect_eq(choose_from_afar(name, 4000).error, ERR_INVALID);
}

Test(destinations, localhost_is_loopback_of_the_peers_family)
{
    const struct device *wish = device("LocalHost", 4000, NULL);
    cr_expect_str_eq(choose(wish, "127.0.0.1", true).address, "127.0.0.1");
    cr_expect_str_eq(choose(wish, "::1", true).address, "::1");
    cr_expect_str_eq(choose(wish, "::ffff:127.0.0.1", true).address, "127.0.0.1");
    cr_expect_eq(choose(wish, "::1", true).kind, DESTINATION_ADDRESS);
    cr_expect_eq(choose(wish, "192.0.2.7", false).error, ERR_INVALID);
}

Test(destinations, without_host_or_port_no_datagrams_are_wanted)
{
    cr_expect_eq(choose_from_afar(NULL, ABSENT).kind, DESTINATION_NONE);
    cr_expect_eq(choose_from_afar(NULL, 4000).kind, DESTINATION_NONE);
    cr_expect_eq(choose_from_afar("", 4000).kind, DESTINATION_NONE);
    cr_expect_eq(choose_from_afar("192.0.2.1", ABSENT).kind, DESTINATION_NONE);
    cr_expect_eq(choose_from_afar("192.0.2.1", ABSENT).error, OK);
}

Test(destinations, low_large_and_own_ports_are_refused)
{
    static const int ports[] = {0, 1, 53, 1023, 65536, -2, OWN_PORT};
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        cr_expect_eq(choose_on_loopback("127.0.0.1", ports[i]).error, ERR_INVALID, "%d", ports[i]);
        expect_pointer("/scenes/0/devices/1/port");
    }
    cr_expect_eq(choose_on_loopback("127.0.0.1", 1024).error, OK);
    cr_expect_eq(choose_on_loopback("127.0.0.1", 65535).error, OK);
}

Test(destinations, a_udp_connection_string_wins)
{
    struct choice choice =
        choose(device("192.0.2.1", 4000, "udp://192.0.2.2:5000"), "192.0.2.7", false);
    cr_expect_str_eq(choice.address, "192.0.2.2");
    cr_expect_eq(choice.port, 5000);
    choice = choose(device(NULL, ABSENT, "udp://[2001:db8::2]:5000"), "192.0.2.7", false);
    cr_expect_str_eq(choice.address, "2001:db8::2");
    cr_expect_eq(choose(device(NULL, ABSENT, "udp://node:5000"), "192.0.2.7", false).kind,
                 DESTINATION_NAME);
}

Test(destinations, other_connection_strings_change_nothing)
{
    static const char *const strings[] = {"", "tcp://192.0.2.2:5000", "anything", "UDP"};
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        struct choice choice = choose(device("192.0.2.1", 4000, strings[i]), "192.0.2.7", false);
        cr_expect_str_eq(choice.address, "192.0.2.1");
        cr_expect_eq(choice.port, 4000);
    }
}

Test(destinations, a_bad_udp_connection_string_is_refused_by_name)
{
    static const char *const strings[] = {
        "udp://",         "udp://192.0.2.1",       "udp://:5000",     "udp://192.0.2.1:",
        "udp://a:5000/x", "udp://::1:5000",        "udp://[a]b:5000", "udp://192.0.2.1:99999",
        "udp://a:+5000",  "udp://127.1:5000",      "udp://a:80",      "udp://0.0.0.0:5000",
        "udp://[]:5000",  "udp://[192.0.2.1]:5000"};
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        struct choice choice = choose(device("192.0.2.1", 4000, strings[i]), "192.0.2.7", false);
        cr_expect_eq(choice.error, ERR_INVALID, "%s", strings[i]);
        expect_pointer("/scenes/0/devices/1/connection_string");
    }
}

Test(destinations, a_packed_connection_string_wins_as_a_plain_one_does)
{
    static const char text[] = "udp+msgpack://192.0.2.2:5000?rate=60";
    struct choice choice = choose(device("192.0.2.1", 4000, text), "192.0.2.7", false);
    cr_expect_eq(choice.error, OK);
    cr_expect_str_eq(choice.address, "192.0.2.2");
    cr_expect_eq(choice.port, 5000);
    choice = choose(device("node", 4000, "udp+msgpack://[2001:db8::2]:5000"), "192.0.2.7", false);
    cr_expect_str_eq(choice.address, "2001:db8::2");
}

Test(destinations, a_bad_packed_connection_string_is_refused_by_name)
{
    static const char *const strings[] = {
        "udp+msgpack://",
        "udp+msgpack://192.0.2.1",
        "udp+msgpack://?rate=60",
        "udp+msgpack://192.0.2.1?rate=60",
        "udp+msgpack://192.0.2.1:80",
        "udp+msgpack://224.0.0.1:5000",
        "udp+msgpack://192.0.2.1:5000?",
        "udp+msgpack://192.0.2.1:5000?rate",
        "udp+msgpack://192.0.2.1:5000?rate=",
        "udp+msgpack://192.0.2.1:5000?rate=0",
        "udp+msgpack://192.0.2.1:5000?rate=241",
        "udp+msgpack://192.0.2.1:5000?rate=-1",
        "udp+msgpack://192.0.2.1:5000?rate=60.5",
        "udp+msgpack://192.0.2.1:5000?rate=4294967297",
        "udp+msgpack://192.0.2.1:5000?rate=60&rate=60",
        "udp+msgpack://192.0.2.1:5000/?rate=60",
        "udp+msgpack://192.0.2.1:5000?Rate=60",
        "udp+msgpack://192.0.2.1:5000?rate=6:0",
        "udp://192.0.2.1:5000?rate=60",
        "udp://192.0.2.1:5000?tail=0",
        "udp://192.0.2.1:5000?events=some",
        "udp://192.0.2.1:5000?keys=index",
        "udp+msgpack://192.0.2.1:5000?keys=indexes",
        "udp://192.0.2.1:5000?tail=11",
        "udp://192.0.2.1:5000?tail=1&",
        "udp://192.0.2.1:5000&tail=1",
        "udp://192.0.2.1:5000?tail=1&tail=1",
        "udp+base64://192.0.2.1:5000?rate=60",
        "udp+base64://192.0.2.1",
        "udp+msgpack://192.0.2.1:5000?rate=60?tail=1",
        "udp+msgpack://192.0.2.1:5000?rate=60tail=1",
    };
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        struct choice choice = choose(device("192.0.2.1", 4000, strings[i]), "192.0.2.7", false);
        cr_expect_eq(choice.error, ERR_INVALID, "%s", strings[i]);
        expect_pointer("/scenes/0/devices/1/connection_string");
    }
}

Test(destinations, an_accepted_device_says_host_and_port)
{
    struct destination asked;
    cr_assert(destination_of(device("node", 4000, "udp://other:5000"), &asked));
    cr_expect_str_eq(asked.host, "other");
    cr_expect_eq(asked.port, 5000);
    cr_assert(destination_of(device("node", 4000, NULL), &asked));
    cr_expect_str_eq(asked.host, "node");
    cr_expect_eq(asked.port, 4000);
    cr_expect(!destination_of(device("node", ABSENT, NULL), &asked));
    cr_expect(!destination_of(device("node", 80, NULL), &asked));
    cr_expect(!destination_of(device("node", 4000, "udp://bad"), &asked));
    cr_expect(!destination_of(device("node", 4000, "udp+msgpack://other:5000?rate=0"), &asked));
}

// What a connection string chooses: the form, and how often.
struct chosen {
    const char *text;
    enum feed_form form;
    unsigned rate_hz;
    bool is_sealed;
};

Test(destinations, the_form_and_its_rate_come_from_the_connection_string)
{
    static const struct chosen rows[] = {
        {"", FEED_PLAIN, 0, false},
        {"udp://other:5000", FEED_PLAIN, 0, false},
        {"msgpack", FEED_PLAIN, 0, false},
        {"udp+msgpack:other:5000", FEED_PLAIN, 0, false},
        {"udp+msgpack://other:5000", FEED_PACKED, 60, false},
        {"udp+msgpack://other:5000?rate=1", FEED_PACKED, 1, false},
        {"udp+msgpack://other:5000?rate=240", FEED_PACKED, 240, false},
        {"udp+msgpack://[2001:db8::1]:5000?rate=72", FEED_PACKED, 72, false},
        {"udp+sealed://other:5000", FEED_PACKED, 60, true},
        {"udp+sealed://[2001:db8::1]:5000?rate=72", FEED_PACKED, 72, true},
        {"udp+sealed://", FEED_PACKED, 60, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct destination asked;
        cr_assert(destination_of(device("node", 4000, rows[i].text), &asked));
        cr_expect_eq(asked.form, rows[i].form, "%s", rows[i].text);
        cr_expect_eq(asked.rate_hz, rows[i].rate_hz, "%s", rows[i].text);
        cr_expect_eq(asked.is_sealed, rows[i].is_sealed, "%s", rows[i].text);
        cr_expect_eq(destination_is_sealed(device("node", 4000, rows[i].text)), rows[i].is_sealed);
    }
}

#define OBJECT "0018880a270698496c36e392"

Test(destinations, the_object_of_opentrackio_comes_from_the_connection_string)
{
    static const struct {
        const char *text;
        unsigned rate_hz;
        uint8_t source;
    } rows[] = {
        {"opentrackio://other:5000?object=" OBJECT, 60, 1},
        {"opentrackio://other:5000?rate=25&object=" OBJECT "&source=200", 25, 200},
        {"opentrackio://[2001:db8::1]:5000?source=7&rate=240&object=" OBJECT, 240, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct destination asked;
        cr_assert(destination_of(device("node", 4000, rows[i].text), &asked), "%s", rows[i].text);
        cr_expect_eq(asked.form, FEED_TRACK);
        cr_expect_str_eq(asked.object, OBJECT);
        cr_expect_eq(asked.rate_hz, rows[i].rate_hz, "%s", rows[i].text);
        cr_expect_eq(asked.source, rows[i].source, "%s", rows[i].text);
        cr_expect(!asked.is_sealed);
    }
}

Test(destinations, what_opentrackio_does_not_have_is_refused)
{
    static const char *const rows[] = {
        "opentrackio://other:5000",
        "opentrackio://",
        "opentrackio://other?object=" OBJECT,
        "opentrackio://other:5000?object=",
        "opentrackio://other:5000?object=cam-a",
        "opentrackio://other:5000?object=" OBJECT "0",
        "opentrackio://other:5000?object=" OBJECT "&object=" OBJECT,
        "opentrackio://other:5000?object=" OBJECT "&source=0",
        "opentrackio://other:5000?object=" OBJECT "&source=201",
        "opentrackio://other:5000?object=" OBJECT "&source=",
        "opentrackio://other:5000?object=" OBJECT "&rate=0",
        "opentrackio://other:5000?object=" OBJECT "&rate=241",
        "opentrackio://other:5000?object=" OBJECT "&tail=1",
        "opentrackio://other:5000?object=" OBJECT "&events=all",
        "opentrackio://other:5000?object=" OBJECT "&keys=index",
        "udp://other:5000?object=" OBJECT,
        "udp+msgpack://other:5000?source=1",
    };
    struct destination asked;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect(!destination_of(device("node", 4000, rows[i]), &asked), "%s", rows[i]);
}

Test(destinations, what_else_is_wished_comes_from_the_connection_string)
{
    static const struct {
        const char *text;
        enum feed_form form;
        unsigned rate_hz;
        bool has_tail, has_filler, has_indices, hears_asks;
    } rows[] = {
        {"udp://other:5000", FEED_PLAIN, 0, false, false, false, false},
        {"udp://other:5000?tail=1", FEED_PLAIN, 0, true, false, false, false},
        {"udp://other:5000?events=all&tail=1", FEED_PLAIN, 0, true, false, false, true},
        {"udp+base64://other:5000", FEED_PLAIN, 0, false, true, false, false},
        {"udp+base64://other:5000?tail=1", FEED_PLAIN, 0, true, true, false, false},
        {"udp+msgpack://other:5000?tail=1", FEED_PACKED, 60, true, false, false, false},
        {"udp+msgpack://other:5000?tail=1&rate=5", FEED_PACKED, 5, true, false, false, false},
        {"udp+msgpack://other:5000?keys=index", FEED_PACKED, 60, false, false, true, false},
        {"udp+sealed://[2001:db8::1]:5000?rate=72&tail=1", FEED_PACKED, 72, true, false, false,
         false},
        {"udp+sealed://other:5000?keys=index&events=all&tail=1", FEED_PACKED, 60, true, false, true,
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct destination asked;
        cr_assert(destination_of(device("node", 4000, rows[i].text), &asked), "%s", rows[i].text);
        cr_expect_eq(asked.form, rows[i].form, "%s", rows[i].text);
        cr_expect_eq(asked.rate_hz, rows[i].rate_hz, "%s", rows[i].text);
        cr_expect_eq(asked.has_tail, rows[i].has_tail, "%s", rows[i].text);
        cr_expect_eq(asked.has_filler, rows[i].has_filler, "%s", rows[i].text);
        cr_expect_eq(asked.has_indices, rows[i].has_indices, "%s", rows[i].text);
        cr_expect_eq(asked.hears_asks, rows[i].hears_asks, "%s", rows[i].text);
        cr_expect_eq(asked.port, 5000);
    }
}

// What asks for a feed in the clear, and by which member.
struct clear {
    const char *hostname, *connection_string, *pointer; // NULL: it asks for none
};

Test(destinations, a_feed_in_the_clear_is_refused_where_the_seal_is_required)
{
    static const struct clear rows[] = {
        {"node", NULL, "/devices/0/hostname"},
        {"node", "other", "/devices/0/hostname"},
        {NULL, "udp://other:5000", "/devices/0/connection_string"},
        {NULL, "udp+msgpack://other:5000", "/devices/0/connection_string"},
        {NULL, "udp+sealed://other:5000", NULL},
        {"node", "udp+sealed://", NULL},
        {NULL, "udp+sealed://", NULL},
        {NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct device *asking = device(rows[i].hostname, 4000, rows[i].connection_string);
        enum error error = destination_need_sealed(asking, "/devices/0");
        cr_expect_eq(error, rows[i].pointer ? ERR_INVALID : OK, "row %zu", i);
        if (rows[i].pointer)
            expect_pointer(rows[i].pointer);
    }
    cr_expect_eq(destination_need_sealed(device(NULL, ABSENT, "udp+sealed://x"), ""), ERR_INVALID);
}
