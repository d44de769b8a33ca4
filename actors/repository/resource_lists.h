// resource_lists.h - lists and counts of a kind of records. Where its orders are stored
// (repository_kind.lists) the actor asks its reader (stored_list.h) and answers what comes back;
// nothing is laid over it: it is what is durable. Else they are made of the records in memory. The
// actor's thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_RESOURCE_LISTS_H
#define DIORAMA_ACTORS_REPOSITORY_RESOURCE_LISTS_H

#include "actors/repository/resource.h"

// The handlers. Their actor_operation.of is a struct resource.

// The records that the filter in the body finds, by key or in the order of the resource; or a page
// of them, where that is asked for (list_query.h).
actor_handler resource_list;
// How many such a list would find; of a kind whose orders are stored.
actor_handler resource_count;

// For the actor's row of LIST_READ: the list that the reader was asked for.
actor_handler repository_listed;

#endif
