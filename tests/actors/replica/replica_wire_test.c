// replica_wire_test.c - requests and answers come back as they were written, and what is none is
// refused.
#include "actors/replica/replica_wire.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct replica_request requests[] = {
    {.kind = REPLICA_LOG, .id = 7, .after = {5, 9}, .wait_ms = 250},
    {.kind = REPLICA_CHECKPOINT, .id = 1},
    {.kind = REPLICA_FILE, .id = UINT64_MAX, .checkpoint = 3, .offset = 4, .name = "000012.sst"},
    {.kind = REPLICA_DONE, .id = 2, .checkpoint = 3},
    {.kind = REPLICA_BLOB, .id = 8, .offset = 1 << 20, .hash = {{1, 2, 255}}},
};

enum { REQUESTS = sizeof requests / sizeof requests[0] };

Test(replica_wire, each_request_is_read_as_it_was_written)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        struct buffer bytes = {0};
        struct replica_request read;
        replica_put_request(&bytes, &requests[i]);
        cr_assert_eq(OK, replica_read_request(bytes.data, bytes.size, &read));
        cr_expect_eq(requests[i].kind, read.kind);
        cr_expect_eq(requests[i].id, read.id);
        cr_expect_eq(requests[i].after.epoch, read.after.epoch);
        cr_expect_eq(requests[i].after.position, read.after.position);
        cr_expect_eq(requests[i].wait_ms, read.wait_ms);
        cr_expect_eq(requests[i].checkpoint, read.checkpoint);
        cr_expect_eq(requests[i].offset, read.offset);
        cr_expect_str_eq(read.name, requests[i].name);
        cr_expect_eq(0, memcmp(&requests[i].hash, &read.hash, sizeof read.hash));
        buffer_finish(&bytes);
    }
}

Test(replica_wire, a_request_that_is_cut_or_longer_is_refused)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        struct buffer bytes = {0};
        struct replica_request read;
        replica_put_request(&bytes, &requests[i]);
        bool has_text = requests[i].kind == REPLICA_FILE; // it ends where the message ends
        for (size_t size = 0; size < (has_text ? 28 : bytes.size); size++)
            cr_expect_eq(ERR_INVALID, replica_read_request(bytes.data, size, &read));
        buffer_put_char(&bytes, '/');
        cr_expect_eq(ERR_INVALID, replica_read_request(bytes.data, bytes.size, &read));
        buffer_finish(&bytes);
    }
}

Test(replica_wire, golden_bytes_of_a_request_for_the_log)
{
    static const unsigned char expected[] = {0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0,  0,
                                             0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 250};
    struct buffer bytes = {0};
    replica_put_request(&bytes, &requests[0]);
    cr_assert_eq(sizeof expected, bytes.size);
    cr_expect_eq(0, memcmp(expected, bytes.data, bytes.size));
    buffer_finish(&bytes);
}

Test(replica_wire, another_version_is_refused_with_a_sentence_and_its_id)
{
    static const unsigned char bytes[] = {0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3};
    struct replica_request read;
    cr_expect_eq(ERR_INVALID, replica_read_request(bytes, sizeof bytes, &read));
    cr_expect_eq(7, read.id);
    cr_expect_str_eq(fault_last()->detail,
                     "the other server speaks version 2 of the protocol of followers, this one "
                     "speaks 1: run the same version of both");
}

Test(replica_wire, names_that_are_paths_are_refused)
{
    static const char *const names[] = {"../secret", "/etc/passwd", "a/b", "..", "."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct buffer bytes = {0};
        struct replica_request read, request = {.kind = REPLICA_FILE};
        snprintf(request.name, sizeof request.name, "%s", names[i]);
        replica_put_request(&bytes, &request);
        cr_expect_eq(ERR_INVALID, replica_read_request(bytes.data, bytes.size, &read));
        buffer_finish(&bytes);
    }
}

Test(replica_wire, a_name_longer_than_any_is_refused)
{
    struct buffer bytes = {0};
    struct replica_request read, request = {.kind = REPLICA_FILE};
    replica_put_request(&bytes, &request);
    for (int i = 0; i < REPLICA_NAME_SIZE; i++)
        buffer_put_char(&bytes, 'a');
    cr_expect_eq(ERR_INVALID, replica_read_request(bytes.data, bytes.size, &read));
    buffer_finish(&bytes);
}

Test(replica_wire, an_answer_is_read_as_it_was_written)
{
    const struct replica_answer answer = {.kind = REPLICA_LOG,
                                          .id = 7,
                                          .outcome = REPLICA_REFUSED,
                                          .place = {5, 9},
                                          .time_us = 1234567,
                                          .checkpoint = 3,
                                          .size = 99,
                                          .sentence = "No."};
    struct buffer bytes = {0};
    struct replica_answer read;
    replica_put_answer(&bytes, &answer);
    cr_assert_eq(OK, replica_read_answer(bytes.data, bytes.size, &read));
    cr_expect_eq(7, read.id);
    cr_expect_eq(REPLICA_REFUSED, read.outcome);
    cr_expect_eq(5, read.place.epoch);
    cr_expect_eq(9, read.place.position);
    cr_expect_eq(1234567, read.time_us);
    cr_expect_eq(3, read.checkpoint);
    cr_expect_eq(99, read.size);
    cr_expect_str_eq(read.sentence, "No.");
    for (size_t size = 0; size < bytes.size - 3; size++)
        cr_expect_eq(ERR_INVALID, replica_read_answer(bytes.data, size, &read));
    buffer_finish(&bytes);
}

Test(replica_wire, a_list_of_files_ends_at_the_first_that_is_damaged)
{
    const struct replica_file good = {"CURRENT", 16}, bad = {"../x", 1};
    struct buffer bytes = {0};
    struct replica_file read;
    replica_put_file(&bytes, &good);
    replica_put_file(&bytes, &bad);
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.size;
    cr_assert(replica_read_file(&at, end, &read));
    cr_expect_str_eq(read.name, "CURRENT");
    cr_expect_eq(16, read.size);
    cr_expect_not(replica_read_file(&at, end, &read));
    cr_expect_neq(at, end);
    buffer_finish(&bytes);
}
