// resource.h - the operations that any kind of record shares: create, get, update, delete, list,
// bulk, add to and remove from a list. Projects, collections, users and the rest are rows over
// these handlers. A kind that does more has two hooks: before_write, before anything is staged, and
// repository_kind.committed, after the commit.
//
// The handlers decide who may do what, by the access rule of the operation and the owner of the
// record (access_item.h), and they apply conditions (If-Match), pages and filters.
#ifndef DIORAMA_ACTORS_REPOSITORY_RESOURCE_H
#define DIORAMA_ACTORS_REPOSITORY_RESOURCE_H

#include "actors/repository/page_walk.h"
#include "actors/repository/repository_staged.h"

struct resource {
    const char *noun;   // "project"
    unsigned kind;      // of the repository
    unsigned key;       // id of the field of its key, which is FIELD_FIXED
    unsigned param;     // id of the member of params that names one
    unsigned owner;     // id of the field of its owner, or NO_FIELD: everybody may read it, and the
                        // operation's rule alone says who may change it
    unsigned is_public; // id of the field that makes it public, or NO_FIELD
    uint64_t basics;    // bits of the fields that an update may change; 0 = all that are not fixed
    const struct view *view; // as GET shows it: what entity tags are made of
    enum list_order order;   // of lists without pages, of a kind whose orders are stored

    // Checks and completes `after` (loose; NULL = a delete), which will be written over `before`
    // (NULL = a create), and stages other writes that belong to it, `extra` at most. It stages
    // nothing before everything that may fail is done (but see relationship_cascade_end). May be
    // NULL.
    fallible (*before_write)(struct repository *self, struct message *message,
                             const frozen_t *before, struct record *after);
    struct room extra; // what before_write may stage at most, where it asks for nothing itself
};

// A list in the records of a resource.
struct resource_list {
    const struct resource *resource;
    unsigned member; // id of the list
    unsigned value;  // id of the member of params that names an item
};

// Whether the caller of `message` may do what its operation asks with a record of the resource.
fallible resource_check(const struct resource *self, const struct message *message,
                        const struct record *record);

// Whether the caller may read it.
bool resource_is_seen(const struct resource *self, const struct caller *caller,
                      const struct record *record);

// The one record of the request's body; ERR_MISSING where there is none.
fallible resource_request(const struct message *message, struct record **ret_record);

// A loose record with the members of `request` and a new key; it belongs to the caller.
fallible resource_new(struct repository *repository, const struct resource *self,
                      struct message *message, const struct record *request,
                      struct record **ret_record);

// A loose record of those members of `request` that an update may change. The answer warns of the
// others that differ from `stored`; a strict request fails with ERR_INVALID at the first.
fallible resource_edit(const struct resource *self, struct message *message,
                       const struct record *stored, const struct record *request,
                       struct record **ret_edit);

// The record that the request names, as it will be. PARKED: it must be read first; the handler runs
// again then. Fails with ERR_NOT_FOUND, as resource_check, or where it cannot be read.
fallible resource_latest(struct repository *repository, const struct resource *self,
                         struct message *message, const frozen_t **ret_record);
// The same, as it is durable.
fallible resource_find(struct repository *repository, const struct resource *self,
                       struct message *message, const frozen_t **ret_record);

// Checks conditions and LIMIT_RECORD_BYTES, calls before_write and stages `after` (NULL = removes
// `before`). The answer, once that is durable, is the new record, or the removed one.
fallible resource_write(struct repository *repository, const struct resource *self,
                        struct message *message, const frozen_t *before, struct record *after);

// What a request wants of a list: params.num_records from params.start_record.
struct page {
    uint64_t skipped; // records that are still to be skipped
    uint64_t left;    // records that are still to be answered
};

struct page page_of(const struct message *message);
// Skips the record, or adds it to the reply where the page is not full.
void page_add(struct page *self, struct message *message, const frozen_t *record);

// A walk through many records in slices: the work of a message. What comes or goes between two
// slices is found or not.
struct listing {
    struct parcel base;
    struct page page;
    const frozen_t *passed;  // where the last slice ended, one reference; NULL = this is the first
    int64_t found;           // how many were found, or how many of the ids were looked at
    struct record_set among; // what it goes through, for who puts that together first
    bool has_left_out;       // that has the first of them alone
    struct page_walk walk;   // of a kind that is cached
    bool has_begun;          // for who goes through several kinds
};

// Begins the listing of the request, or goes on with it.
struct listing *listing_of(struct message *message);
// It has passed the record, or begins again (NULL).
void listing_pass(struct listing *self, const frozen_t *record);
// Whether the slice ends behind `record`, the `index`-th of all. Then the handler pauses.
bool listing_must_pause(struct listing *self, const actor_t *actor, size_t index,
                        const frozen_t *record);

// The handlers. Their actor_operation.of is a struct resource, that of the last two a struct
// resource_list.
actor_handler resource_create;
actor_handler resource_get;
actor_handler resource_update;
actor_handler resource_delete;
actor_handler resource_list; // a page of the records that the filter in the body finds, by key; or
                             // in the paged form, where that is asked for (list_query.h)
actor_handler resource_bulk; // the records that the request names, each once
actor_handler resource_add;
actor_handler resource_remove;

#endif
