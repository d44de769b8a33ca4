// device_sealer_test.c - registrations that seal, and those that do not.
#include "actors/streamer/fanout/device_sealer.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static struct device_sealer *
sealer_of(struct arena *arena, const char *token_hash, const char *seal_key)
{
    struct record *device = record_new(arena, &device_schema);
    if (token_hash)
        record_set_text(device, DEVICE_TOKEN, text_from(arena, token_hash));
    if (seal_key)
        record_set_text(device, DEVICE_SEAL_KEY, text_from(arena, seal_key));
    return device_sealer_create(device_of(device));
}

Test(device_sealer, a_registration_without_a_key_seals_nothing)
{
    owned(arena_finish) struct arena arena = {0};
    cr_assert_null(sealer_of(&arena, "8e110a858144a2f81f7c9fbbd3d28777", NULL));
    cr_assert_null(sealer_of(&arena, "8e110a858144a2f81f7c9fbbd3d28777", "short"));
    cr_assert_null(sealer_of(&arena, NULL, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"));
}

Test(device_sealer, its_users_count_together_until_the_last_one_ends)
{
    owned(arena_finish) struct arena arena = {0};
    owned(buffer_finish) struct buffer out = {0};
    struct device_sealer *first = sealer_of(&arena, "8e110a858144a2f81f7c9fbbd3d28777",
                                            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    struct device_sealer *second = device_sealer_ref(first);
    feed_sealer_put(&first->sealer, "a", 1, &out);
    device_sealer_unref(&first);
    cr_assert_null(first);
    feed_sealer_put(&second->sealer, "b", 1, &out);
    cr_assert_eq(second->sealer.counter, 2);
    device_sealer_unref(&second);
    device_sealer_unref(&second);
    cr_assert_null(device_sealer_ref(NULL));
}
