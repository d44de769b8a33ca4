// projects.c - projects and asset collections: rows over resource.h. Runs on the asset actor's
// thread.
#include "actors/asset/projects.h"

#include <stdio.h>

#include "actors/asset/asset_index.h"
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
    if (!before)
        relationship_cascade_begin(self, project->id);
    return OK;
}

// --- collections ---

void
project_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    if (!after)
        relationship_cascade_forget(repository, frozen_key(before));
}

void
collection_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    if (after)
        return;
    relationship_cascade_forget(repository, frozen_key(before));
    repository_forget_posting(repository, PROJECTS, INDEX_PROJECT_COLLECTION, frozen_key(before));
}

// Projects, as they will be, those that list the collection among them, in the message's arena.
// They were fetched.
static const frozen_t **
list_projects(struct repository *self, struct message *message, const struct text *collection,
              size_t *ret_count)
{
    size_t durable;
    const frozen_t *const *found = record_set_items(
        repository_posting(self, PROJECTS, INDEX_PROJECT_COLLECTION, collection), &durable);
    const frozen_t **list =
        arena_alloc(&message->arena, (durable + self->staging.latest.count + 1) * sizeof *list);
    const struct change *change;
    *ret_count = 0;
    for (size_t i = 0; i < durable; i++)
        if (repository_latest_of(self, PROJECTS, found[i]) == found[i])
            list[(*ret_count)++] = found[i];
    for (size_t cursor = 0; (change = staging_next(&self->staging, KEY_PROJECT, &cursor)) != NULL;)
        if (change->record)
            list[(*ret_count)++] = change->record;
    return list;
}

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
    if (after && !before) {
        relationship_cascade_begin(self, record_key(after));
        repository_know_none(self, PROJECTS, INDEX_PROJECT_COLLECTION, record_key(after));
    }
    if (after)
        return OK;
    size_t count;
    const struct text *key = frozen_key(before);
    TRY(repository_need_by(self, PROJECTS, INDEX_PROJECT_COLLECTION, key, message));
    TRY(relationship_cascade_fetch(self, message, key));
    const frozen_t **projects = list_projects(self, message, key, &count);
    for (size_t i = 0; i < count; i++)
        TRY(leave_project(self, message, projects[i], key));
    return relationship_cascade_end(self, message, key, room_for_removals(1));
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
