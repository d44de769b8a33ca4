// resource.h - what can be asked of any kind of record that stands for itself: create, get, update,
// delete, list, bulk, add to and remove from a list. Projects, collections, users and the rest are
// rows over these handlers; what a kind does besides stands in its two hooks, this one before
// anything is staged and repository_kind.committed after the commit.
//
// Who may do what is decided here, by the access rule of the operation and the resource's owner
// (access.h); so are conditions (If-Match), pages and filters.
#ifndef DIORAMA_ACTORS_REPOSITORY_RESOURCE_H
#define DIORAMA_ACTORS_REPOSITORY_RESOURCE_H

#include "actors/repository/repository.h"

enum { NO_FIELD = 63 }; // no field has this id

struct resource {
    const char *noun;   // "project"
    unsigned kind;      // of the repository
    unsigned key;       // id of its key's field, which is FIELD_FIXED
    unsigned param;     // id of the member of params that names one
    unsigned owner;     // id of the field of its owner, or NO_FIELD: everybody may read it, and
                        // only the operation's rule says who may change it
    unsigned is_public; // id of the field that makes it public, or NO_FIELD
    uint64_t basics;    // bits of the fields that an update may change; 0 = all
    const struct view *view; // as GET shows it: what entity tags are made of

    // Looks at what will be written (`after`, loose, to be changed; NULL = a delete) over `before`
    // (NULL = a create) and refuses, or stages what else belongs to it. Everything that may fail
    // comes before anything that it stages (but see relationship_cascade_end). It has room for
    // `extra` operations. May be NULL.
    fallible (*before_write)(struct repository *self, struct message *message,
                             const frozen_t *before, struct record *after);
    size_t extra; // operations that before_write may stage, at most
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

// A loose record of what `request` says, with a fresh key, that belongs to the caller.
fallible resource_new(struct repository *repository, const struct resource *self,
                      struct message *message, const struct record *request,
                      struct record **ret_record);

// The record that the request names, as it will be; ERR_NOT_FOUND, or why the caller may not.
fallible resource_latest(struct repository *repository, const struct resource *self,
                         const struct message *message, const frozen_t **ret_record);
// The same, as it is.
fallible resource_find(struct repository *repository, const struct resource *self,
                       const struct message *message, const frozen_t **ret_record);

// Checks conditions and LIMIT_RECORD_BYTES, calls before_write, stages `after` (NULL = the end of
// `before`) and answers with it, or with what it was, once it is durable.
fallible resource_write(struct repository *repository, const struct resource *self,
                        struct message *message, const frozen_t *before, struct record *after);

// What a request wants of a list: params.num_records from params.start_record.
struct page {
    uint64_t skipped; // still to be passed over
    uint64_t left;    // still to be answered
};

struct page page_of(const struct message *message);
// Answers with the record, if the page has come to it.
void page_add(struct page *self, struct message *message, const frozen_t *record);

// The handlers. actor_operation.of is a struct resource, of the last two a struct resource_list.
actor_handler resource_create;
actor_handler resource_get;
actor_handler resource_update;
actor_handler resource_delete;
actor_handler resource_list; // a page of what the filter in the body finds, by key
actor_handler
    resource_bulk; // the records that `ids` of the request name; unknown ones skipped, each once
actor_handler resource_add;
actor_handler resource_remove;

#endif
