// resource_lists.c - a request for a list travels to the reader with its question, and back; or
// goes through the records in memory (resource_lists.h).
#include "actors/repository/resource_lists.h"

#include "actors/runtime/list_page.h"
#include "actors/runtime/stored_list.h"
#include "proto/message/access_item.h"

static const struct resource *
resource_of(const actor_t *actor, const struct message *message)
{
    return actor_operation_of(actor, message)->of;
}

// Who asks, and what for.
struct viewer {
    const struct resource *resource;
    const struct caller *caller;
};

static bool
is_seen(const void *viewer, const struct record *record)
{
    const struct viewer *self = viewer;
    return resource_is_seen(self->resource, self->caller, record);
}

static bool
sees_all(const struct resource *resource, const struct message *message)
{
    return resource->owner == NO_FIELD || access_sees_all(&message->caller);
}

// --- of a kind whose orders are stored ---

static struct list_viewer
viewer_of(const struct resource *resource, struct message *message)
{
    struct viewer *viewer = arena_alloc(&message->arena, sizeof *viewer);
    *viewer = (struct viewer){resource, &message->caller};
    return (struct list_viewer){.sees = sees_all(resource, message) ? NULL : is_seen,
                                .viewer = viewer,
                                .user = message->caller.user};
}

static fallible
read_query(struct stored_list *self, const struct resource *resource, struct message *message)
{
    const struct list_kind *kind = list_kind_of(resource->view->of);
    const struct records *filters = message->records;
    const struct page page = page_of(message);
    if (self->form == LIST_OF_PAGE)
        return list_query_read(message, kind, 0, &self->query);
    self->skip = self->form == LIST_OF_SLICE ? page.skipped : 0;
    list_query_of(kind, resource->order, filters && filters->count ? filters->items[0] : NULL,
                  (uint32_t)page.left, &self->query);
    return OK;
}

static fallible
ask(struct repository *self, const struct resource *resource, enum stored_list_form form,
    struct message *message)
{
    const struct listed_kind kind = {&self->readable[resource->kind],
                                     self->settings.kinds[resource->kind].lists};
    struct stored_list *list = stored_list_create(&self->indexes, &kind, form);
    enum error error = read_query(list, resource, message);
    if (error == OK) {
        list->viewer = viewer_of(resource, message);
        list->asker = message;
        error = page_reader_ask_list(self->base.mailbox, self->settings.reader, &list);
    }
    if (list)
        list->asker = NULL; // it is not on its way
    stored_list_destroy(&list);
    return error == OK ? PARKED : error;
}

// PARKED: the list is read, and the handler runs again. OK: the reply of the message is the list,
// or *ret_total is how many there are (LIST_OF_NUMBER; NULL else). Fails where the query is wrong
// or the store cannot be read.
static fallible
read_list(struct repository *self, const struct resource *resource, enum stored_list_form form,
          struct message *message, int64_t *ret_total)
{
    if (!message->work)
        return ask(self, resource, form, message);
    struct stored_list *list = stored_list_of(message->work);
    struct reply *reply = &message->reply;
    if (list->result != OK)
        return fail(list->result, "", "the list cannot be read");
    if (ret_total)
        *ret_total = list->total;
    if (form == LIST_OF_PAGE) {
        reply->more = list->has_more;
        list_answer(message, &list->query, list->total,
                    list->has_more ? reply_record(reply, reply->count - 1) : NULL);
    }
    return OK;
}

enum error
repository_listed(actor_t *actor, struct message *message)
{
    struct stored_list *list = stored_list_of(message->parcel);
    struct message *asker = list->asker;
    message->parcel = NULL;
    message_destroy(&message);
    list->asker = NULL;
    asker->work = &list->base;
    actor_dispatch(actor, asker);
    return PARKED;
}

// --- of a kind that is in memory ---

// The paged form of a list.
static enum error
list_paged(actor_t *actor, struct message *message, const struct resource *self)
{
    struct record_table *table = &repository_of(actor)->tables[self->kind];
    const struct viewer viewer = {self, &message->caller};
    const struct list_source source = {.set = &table->records,
                                       .orders = &table->orders,
                                       .sees = sees_all(self, message) ? NULL : is_seen,
                                       .viewer = &viewer};
    return list_page(actor, message, list_kind_of(self->view->of), 0, &source,
                     &(struct list_hold){0});
}

static bool
is_wanted(const struct message *message, const struct record *record)
{
    const struct records *filters = message->records;
    return !filters || filters->count == 0 || record_matches(record, filters->items[0]);
}

// The other form.
static enum error
list_slice(actor_t *actor, struct message *message, const struct resource *self)
{
    struct repository *repository = repository_of(actor);
    struct listing *listing = listing_of(message);
    struct record_set *set = repository_records(repository, self->kind);
    size_t count;
    const frozen_t *const *records = record_set_items(set, &count);
    size_t i = listing->passed ? record_set_place_after(set, frozen_key(listing->passed)) : 0;
    for (; i < count && listing->page.left; i++) {
        const struct record *record = frozen_record(records[i]);
        if (is_wanted(message, record) && resource_is_seen(self, &message->caller, record))
            page_add(&listing->page, message, records[i]);
        if (listing_must_pause(listing, actor, i, records[i]))
            return actor_pause(actor, message);
    }
    return OK;
}

// --- handlers ---

enum error
resource_list(actor_t *actor, struct message *message)
{
    const struct resource *self = resource_of(actor, message);
    bool is_paged = list_is_asked(message);
    if (repository_of(actor)->settings.kinds[self->kind].lists)
        return read_list(repository_of(actor), self, is_paged ? LIST_OF_PAGE : LIST_OF_SLICE,
                         message, NULL);
    return (is_paged ? list_paged : list_slice)(actor, message, self);
}

enum error
resource_count(actor_t *actor, struct message *message)
{
    int64_t count = 0;
    TRY(read_list(repository_of(actor), resource_of(actor, message), LIST_OF_NUMBER, message,
                  &count));
    struct record *answer = record_new(&message->arena, &count_schema);
    record_set_integer(answer, COUNT_COUNT, count);
    reply_add_loose(message, &count_schema, answer);
    return OK;
}
