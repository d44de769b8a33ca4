// track_sources_test.c - the list of tracked cameras: what is read, and what is refused with which
// words.
#include "proto/config/track_sources.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/config/config_check.h"

#define KEY "5b98880a270698496c36e392"
#define OTHER "5b98880a270698496c36e393"

static struct in_addr
address(const char *chars)
{
    struct in_addr address;
    cr_assert_eq(inet_pton(AF_INET, chars, &address), 1);
    return address;
}

static struct track_source
only(const char *list)
{
    struct track_source source, none;
    const char *wrong;
    cr_assert(track_source_next(&list, &source, &wrong), "%s", wrong);
    cr_assert(!track_source_next(&list, &none, &wrong));
    cr_assert_null(wrong);
    return source;
}

Test(track_sources, a_group_with_all_that_can_be_said)
{
    struct track_source source = only("239.135.1.1:5000 stage " KEY " from=192.0.2.7,192.0.2.8");
    cr_expect_eq(source.address.s_addr, address("239.135.1.1").s_addr);
    cr_expect_eq(source.port, 5000);
    cr_expect_str_eq(source.scene, "stage");
    cr_expect_str_eq(source.object, KEY);
    cr_expect_eq(source.sender_count, 2);
    cr_expect(track_source_hears(&source, address("192.0.2.7")));
    cr_expect(track_source_hears(&source, address("192.0.2.8")));
    cr_expect(!track_source_hears(&source, address("192.0.2.9")));
}

Test(track_sources, the_port_is_that_of_the_standard_where_none_is_said)
{
    cr_expect_eq(only("127.0.0.1 stage " KEY).port, 55555);
}

Test(track_sources, who_names_no_sender_hears_all)
{
    struct track_source source = only("127.0.0.1 stage " KEY);
    cr_expect(track_source_hears(&source, address("127.0.0.9")));
}

Test(track_sources, bytes_of_the_scene_may_be_written_as_hex)
{
    cr_expect_str_eq(only("127.0.0.1 studio%201%3b%3B " KEY).scene, "studio 1;;");
    cr_expect_str_eq(only("127.0.0.1 100%25 " KEY).scene, "100%");
}

Test(track_sources, blanks_and_empty_sources_mean_nothing)
{
    const char *list = " ; 127.0.0.1:1024\t a  " KEY " ;; 127.0.0.1:1025 b " KEY ";", *wrong;
    struct track_source source;
    cr_assert(track_source_next(&list, &source, &wrong));
    cr_expect_str_eq(source.scene, "a");
    cr_assert(track_source_next(&list, &source, &wrong));
    cr_expect_str_eq(source.scene, "b");
    cr_assert(!track_source_next(&list, &source, &wrong));
    cr_assert_null(wrong);
}

static void
refused(const char *list, const char *words)
{
    cr_assert_eq(track_sources_check(list, ""), ERR_INVALID, "%s", list);
    cr_expect(strstr(fault_last()->detail, words), "%s: %s", list, fault_last()->detail);
}

Test(track_sources, what_is_wrong_is_said)
{
    refused("localhost stage " KEY, "source 1 begins with no IPv4 address");
    refused("0.0.0.0 stage " KEY " from=127.0.0.1", "source 1 begins with no IPv4 address");
    refused("127.0.0.1:0 stage " KEY, "begins with no IPv4 address, or its port is none");
    refused("127.0.0.1:65536 stage " KEY, "or its port is none");
    refused("127.0.0.1:x stage " KEY, "or its port is none");
    refused("127.0.0.1: stage " KEY, "or its port is none");
    refused("127.0.0.1:-1 stage " KEY, "or its port is none");
    refused("127.0.0.1", "names no scene");
    refused("127.0.0.1 sta%2 " KEY, "names no scene");
    refused("127.0.0.1 sta%zz " KEY, "names no scene");
    refused("127.0.0.1 sta%00 " KEY, "names no scene");
    refused("127.0.0.1 stage", "names no object");
    refused("127.0.0.1 stage cam-a", "its key has 24 hex digits");
    refused("127.0.0.1 stage " KEY "0", "its key has 24 hex digits");
    refused("127.0.0.1 stage " KEY " to=127.0.0.1", "has senders that are not from=");
    refused("127.0.0.1 stage " KEY " from=", "has senders that are not from=");
    refused("127.0.0.1 stage " KEY " from=127.0.0.1,", "has senders that are not from=");
    refused("127.0.0.1 stage " KEY " from=node", "has senders that are not from=");
    refused("127.0.0.1 stage " KEY " from=1.1.1.1,2.2.2.2,3.3.3.3,4.4.4.4,5.5.5.5,6.6.6.6,7.7.7.7,"
            "8.8.8.8,9.9.9.9",
            "at most 8");
    refused("127.0.0.1 stage " KEY " from=127.0.0.1 now", "has words behind its senders");
    refused("127.0.0.1 a " KEY "; 127.0.0.1", "source 2 names no scene");
}

Test(track_sources, a_scene_key_has_128_bytes_at_most)
{
    char list[256], scene[130];
    memset(scene, 's', sizeof scene);
    snprintf(list, sizeof list, "127.0.0.1 %.128s " KEY, scene);
    cr_expect_eq(strlen(only(list).scene), 128);
    snprintf(list, sizeof list, "127.0.0.1 %.129s " KEY, scene);
    refused(list, "names no scene");
}

Test(track_sources, who_can_be_reached_from_elsewhere_must_say_who_may_send)
{
    refused("192.0.2.1 stage " KEY, "a datagram has no secret: say from=ADDRESS");
    refused("239.135.1.1 stage " KEY, "a datagram has no secret: say from=ADDRESS");
    cr_expect_eq(track_sources_check("192.0.2.1 stage " KEY " from=192.0.2.7", ""), OK);
    cr_expect_eq(track_sources_check("239.135.1.1 stage " KEY " from=192.0.2.7", ""), OK);
    cr_expect_eq(track_sources_check("239.135.1.1 stage " KEY, "127.0.0.1"), OK);
    cr_expect_eq(track_sources_check("239.135.1.1 stage " KEY, "192.0.2.1"), ERR_INVALID);
    cr_expect_eq(track_sources_check("127.9.9.9 stage " KEY, ""), OK);
}

Test(track_sources, no_datagram_is_for_two_objects)
{
    refused("127.0.0.1 a " KEY "; 127.0.0.1 b " OTHER, "source 2 has the address, port and sender");
    refused("127.0.0.1 a " KEY " from=127.0.0.2; 127.0.0.1 b " OTHER, "of an earlier one");
    refused("127.0.0.1 a " KEY " from=127.0.0.2; 127.0.0.1 b " OTHER " from=127.0.0.3,127.0.0.2",
            "of an earlier one");
    cr_expect_eq(track_sources_check("127.0.0.1 a " KEY " from=127.0.0.2; 127.0.0.1 b " OTHER
                                     " from=127.0.0.3",
                                     ""),
                 OK);
    cr_expect_eq(track_sources_check("127.0.0.1:5000 a " KEY "; 127.0.0.1 b " OTHER, ""), OK);
}

Test(track_sources, there_are_256_at_most)
{
    static char list[16384];
    for (int i = 0; i < TRACK_SOURCES_MOST; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "127.0.0.1:%d a " KEY ";",
                 i + 1024);
    cr_expect_eq(track_sources_check(list, ""), OK);
    strcat(list, "127.0.0.1:9 a " KEY);
    refused(list, "there may be 256 sources at most");
}

Test(track_sources, the_interface_has_an_ipv4_address)
{
    cr_expect_null(check_interface(""));
    cr_expect_null(check_interface("192.0.2.1"));
    cr_expect_str_eq(check_interface("::1"), "the IPv4 address of an interface");
    cr_expect_not_null(check_interface("192.0.2.1,192.0.2.2"));
    cr_expect_not_null(check_interface("eth0"));
}

Test(track_sources, an_empty_list_is_good)
{
    cr_expect_eq(track_sources_check("", ""), OK);
    cr_expect_eq(track_sources_check(" ; ", ""), OK);
}
