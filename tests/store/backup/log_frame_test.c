// log_frame_test.c - what is put into frames comes out of them, and nothing else is taken for one.
#include "store/backup/log_frame.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/engines.h"

struct read_back {
    struct store_operation *operations;
    size_t capacity;
    struct log_frame frame;
};

static bool
read_body(struct read_back *self, const struct buffer *body)
{
    return log_read_body((const unsigned char *)body->data, body->size, &self->operations,
                         &self->capacity, &self->frame);
}

static void
read_back_finish(struct read_back *self)
{
    free(self->operations);
}

static void
put_sample(struct buffer *body)
{
    const struct store_operation operations[] = {PUT("a", "1"), DELETE("bb"), PUT("", "")};
    const struct store_change change = {.first = 7,
                                        .last = 9,
                                        .time_us = 1000001,
                                        .id = 0xfedcba9876543210,
                                        .operations = operations,
                                        .operation_count = 3};
    log_put_change(body, &change);
}

Test(log_frame, a_commit_comes_back_as_it_was)
{
    owned(buffer_finish) struct buffer body = {0};
    owned(read_back_finish) struct read_back back = {0};
    put_sample(&body);
    cr_assert(read_body(&back, &body));
    const struct store_change *change = &back.frame.change;
    cr_assert_eq(back.frame.kind, LOG_CHANGE);
    cr_assert_eq(change->first, 7);
    cr_assert_eq(change->last, 9);
    cr_assert_eq(change->time_us, 1000001);
    cr_assert_eq(change->id, 0xfedcba9876543210);
    cr_assert_eq(change->operation_count, 3);
    cr_assert_eq(change->operations[0].address.part, PART);
    cr_assert_arr_eq(change->operations[0].value.data, "1", 1);
    cr_assert(change->operations[1].is_delete);
    cr_assert_arr_eq(change->operations[1].address.key.data, "bb", 2);
    cr_assert_eq(change->operations[2].value.size, 0);
}

Test(log_frame, a_commit_that_is_cut_is_none)
{
    owned(buffer_finish) struct buffer body = {0};
    owned(read_back_finish) struct read_back back = {0};
    put_sample(&body);
    for (size_t whole = body.size; body.size-- > 0;)
        cr_assert_not(read_body(&back, &body), "%zu of %zu", body.size, whole);
}

Test(log_frame, blobs_and_marks_come_back_and_have_nothing_behind_them)
{
    owned(buffer_finish) struct buffer body = {0};
    owned(read_back_finish) struct read_back back = {0};
    const struct blob_hash hash = {{1, 2, 3}};
    log_put_blob(&body, &hash, 77);
    cr_assert(read_body(&back, &body));
    cr_assert_eq(back.frame.kind, LOG_BLOB);
    cr_assert_eq(back.frame.size, 77);
    cr_assert_arr_eq(back.frame.hash.bytes, hash.bytes, sizeof hash.bytes);
    buffer_clear(&body);
    log_put_mark(&body, LOG_CLOSE, 9, 1000002);
    cr_assert(read_body(&back, &body));
    cr_assert_eq(back.frame.kind, LOG_CLOSE);
    cr_assert_eq(back.frame.last, 9);
    cr_assert_eq(back.frame.time_us, 1000002);
    buffer_put_char(&body, 0);
    cr_assert_not(read_body(&back, &body));
    body.data[0] = 'x';
    cr_assert_not(read_body(&back, &body));
}

Test(log_frame, a_header_says_what_a_segment_is)
{
    owned(buffer_finish) struct buffer body = {0};
    const struct log_segment segment = {.chain = {1, 2},
                                        .number = 3,
                                        .after = 4,
                                        .started_us = 5,
                                        .before = {{6}},
                                        .lineage = "store-1"};
    struct log_segment back = {0};
    uint64_t form;
    log_put_header(&body, &segment);
    cr_assert(log_read_header((const unsigned char *)body.data, body.size, &back, &form));
    cr_assert_eq(form, LOG_FORM_NOW);
    cr_assert_eq(memcmp(&segment, &back, sizeof back), 0);
}

Test(log_frame, a_digest_depends_on_all_before_it)
{
    owned(buffer_finish) struct buffer body = {0}, out = {0};
    struct log_digest first = {0}, second = {0}, other = {{1}};
    buffer_put_chars(&body, "body");
    log_put_frame(&out, &body, &first);
    cr_assert_eq(out.size, LOG_SIZE_BYTES + 4 + LOG_DIGEST_BYTES);
    cr_assert_arr_eq(out.data, "\xc4\0\0\4body", 8);
    cr_assert_arr_eq(out.data + 8, first.bytes, sizeof first.bytes);
    log_digest_next("body", 4, &second);
    cr_assert_eq(memcmp(&first, &second, sizeof first), 0);
    log_digest_next("body", 4, &second);
    log_digest_next("body", 4, &other);
    cr_assert_neq(memcmp(&first, &second, sizeof first), 0, "the same body behind another frame");
    cr_assert_neq(memcmp(&first, &other, sizeof first), 0);
}

Test(log_frame, no_flipped_bit_of_a_size_makes_another_size)
{
    static const size_t sizes[] = {1, 4, 1242, 65536, LOG_BODY_BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char head[LOG_SIZE_BYTES];
        size_t size;
        log_put_head(head, sizes[i]);
        cr_assert(log_read_head(head, false, &size));
        cr_assert_eq(size, sizes[i]);
        for (unsigned bit = 0; bit < 8 * LOG_SIZE_BYTES; bit++) {
            head[bit / 8] ^= (unsigned char)(1 << bit % 8);
            cr_assert_not(log_read_head(head, true, &size), "bit %u of size %zu", bit, sizes[i]);
            head[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

Test(log_frame, a_size_of_form_1_has_no_check)
{
    static const unsigned char head[LOG_SIZE_BYTES] = {0, 0, 4, 218};
    size_t size;
    cr_assert(log_read_head(head, true, &size));
    cr_assert_eq(size, 1242);
    cr_assert_not(log_read_head(head, false, &size));
}
