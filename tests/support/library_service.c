// library_service.c - see the header. Runs on the test's thread.
#include "tests/support/library_service.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/record_set.h"
#include "proto/base/log.h"
#include "store/blob.h"

enum { LIBRARY_MEMORY = 1 << 20 };

#define MUST(call) cr_assert_eq((call), OK, "%s", fault_last()->detail)

static const char committer_name[] = "committer.asset";

void
library_start(struct library *self)
{
    self->store = tested_store_open(&self->directory);
    asker_begin(&self->asker);
    MUST(committer_create(self->store, committer_name, &self->committer));
    const struct config config = {.data_dir = self->directory.path};
    MUST(blob_folder_open(&config, reserve_measure, &self->blobs));
    const struct request_settings requests = {.deadline_ms = 10000, .lifetime_s = 60};
    MUST(asset_actor_create(self->store, self->blobs, NULL, NULL, committer_name, LIBRARY_MEMORY,
                            &requests, &self->actor));
}

void
library_stop(struct library *self)
{
    asset_actor_destroy(&self->actor, self->asker.mailbox);
    gate_open(self->store, GATE_COMMITS);
    gate_open(self->store, GATE_READS);
    committer_destroy(&self->committer, self->asker.mailbox);
    asker_end(&self->asker);
    blobs_destroy(&self->blobs);
    store_destroy(&self->store);
}

static struct library library;

struct library *
library_begin(void)
{
    library = (struct library){0};
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&library.directory);
    library_start(&library);
    return &library;
}

void
library_end(void)
{
    if (library.store)
        library_stop(&library);
    temporary_finish(&library.directory);
}

void
library_set_faults(struct library *self, const char *plan)
{
    tested_store_set_faults(&self->directory, plan);
}

static void
set_bytes(struct library *self, struct message *message, const char *bytes)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    MUST(blob_begin(self->blobs, strlen(bytes), &writer));
    MUST(blob_write(writer, bytes, strlen(bytes)));
    MUST(blob_finish(&writer, &pin));
    message->parcel = &pin->parcel;
}

uint64_t
library_send(struct library *self, const struct library_wish *wish)
{
    struct message *message = message_create(wish->operation);
    const struct {
        unsigned field;
        const char *value;
    } params[] = {
        {PARAMS_PROJECT, wish->project},
        {PARAMS_COLLECTION, wish->collection},
        {PARAMS_GROUP, wish->group},
        {PARAMS_SCENE, wish->scene},
        {PARAMS_TAG, wish->tag},
        {PARAMS_ASSET, wish->asset},
        {PARAMS_TYPE, wish->type},
        {PARAMS_RELATED, wish->related},
        {PARAMS_SUBTYPE, wish->subtype},
        {PARAMS_AFTER, wish->after},
        {PARAMS_SORT, wish->sort},
        {PARAMS_Q, wish->q},
        {PARAMS_IF_MATCH, wish->if_match},
        {PARAMS_REPEAT_KEY, wish->repeat_key},
        {PARAMS_REPEAT_PRINT, wish->repeat_print},
    };
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
        asker_set_param(message, params[i].field, params[i].value);
    if (wish->num_records)
        record_set_integer(&message->params->base, PARAMS_NUM_RECORDS, wish->num_records);
    if (wish->start_record)
        record_set_integer(&message->params->base, PARAMS_START_RECORD, wish->start_record);
    if (wish->records)
        asker_set_records(message, operation_rows[wish->operation].request, wish->records);
    if (wish->bytes)
        set_bytes(self, message, wish->bytes);
    message->caller = (struct caller){.peer = "127.0.0.1", .loopback = true, .role = wish->role};
    if (wish->user)
        snprintf(message->caller.user, sizeof message->caller.user, "%s", wish->user);
    return asker_send(&self->asker, actor_mailbox(ASSET_ACTOR), message);
}

struct library_id
library_id_of(struct message *answer)
{
    struct library_id id;
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_eq(answer->reply.count, 1);
    snprintf(id.chars, sizeof id.chars, "%s", text_chars(frozen_key(answer->reply.records[0])));
    message_destroy(&answer);
    return id;
}
