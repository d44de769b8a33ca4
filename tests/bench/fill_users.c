// fill_users.c - writes a folder with many users, who log in with no password:
// bench_fill_users USERS --data.dir=DIR. Straight into the store, with their index records.
#include <stdio.h>
#include <stdlib.h>

#include "actors/user/user_family.h"
#include "actors/user/user_writes.h"
#include "proto/config/config.h"
#include "proto/records/user.h"
#include "store/store_open.h"

enum { AT_ONCE = 1000 };

static void
give_up(const char *what)
{
    fprintf(stderr, "bench_fill_users: %s: %s\n", what, fault_last()->detail);
    exit(1);
}

static void
add_user(struct user_writes *writes, struct arena *arena, unsigned number)
{
    struct record *record = record_new(arena, &user_schema);
    struct user *user = (struct user *)(void *)record;
    record_set_text(record, USER_ID, text_format(arena, "%024x", number));
    record_set_text(record, USER_USERNAME, text_format(arena, "User %u", number));
    record_set_text(record, USER_HASH,
                    text_from(arena, "$argon2id$v=19$m=65536,t=2,p=1$87YLPqDbR7MsDim5ocW17Q$"
                                     "fIEBvIyqFQWmrGqCESCjoTlXTCIRkqd3jESwimNWv1U"));
    user->email = texts_of_one(arena, text_format(arena, "user%u@example.org", number));
    user->is_active = true;
    record_mark(record, USER_EMAIL);
    record_mark(record, USER_ACTIVE);
    user_writes_add(writes, KEY_USER, NULL, record);
}

int
main(int argc, char **argv)
{
    struct config config;
    enum config_action action;
    store_t *store;
    struct user_writes writes = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: bench_fill_users USERS --data.dir=DIR\n");
        return 2;
    }
    unsigned users = (unsigned)atoi(argv[1]);
    argv[1] = argv[0];
    if (config_load(argc - 1, argv + 1, &config, &action) != OK)
        give_up("configuration");
    if (store_open(&config, &store) != OK)
        give_up("store");
    for (unsigned i = 0; i < users; i += AT_ONCE) {
        struct arena arena = {0};
        for (unsigned n = i; n < i + AT_ONCE && n < users; n++)
            add_user(&writes, &arena, n);
        if (user_writes_commit(&writes, store) != OK)
            give_up("a commit failed");
        arena_finish(&arena);
    }
    user_writes_finish(&writes);
    store_destroy(&store);
    return 0;
}
