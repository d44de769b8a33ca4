// export.h - what is stored about one user in a repository: a page of it, in the order of the kinds
// and then of the keys. Which kinds belong to users is a table.
#ifndef DIORAMA_ACTORS_REPOSITORY_EXPORT_H
#define DIORAMA_ACTORS_REPOSITORY_EXPORT_H

#include "actors/repository/repository.h"

// A kind whose records belong to users. Rows end with one without a noun.
struct export_row {
    const char *noun;  // the first part of the places of its items
    unsigned kind;     // of the repository
    unsigned owner;    // id of the text member with the user
    unsigned member;   // id of the member of struct export_item that shows the record
    uint64_t left_out; // bits of the record's members that are not shown
    const char *path;  // of its bytes, before its key; NULL = it has none
    unsigned index;    // id of the stored row of texts by owner; 0 = all are looked at, in memory
};

// The items of params.user behind the place in the request, at most a page and some megabytes. Its
// actor_operation.of is the first row. Fails with ERR_INVALID where no row has such a place.
actor_handler repository_export;

#endif
