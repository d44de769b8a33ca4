// topic.c - the table of topics (topic.h).
#include "proto/feed/topic.h"

#include "proto/message/access_item.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"
#include "proto/records/scene.h"
#include "proto/records/user.h"

// clang-format off
const struct topic topics[TOPIC_COUNT] = {
    [TOPIC_SCENES]      = {&scene_schema,      EVENT_SCENE_CREATED,      SCENE_USER,      SCENE_PUBLIC},
    [TOPIC_ASSETS]      = {&asset_schema,      EVENT_ASSET_CREATED,      ASSET_USER,      ASSET_PUBLIC},
    [TOPIC_COLLECTIONS] = {&collection_schema, EVENT_COLLECTION_CREATED, COLLECTION_USER, COLLECTION_PUBLIC},
    [TOPIC_PROJECTS]    = {&project_schema,    EVENT_PROJECT_CREATED,    PROJECT_USER,    PROJECT_PUBLIC},
    [TOPIC_USERS]       = {&user_schema,       EVENT_USER_CREATED,       USER_ID,         NO_FIELD},
};
// clang-format on

const struct topic *
topic_named(const struct text *name)
{
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        if (text_is(name, topics[i].schema->array))
            return &topics[i];
    return NULL;
}

const struct topic *
topic_of(uint8_t msg_type)
{
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        if (msg_type >= topics[i].created && msg_type - topics[i].created < 3)
            return &topics[i];
    return NULL;
}

bool
topic_is_public(const struct topic *self, const struct record *record)
{
    const struct field *field = schema_field(self->schema, self->is_public);
    return field && record_has(record, field->id) && MEMBER_CONST(bool, record, field);
}

bool
topic_is_seen(const struct topic *self, const struct record *record, const struct caller *caller)
{
    const struct access_item item = {.owner = record_text(record, self->owner),
                                     .is_public = topic_is_public(self, record)};
    return access_sees(caller, &item);
}
