// library.h - what the asset actor keeps, and its state; shared by the files that do its work.
#ifndef DIORAMA_ACTORS_LIBRARY_H
#define DIORAMA_ACTORS_LIBRARY_H

#include "actors/resource.h"

// The places of its kinds in the ledger.
enum library_kind { PROJECTS, COLLECTIONS, LIBRARY_KINDS };

struct asset_actor {
    struct ledger ledger;
};

extern const struct resource project_resource;
extern const struct resource collection_resource;

#endif
