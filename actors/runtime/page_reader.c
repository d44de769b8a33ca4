// page_reader.c - reads one page after the other (page_reader.h).
#include "actors/runtime/page_reader.h"

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum { READ_DEADLINE_MS = 10000 };

struct page_reader {
    actor_t base;
    store_t *store;
};

void
page_reader_do(struct message *message, store_t *store, const char *reader)
{
    struct record_page *page = record_page_of(message);
    record_page_read(page, store, clock_deadline_ms(READ_DEADLINE_MS));
    if (page->result != STORE_OK)
        log_error("page_not_read", "actor=%s family=%s tag=%c result=%d", reader,
                  store_family_names[page->family->family], (char)page->kind->tag,
                  (int)page->result);
    message->operation = PAGE_READ;
}

static enum error
handle_read(actor_t *actor, struct message *message)
{
    const page_reader_t *self = (page_reader_t *)(void *)actor;
    page_reader_do(message, self->store, actor->name);
    return OK;
}

static enum error
handle_list(actor_t *actor, struct message *message)
{
    page_reader_t *self = (page_reader_t *)(void *)actor;
    struct stored_list *list = stored_list_of(message->parcel);
    while (!stored_list_go_on(list, self->store))
        if (actor_must_pause(actor))
            return actor_pause(actor, message);
    message->operation = LIST_READ;
    return OK;
}

static const struct actor_behaviour behaviour = {
    .operations = {[READ_PAGE] = {handle_read}, [READ_LIST] = {handle_list, .is_long = true}},
};

// The parcel is taken, unless it fails.
static fallible
ask(mailbox_t *from, const char *name, enum operation operation, struct parcel *parcel)
{
    struct message *message = message_create(operation);
    message->id = 1; // else nobody would wait for it; the parcel itself says whose it is
    message->parcel = parcel;
    enum error error = mailbox_send(from, name, &message);
    if (error == OK)
        return OK;
    message->parcel = NULL;
    message_destroy(&message);
    return error;
}

fallible
page_reader_ask(mailbox_t *from, const char *name, struct record_page **page)
{
    TRY(ask(from, name, READ_PAGE, &(*page)->base));
    *page = NULL;
    return OK;
}

fallible
page_reader_ask_list(mailbox_t *from, const char *name, struct stored_list **list)
{
    TRY(ask(from, name, READ_LIST, &(*list)->base));
    *list = NULL;
    return OK;
}

fallible
page_reader_create(store_t *store, const char *name, page_reader_t **ret_reader)
{
    page_reader_t *self = memory_take_zeroed(sizeof *self);
    self->store = store;
    TRY(actor_create(&self->base, &behaviour, name));
    *ret_reader = self;
    return OK;
}

void
page_reader_destroy(page_reader_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
