// projects.c - projects and asset collections: rows over resource.h. Runs on the asset actor's
// thread.
#include "actors/asset/projects.h"

#include <stdio.h>

#include "actors/asset/asset_state.h"
#include "actors/asset/relationship_cascade.h"
#include "proto/records/project.h"

// --- projects ---

static const struct text *
group_name(const struct project *project, uint32_t index)
{
    return record_text(project->groups->items[index], GROUP_NAME);
}

// Groups are addressed by name, so each needs one, and no two may have the same.
static fallible
check_group(struct message *message, const struct project *project, uint32_t index)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/sceneGroups/%u/name", index);
    if (text_size(group_name(project, index)) == 0)
        return fail(ERR_MISSING, message_pointer(message, 0, pointer), "is needed");
    for (uint32_t i = 0; i < index; i++)
        if (text_equal(group_name(project, i), group_name(project, index)))
            return fail(ERR_CONFLICT, message_pointer(message, 0, pointer),
                        "another group has this name");
    return OK;
}

static fallible
before_project(struct repository *self, struct message *message, const frozen_t *before,
               struct record *after)
{
    const struct project *project = (const struct project *)(const void *)after;
    if (!after)
        return relationship_cascade_end(self, message, frozen_key(before), room_for_removals(1));
    for (uint32_t i = 0; !before && project->groups && i < project->groups->count; i++)
        TRY(check_group(message, project, i));
    return OK;
}

// --- collections ---

static fallible
leave_project(struct repository *self, struct message *message, const frozen_t *record,
              const struct text *collection)
{
    const struct project *project = (const struct project *)(const void *)frozen_record(record);
    if (!texts_contain(project->collections, collection))
        return OK;
    struct record *edit = record_new(&message->arena, &project_schema), *left;
    ((struct project *)(void *)edit)->collections = texts_of_one(&message->arena, collection);
    record_mark(edit, PROJECT_COLLECTIONS);
    TRY(record_merge(&message->arena, &project_schema, &project->base, edit, LIST_REMOVE, &left));
    TRY(repository_make_room(self, message, room_for_records(1, record_size(record))));
    repository_put(self, PROJECTS, left, record);
    return OK;
}

// What is staged before there is no more room stays staged, as in relationship_cascade_end.
static fallible
before_collection(struct repository *self, struct message *message, const frozen_t *before,
                  struct record *after)
{
    if (after)
        return OK;
    size_t count;
    const frozen_t **projects = repository_latest_all(self, PROJECTS, &message->arena, &count);
    for (size_t i = 0; i < count; i++)
        TRY(leave_project(self, message, projects[i], frozen_key(before)));
    return relationship_cascade_end(self, message, frozen_key(before), room_for_removals(1));
}

// clang-format off
const struct resource project_resource = {
    .noun = "project", .kind = PROJECTS, .key = PROJECT_ID, .param = PARAMS_PROJECT,
    .owner = PROJECT_USER, .is_public = PROJECT_PUBLIC, .view = &project_view_full,
    .basics = FIELD_BIT(PROJECT_NAME) | FIELD_BIT(PROJECT_DESCRIPTION) | FIELD_BIT(PROJECT_CATEGORY) |
              FIELD_BIT(PROJECT_THUMBNAIL) | FIELD_BIT(PROJECT_PUBLIC),
    .before_write = before_project,
};

const struct resource collection_resource = {
    .noun = "collection", .kind = COLLECTIONS, .key = COLLECTION_ID, .param = PARAMS_COLLECTION,
    .owner = COLLECTION_USER, .is_public = COLLECTION_PUBLIC, .view = &collection_view_full,
    .before_write = before_collection,
};
// clang-format on
