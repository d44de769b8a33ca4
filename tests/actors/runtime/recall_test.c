// recall_test.c - the request that waits for a recall goes with it.
#include "actors/runtime/recall.h"

#include <criterion/criterion.h>

Test(recall, takes_the_request_and_ends_it)
{
    struct message *question = message_create(RECALL), *asker = message_create(PROJECT_CREATE);
    struct message *const same = asker;
    const struct key key = key_of_tag('V');
    question->parcel = &recall_create(FAMILY_ASSET, 5, key, &asker)->base;
    cr_expect_null(asker);
    cr_expect_eq(recall_of(question)->asker, same);
    cr_expect_eq(recall_of(question)->part, 5);
    message_destroy(&question); // the sanitizer sees that nothing is left
}
