// replica_family.h - what stands in the family "streamer" about following (table: store/README.md).
// That family is of one server alone: it is not copied.
#ifndef DIORAMA_ACTORS_REPLICA_REPLICA_FAMILY_H
#define DIORAMA_ACTORS_REPLICA_REPLICA_FAMILY_H

enum {
    KEY_FOLLOWED = 'L', // nothing -> how far the store has copied a leader (followed_place.h)
};

#endif
