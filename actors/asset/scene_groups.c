// scene_groups.c - the groups of scenes of a project, each addressed by its name. They are members
// of the project's record, so a change of a group is a change of the project, by its rules. Runs on
// the asset actor's thread.
#include "actors/asset/scene_groups.h"

#include "actors/asset/asset_state.h"
#include "actors/asset/projects.h"
#include "proto/base/limits.h"
#include "proto/records/project.h"

// A project while its groups are changed.
struct edit {
    const frozen_t *before;
    struct project *project; // loose
    struct records *groups;  // its list, with room for one more
    uint32_t place;          // of the group that the path names
};

static uint32_t
place_of(const struct records *groups, const struct text *name)
{
    uint32_t place = 0;
    while (place < groups->count &&
           !text_equal(record_text(groups->items[place], GROUP_NAME), name))
        place++;
    return place;
}

// Opens the project that the path names, which the caller may change.
static fallible
edit_open(struct repository *repository, struct message *message, struct edit *ret_edit)
{
    struct edit edit = {0};
    TRY(resource_latest(repository, &project_resource, message, &edit.before));
    struct record *copy = record_copy(&message->arena, &project_schema, frozen_record(edit.before));
    edit.project = (struct project *)(void *)copy;
    const struct records *groups = edit.project->groups;
    uint32_t count = groups ? groups->count : 0;
    edit.groups = records_new(&message->arena, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        edit.groups->items[edit.groups->count++] = groups->items[i];
    *ret_edit = edit;
    return OK;
}

// The same, and finds the group that the path names.
static fallible
edit_open_group(struct repository *repository, struct message *message, struct edit *ret_edit)
{
    const struct text *name = message->params->group;
    TRY(edit_open(repository, message, ret_edit));
    ret_edit->place = place_of(ret_edit->groups, name);
    if (ret_edit->place == ret_edit->groups->count)
        return fail(ERR_NOT_FOUND, "", "the project has no group %s", text_chars(name));
    return OK;
}

// Writes the project and answers with it.
static enum error
edit_close(struct repository *repository, struct message *message, struct edit *edit)
{
    struct record *record = &edit->project->base;
    edit->project->groups = edit->groups;
    record->present &= ~FIELD_BIT(PROJECT_GROUPS);
    if (edit->groups->count > 0)
        record_mark(record, PROJECT_GROUPS);
    return resource_write(repository, &project_resource, message, edit->before, record);
}

// No group but the one in `place` may have the name of `group`.
static fallible
check_name(const struct edit *edit, const struct record *group, uint32_t place)
{
    const struct text *name = record_text(group, GROUP_NAME);
    uint32_t holder = place_of(edit->groups, name);
    if (text_size(name) == 0)
        return fail(ERR_MISSING, "/name", "is needed");
    if (holder < edit->groups->count && holder != place)
        return fail(ERR_CONFLICT, "/name", "the project has a group %s already", text_chars(name));
    return OK;
}

enum error
group_create(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct edit edit;
    struct record *request;
    TRY(edit_open(repository, message, &edit));
    TRY(resource_request(message, &request));
    TRY(check_name(&edit, request, UINT32_MAX));
    if (edit.groups->count == LIMIT_GROUPS)
        return fail(ERR_INVALID, "", "the project has %d groups, the most it may have",
                    LIMIT_GROUPS);
    edit.groups->items[edit.groups->count++] = request;
    return edit_close(repository, message, &edit);
}

// Puts `change` over the group that the path names.
static fallible
edit_group(struct message *message, struct edit *edit, const struct record *change,
           enum list_mode mode)
{
    struct record **group = &edit->groups->items[edit->place], *merged;
    TRY(record_merge(&message->arena, &scene_group_schema, *group, change, mode, &merged));
    TRY(check_name(edit, merged, edit->place));
    *group = merged;
    return OK;
}

enum error
group_update(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct edit edit;
    struct record *request;
    TRY(edit_open_group(repository, message, &edit));
    TRY(resource_request(message, &request));
    TRY(edit_group(message, &edit, request, params_list_mode(message->params)));
    return edit_close(repository, message, &edit);
}

enum error
group_delete(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    struct edit edit;
    TRY(edit_open_group(repository, message, &edit));
    edit.groups->count--;
    for (uint32_t i = edit.place; i < edit.groups->count; i++)
        edit.groups->items[i] = edit.groups->items[i + 1];
    return edit_close(repository, message, &edit);
}

static enum error
change_scene(actor_t *actor, struct message *message, enum list_mode mode)
{
    struct repository *repository = repository_of(actor);
    struct edit edit;
    TRY(edit_open_group(repository, message, &edit));
    struct record *change = record_new(&message->arena, &scene_group_schema);
    ((struct scene_group *)(void *)change)->scenes =
        texts_of_one(&message->arena, message->params->scene);
    record_mark(change, GROUP_SCENES);
    TRY(edit_group(message, &edit, change, mode));
    return edit_close(repository, message, &edit);
}

enum error
group_add_scene(actor_t *actor, struct message *message)
{
    return change_scene(actor, message, LIST_APPEND);
}

enum error
group_drop_scene(actor_t *actor, struct message *message)
{
    return change_scene(actor, message, LIST_REMOVE);
}
