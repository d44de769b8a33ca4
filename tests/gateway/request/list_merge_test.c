// list_merge_test.c - pages of several actors become one page, in its order.
#include "gateway/request/list_merge.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/message/list_query.h"
#include "proto/records/scene.h"

enum { ACTORS = 3, LIMIT = 4 };

static struct message *question, *answers[ACTORS];

static struct message *
make(void)
{
    struct message *message = message_create(SCENE_LIST);
    struct record *params = &message->params->base;
    record_set_text(params, PARAMS_SORT, text_from(&message->arena, "-name"));
    record_set_integer(params, PARAMS_NUM_RECORDS, LIMIT);
    return message;
}

static void
begin(void)
{
    question = make();
    for (int i = 0; i < ACTORS; i++)
        answers[i] = make();
}

static void
end(void)
{
    message_destroy(&question);
    for (int i = 0; i < ACTORS; i++)
        message_destroy(&answers[i]);
}

TestSuite(list_merge, .init = begin, .fini = end);

// Actor `i` answers scenes with these names, of `total`.
static void
answer(int i, const char *names, int64_t total, bool more)
{
    struct message *message = answers[i];
    struct list_query query;
    for (; *names; names++) {
        struct record *scene = record_new(&message->arena, &scene_schema);
        record_set_text(scene, SCENE_KEY, text_format(&message->arena, "key %c", *names));
        record_set_text(scene, SCENE_NAME, text_format(&message->arena, "%c", *names));
        reply_add_loose(message, &scene_schema, scene);
    }
    cr_assert_eq(list_query_read(message, list_kind_of(&scene_schema), 0, &query), OK);
    list_answer(message, &query, total, NULL);
    message->reply.more = more;
}

static void
expect(const char *names, int64_t total, bool at_least, bool has_next)
{
    cr_assert_eq(list_merge(question, answers, ACTORS), OK);
    const struct envelope *envelope = (const void *)question->reply.envelope;
    cr_assert_eq(strlen(names), question->reply.count);
    for (uint32_t i = 0; i < question->reply.count; i++)
        cr_assert_eq(names[i], text_chars(scene_of(reply_record(&question->reply, i))->name)[0],
                     "%u", i);
    cr_assert_eq(total, envelope->total);
    cr_assert_eq(at_least, envelope->at_least);
    cr_assert_eq(has_next, envelope->next != NULL);
}

Test(list_merge, takes_the_first_of_all)
{
    answer(0, "zvb", 3, false);
    answer(1, "yxa", 3, false);
    answer(2, "", 0, false);
    expect("zyxv", 6, false, true);
}

Test(list_merge, has_no_next_page_where_all_are_told)
{
    answer(0, "d", 1, false);
    answer(1, "c", 1, false);
    answer(2, "b", 1, false);
    expect("dcb", 3, false, false);
}

Test(list_merge, has_a_next_page_where_one_actor_has_more)
{
    answer(0, "dcba", 9, true);
    answer(1, "", 0, false);
    answer(2, "", 0, false);
    expect("dcba", 9, false, true);
}

Test(list_merge, counts_to_ten_thousand)
{
    answer(0, "d", 6000, false);
    answer(1, "c", 6000, false);
    answer(2, "b", 1, false);
    expect("dcb", 10000, true, false);
}
