// resource.c - the generic operations (resource.h). A handler stages nothing before its last TRY.
#include "actors/repository/resource.h"

#include <stdlib.h>

#include "actors/runtime/preconditions.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/access_item.h"
#include "proto/message/partition.h"
#include "proto/records/ids.h"

static const struct resource *
resource_of(const actor_t *actor, const struct message *message)
{
    return actor_operation_of(actor, message)->of;
}

static bool
bool_of(const struct record *record, unsigned id)
{
    const struct field *field = schema_field(record->schema, id);
    return field && record_has(record, id) && MEMBER_CONST(bool, record, field);
}

static void
set_bool(struct record *record, unsigned id, bool value)
{
    MEMBER(bool, record, schema_field(record->schema, id)) = value;
    record_mark(record, id);
}

static struct access_item
item_of(const struct resource *self, const struct record *record)
{
    return (struct access_item){
        .owner = record_text(record, self->owner),
        .is_public = bool_of(record, self->is_public),
    };
}

static bool
has_owner(const struct resource *self)
{
    return self->owner != NO_FIELD;
}

fallible
resource_check(const struct resource *self, const struct message *message,
               const struct record *record)
{
    if (!has_owner(self))
        return OK;
    const struct access_item item = item_of(self, record);
    return access_check(message, &item);
}

bool
resource_is_seen(const struct resource *self, const struct caller *caller,
                 const struct record *record)
{
    const struct access_item item = item_of(self, record);
    return !has_owner(self) || access_sees(caller, &item);
}

static const struct text *
key_named(const struct resource *self, const struct message *message)
{
    return record_text(&message->params->base, self->param);
}

static fallible
check_found(const struct resource *self, const struct message *message, const frozen_t *record)
{
    // A record that the caller may not see is answered like one that does not exist.
    if (!record || !resource_is_seen(self, &message->caller, frozen_record(record)))
        return fail(ERR_NOT_FOUND, "", "there is no %s %s", self->noun,
                    text_chars(key_named(self, message)));
    return resource_check(self, message, frozen_record(record));
}

fallible
resource_latest(struct repository *repository, const struct resource *self, struct message *message,
                const frozen_t **ret_record)
{
    const frozen_t *record;
    TRY(repository_fetch_latest(repository, self->kind, key_named(self, message), message,
                                &record));
    TRY(check_found(self, message, record));
    *ret_record = record;
    return OK;
}

// --- writing ---

static fallible
check_size(const struct record *record, size_t *ret_bytes)
{
    size_t bytes = record ? record_frozen_size(record->schema, record) : 0;
    if (bytes > LIMIT_RECORD_BYTES)
        return fail(ERR_TOO_LARGE, "", "the record would take %zu bytes, more than %d", bytes,
                    LIMIT_RECORD_BYTES);
    *ret_bytes = bytes;
    return OK;
}

static fallible
before_write(struct repository *repository, const struct resource *self, struct message *message,
             const frozen_t *before, struct record *after)
{
    size_t bytes = 0;
    TRY(preconditions_check(message, frozen_record(before), self->view));
    TRY(check_size(after, &bytes));
    TRY(repository_check_budget(repository, self->kind, message, before, after));
    struct room own = after ? room_for_records(1, bytes) : room_for_removals(1);
    TRY(repository_make_room(repository, message, room_for_both(own, self->extra)));
    return self->before_write ? self->before_write(repository, message, before, after) : OK;
}

fallible
resource_write(struct repository *repository, const struct resource *self, struct message *message,
               const frozen_t *before, struct record *after)
{
    TRY(before_write(repository, self, message, before, after));
    if (after) {
        reply_add(message, repository_put(repository, self->kind, after, before));
    } else {
        reply_add(message, before);
        repository_delete(repository, self->kind, before);
    }
    return repository_answer_durable(repository, message);
}

fallible
resource_request(const struct message *message, struct record **ret_record)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "", "a body is needed");
    *ret_record = message->records->items[0];
    return OK;
}

// A new record belongs to its maker. Without authentication everything is public.
static void
give_owner(const struct resource *self, struct message *message, struct record *record)
{
    const struct caller *caller = &message->caller;
    if (!has_owner(self))
        return;
    if (caller->user[0])
        record_set_text(record, self->owner, text_from(&message->arena, caller->user));
    if (self->is_public != NO_FIELD && !record_has(record, self->is_public))
        set_bool(record, self->is_public, caller->role == CALLER_TRUSTED);
}

fallible
resource_new(struct repository *repository, const struct resource *self, struct message *message,
             const struct record *request, struct record **ret_record)
{
    struct record *record;
    const struct schema *schema = repository->settings.kinds[self->kind].schema;
    TRY(record_merge(&message->arena, schema, NULL, request, LIST_OVERWRITE, &record));
    record_set_text(record, self->key, key_generate_free(&message->arena));
    give_owner(self, message, record);
    *ret_record = record;
    return OK;
}

enum error
resource_create(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct resource *self = resource_of(actor, message);
    struct record *request, *record;
    TRY(resource_request(message, &request));
    TRY(resource_new(repository, self, message, request, &record));
    return resource_write(repository, self, message, NULL, record);
}

// Whether an update leaves the member as it is stored.
static bool
stays(const struct resource *self, const struct field *field)
{
    if (field->flags & FIELD_FIXED)
        return true;
    bool is_kept = !(field->flags & (FIELD_INPUT | FIELD_SECRET | FIELD_TRANSIENT));
    return self->basics && is_kept && !(self->basics & FIELD_BIT(field->id));
}

fallible
resource_edit(const struct resource *self, struct message *message, const struct record *stored,
              const struct record *request, struct record **ret_edit)
{
    const struct schema *schema = request->schema;
    struct path body = {.name = message_pointer(message, 0, "")};
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!record_has(request, field->id) || !stays(self, field) ||
            record_shows_equal(field, request, stored))
            continue;
        struct path place = {.up = &body, .name = field->name};
        if (message->params->strict)
            return path_fail(&place, ERR_INVALID, "is not changed here");
        warnings_add(&message->warnings, &message->arena, &place, "is not changed here");
    }
    *ret_edit = record_copy(&message->arena, schema, request);
    if (self->basics)
        (*ret_edit)->present &= self->basics;
    return OK;
}

enum error
resource_update(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct resource *self = resource_of(actor, message);
    struct record *request, *edit, *merged;
    const frozen_t *before;
    TRY(resource_latest(repository, self, message, &before));
    TRY(resource_request(message, &request));
    const struct record *stored = frozen_record(before);
    TRY(resource_edit(self, message, stored, request, &edit));
    TRY(record_merge(&message->arena, stored->schema, stored, edit,
                     params_list_mode(message->params), &merged));
    return resource_write(repository, self, message, before, merged);
}

enum error
resource_delete(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct resource *self = resource_of(actor, message);
    const frozen_t *before;
    TRY(resource_latest(repository, self, message, &before));
    return resource_write(repository, self, message, before, NULL);
}

static enum error
change_list(actor_t *actor, struct message *message, enum list_mode mode)
{
    struct repository *repository = repository_of(actor);
    const struct resource_list *row = actor_operation_of(actor, message)->of;
    const frozen_t *before;
    TRY(resource_latest(repository, row->resource, message, &before));
    const struct record *stored = frozen_record(before);
    struct record *edit = record_new(&message->arena, stored->schema), *merged;
    const struct field *list = schema_field(stored->schema, row->member);
    MEMBER(const struct texts *, edit, list) =
        texts_of_one(&message->arena, record_text(&message->params->base, row->value));
    record_mark(edit, row->member);
    TRY(record_merge(&message->arena, stored->schema, stored, edit, mode, &merged));
    return resource_write(repository, row->resource, message, before, merged);
}

enum error
resource_add(actor_t *actor, struct message *message)
{
    return change_list(actor, message, LIST_APPEND);
}

enum error
resource_remove(actor_t *actor, struct message *message)
{
    return change_list(actor, message, LIST_REMOVE);
}

// --- reading ---

fallible
resource_find(struct repository *repository, const struct resource *self, struct message *message,
              const frozen_t **ret_record)
{
    const frozen_t *record;
    TRY(repository_fetch(repository, self->kind, key_named(self, message), message, &record));
    TRY(check_found(self, message, record));
    *ret_record = record;
    return OK;
}

enum error
resource_get(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const frozen_t *record;
    const struct resource *self = resource_of(actor, message);
    TRY(resource_find(repository, self, message, &record));
    reply_add(message, record);
    if (has_owner(self)) {
        const struct access_item access = item_of(self, frozen_record(record));
        shown_put_loose(repository->settings.shown, record, &access);
    }
    return OK;
}

struct page
page_of(const struct message *message)
{
    const struct params *params = message->params;
    return (struct page){
        .skipped = (uint64_t)params->start_record,
        .left = params->num_records ? (uint64_t)params->num_records : LIMIT_RECORDS,
    };
}

void
page_add(struct page *self, struct message *message, const frozen_t *record)
{
    if (self->skipped > 0) {
        self->skipped--;
    } else if (self->left > 0) {
        self->left--;
        reply_add(message, record);
    }
}

static void
listing_release(struct parcel *parcel)
{
    struct listing *self = (struct listing *)(void *)parcel;
    record_unref(&self->passed);
    record_set_finish(&self->among);
    page_walk_finish(&self->walk);
    free(self);
}

struct listing *
listing_of(struct message *message)
{
    if (!message->work) {
        struct listing *self = memory_take_zeroed(sizeof *self);
        self->base.destroy = listing_release;
        self->page = page_of(message);
        message->work = &self->base;
    }
    return (struct listing *)(void *)message->work;
}

void
listing_pass(struct listing *self, const frozen_t *record)
{
    record_unref(&self->passed);
    self->passed = record ? record_ref(record) : NULL;
}

bool
listing_must_pause(struct listing *self, const actor_t *actor, size_t index, const frozen_t *record)
{
    enum { WATCHED = 32 }; // so many records cost more than a look at the clock
    if (index % WATCHED != WATCHED - 1 || !actor_must_pause(actor))
        return false;
    listing_pass(self, record);
    return true;
}

// Whether the record was not in the set; now it is.
static bool
add_once(struct record_set *set, const frozen_t *record)
{
    if (record_set_find(set, frozen_key(record)))
        return false;
    record_set_put(set, record);
    return true;
}

enum { BULK_AT_ONCE = 100 }; // so many are read together

// Fetches the ids of which the one with this number is the first.
static fallible
need_some(struct repository *repository, const struct resource *self, struct message *message,
          const struct texts *ids, size_t number)
{
    struct needs needs = {0};
    for (size_t i = number; i < ids->count && i < number + BULK_AT_ONCE; i++)
        needs_add(&needs, &message->arena, self->kind, 0, ids->items[i]);
    return repository_need(repository, &needs, message);
}

// A small request that names one large record ten thousand times gets it once. A slice may end
// within those that were fetched together: then they are fetched again.
enum error
resource_bulk(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct resource *self = resource_of(actor, message);
    struct record *request;
    TRY(resource_request(message, &request));
    const struct texts *ids = ((const struct ids *)(const void *)request)->ids;
    struct listing *listing = listing_of(message);
    for (size_t passed = 0; (size_t)listing->found < texts_count(ids); passed++) {
        if (passed % BULK_AT_ONCE == 0)
            TRY(need_some(repository, self, message, ids, (size_t)listing->found));
        const struct text *id = ids->items[listing->found++];
        const frozen_t *record = repository_find(repository, self->kind, id);
        if (record && resource_is_seen(self, &message->caller, frozen_record(record)) &&
            add_once(&listing->among, record))
            reply_add(message, record);
        if (listing_must_pause(listing, actor, (size_t)listing->found, NULL))
            return actor_pause(actor, message);
    }
    return OK;
}
