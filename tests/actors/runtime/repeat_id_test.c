// repeat_id_test.c - what tells two requests with an Idempotency-Key apart.
#include "actors/runtime/repeat_id.h"

#include <criterion/criterion.h>

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(id, .fini = finish);

static struct repeat_id
id_of(const char *payer, enum operation operation, const char *key)
{
    struct message *message = message_create(operation);
    struct repeat_id id = repeat_id_of(message, payer, operation, text_from(&arena, key));
    message_destroy(&message);
    return id;
}

Test(id, is_the_same_when_payer_operation_and_key_are)
{
    const struct repeat_id id = id_of("ann", SIGN_UP, "k1"), again = id_of("ann", SIGN_UP, "k1");
    cr_assert(repeat_id_equal(&id, &again));
    cr_assert_eq(repeat_id_hash(&id), repeat_id_hash(&again));
}

Test(id, is_another_when_one_of_them_is_another)
{
    const struct repeat_id id = id_of("ann", SIGN_UP, "k1");
    const struct repeat_id others[] = {id_of("bob", SIGN_UP, "k1"), id_of("ann", USER_UPDATE, "k1"),
                                       id_of("ann", SIGN_UP, "k2"), id_of("annk", SIGN_UP, "1")};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_not(repeat_id_equal(&id, &others[i]), "%zu", i);
}

Test(id, of_another_partition_is_another)
{
    const struct repeat_id id = id_of("ann", SIGN_UP, "k1");
    struct repeat_id other = id;
    other.part++;
    cr_assert_not(repeat_id_equal(&id, &other));
    cr_assert_neq(repeat_id_hash(&id), repeat_id_hash(&other));
}

Test(id, comes_back_from_its_text)
{
    const struct repeat_id id = id_of("ann", SIGN_UP, "k1");
    const struct text *text = repeat_id_text(&arena, &id);
    struct repeat_id back;
    cr_assert_eq(text_size(text), 2 * REPEAT_ID_SIZE);
    cr_assert(repeat_id_from_text(text, id.part, &back));
    cr_assert(repeat_id_equal(&id, &back));
}

Test(id, does_not_come_from_other_texts)
{
    static const char *const texts[] = {"", "00", "00112233445566778899aabbccddeeff00",
                                        "0011223344556677zz99aabbccddeeff"};
    struct repeat_id id;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert_not(repeat_id_from_text(text_from(&arena, texts[i]), 0, &id), "%s", texts[i]);
}
