// token_secret.c - the key of tokens as a record. One that was never replaced is not stored here:
// user_bootstrap.c makes the first one.
#include "actors/user/token_secret.h"

#include <sodium.h>

#include "actors/repository/repository_staged.h"
#include "actors/user/user_state.h"
#include "proto/base/clock.h"
#include "proto/records/secret.h"

enum { HEX_SIZE = 2 * SESSION_KEY_BYTES + 1 };

static const char name[] = "tokens";

static struct record *
new_secret(struct message *message)
{
    unsigned char key[SESSION_KEY_BYTES];
    char hex[HEX_SIZE];
    struct record *record = record_new(&message->arena, &secret_schema);
    randombytes_buf(key, sizeof key);
    record_set_text(record, SECRET_NAME, text_from(&message->arena, name));
    record_set_text(record, SECRET_VALUE,
                    text_from(&message->arena, sodium_bin2hex(hex, sizeof hex, key, sizeof key)));
    record_set_integer(record, SECRET_MADE, (int64_t)clock_calendar_us());
    sodium_memzero(key, sizeof key);
    sodium_memzero(hex, sizeof hex);
    return record;
}

static void
tell(struct message *message, size_t ended)
{
    struct record *record = record_new(&message->arena, &rotation_schema);
    record_set_text(record, ROTATION_NAME, text_from(&message->arena, name));
    record_set_integer(record, ROTATION_ENDED, (int64_t)ended);
    reply_add_loose(message, &rotation_schema, record);
}

enum error
token_secret_rotate(actor_t *actor, struct message *message)
{
    struct user_actor *self = user_actor_of(actor);
    struct repository *repository = &self->repository;
    struct record *record = new_secret(message);
    const frozen_t *before =
        repository_latest(repository, SECRETS, record_text(record, SECRET_NAME));
    TRY(repository_make_room(repository, message,
                             room_for_records(1, record_frozen_size(record->schema, record))));
    tell(message, sessions_count(self->sessions));
    repository_put(repository, SECRETS, record, before);
    return repository_answer_durable(repository, message);
}

// The stored sessions of before are found by no token any more; sessions_sweep removes them.
void
token_secret_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    struct user_actor *self = user_actor_of(&repository->base);
    const struct text *hex = after ? record_text(frozen_record(after), SECRET_VALUE) : NULL;
    unsigned char key[SESSION_KEY_BYTES];
    size_t size = 0;
    (void)before;
    if (!hex || sodium_hex2bin(key, sizeof key, hex->data, hex->size, NULL, &size, NULL) != 0 ||
        size != sizeof key)
        return;
    sessions_rotate(self->sessions, key);
    // Not the time of now: at a start the key is as old as it says, and later sessions are good.
    self->rotated_us =
        (uint64_t)((const struct secret *)(const void *)frozen_record(after))->made_us;
    sodium_memzero(key, sizeof key);
}
