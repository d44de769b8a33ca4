// relations.c - see the header. Runs on the test's thread.
#include "tests/support/relations.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/actor_family.h"
#include "proto/base/owned.h"
#include "store/key.h"

uint64_t
relate_send(struct service *service, const char *asset, const char *related)
{
    char record[128];
    struct message *message = message_create(RELATIONSHIP_PUT);
    snprintf(record, sizeof record, "{'assetId':'%s','relationshipType':'object','relatedId':'%s'}",
             asset, related);
    asker_set_records(message, &relationship_schema, record);
    return asker_send(&service->asker, actor_mailbox(ASSET_ACTOR), message);
}

void
relate(struct service *service, const char *related)
{
    cr_assert_eq(service_outcome(service, relate_send(service, "chair", related)), OK);
}

const struct relationship *
relate_and_read(struct service *service, const char *related, struct message **ret_answer)
{
    *ret_answer = asker_answer(&service->asker, relate_send(service, "chair", related));
    cr_assert_eq((*ret_answer)->reply.fault.error, OK);
    return (const struct relationship *)(const void *)reply_record(&(*ret_answer)->reply, 0);
}

uint32_t
related_count(struct service *service, const char *asset, const char *related,
              enum caller_role role, const char *user)
{
    struct message *message = message_create(RELATIONSHIP_LIST);
    message->caller.role = role;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user);
    asker_set_param(message, PARAMS_ASSET, asset);
    asker_set_param(message, PARAMS_RELATED, related);
    uint64_t id = asker_send(&service->asker, actor_mailbox(ASSET_ACTOR), message);
    owned(message_destroy) struct message *answer = asker_answer(&service->asker, id);
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    return answer->reply.count;
}

static bool
count_entry(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)key;
    (void)version;
    (void)value;
    ++*(size_t *)context;
    return true;
}

size_t
outbox_count(struct service *service)
{
    size_t count = 0;
    struct key low = key_of_tag(KEY_OUTBOX), high = key_after(&low);
    for (uint16_t part = 0; part < PARTITION_COUNT; part++)
        cr_assert_eq(store_scan(service->store, FAMILY_SCENE, part, key_bytes(&low),
                                key_bytes(&high), false, 0, 0, count_entry, &count),
                     STORE_OK);
    return count;
}

void
outbox_await_empty(struct service *service)
{
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    while (outbox_count(service) > 0)
        cr_assert(gate_await_ended(service->store, GATE_COMMITS, ++commits),
                  "%zu entries stay in the outbox", outbox_count(service));
}
