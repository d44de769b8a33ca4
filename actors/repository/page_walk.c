// page_walk.c - a page that travels to the reader and back (page_walk.h).
#include "actors/repository/page_walk.h"

void
page_walk_finish(struct page_walk *self)
{
    record_page_destroy(&self->page);
}

void
page_walk_restart(struct page_walk *self)
{
    page_walk_finish(self);
    self->is_over = false;
}

static void
leave_out_damaged(struct record_page *page)
{
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++)
        if (page->records[i])
            page->records[count++] = page->records[i];
    page->count = count;
}

fallible
page_walk_resume(struct page_walk *self, struct repository *repository, unsigned kind,
                 const struct key *prefix, const struct key *behind, struct message *message)
{
    struct record_page *page = repository_take_page(repository, message);
    if (page) {
        record_page_destroy(&self->page);
        self->page = page;
        if (page->scanned != STORE_OK || (page->result != STORE_OK && page->result != STORE_BAD))
            return store_error(page->scanned != STORE_OK ? page->scanned : page->result);
        leave_out_damaged(page);
    }
    if (self->page || self->is_over)
        return OK;
    page = repository_page(repository, kind, prefix);
    if (behind)
        page->low = key_next(behind);
    enum error error = repository_ask_page(repository, &page, message);
    record_page_destroy(&page);
    return error;
}

void
page_walk_pass(struct page_walk *self)
{
    for (size_t i = 0; self->page && i < self->page->count; i++)
        record_unref(&self->page->records[i]);
    if (self->page)
        self->page->count = 0;
}

fallible
page_walk_go_on(struct page_walk *self, struct repository *repository, struct message *message)
{
    if (self->page && self->page->is_more)
        return repository_ask_page(repository, &self->page, message);
    record_page_destroy(&self->page);
    self->is_over = true;
    return OK;
}

fallible
page_walk_need(const struct page_walk *self, struct repository *repository, unsigned kind,
               struct message *message)
{
    struct needs needs = {0};
    if (!repository->settings.kinds[kind].is_cached)
        return OK; // all of them are in memory
    for (size_t i = 0; self->page && i < self->page->count; i++)
        needs_add(&needs, &message->arena, kind, 0, frozen_key(self->page->records[i]));
    return repository_need(repository, &needs, message);
}
