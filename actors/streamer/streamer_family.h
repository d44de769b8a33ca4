// streamer_family.h - what stands in the family "streamer" (table: store/README.md).
#ifndef DIORAMA_ACTORS_STREAMER_STREAMER_FAMILY_H
#define DIORAMA_ACTORS_STREAMER_STREAMER_FAMILY_H

enum {
    KEY_EPOCH = 'N', // nothing -> number of this start (8 bytes)
    KEY_START = 'S', // number of a start (8) -> position of the store then (8), name of the store
};

#endif
