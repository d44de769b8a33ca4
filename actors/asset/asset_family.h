// asset_family.h - the keys of the family "asset" (table: store/README.md). All are in part 0.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_FAMILY_H
#define DIORAMA_ACTORS_ASSET_ASSET_FAMILY_H

// Beside those of every actor (actor_family.h).
enum {
    KEY_ASSET = 'A',        // asset key       -> metadata
    KEY_HISTORY = 'H',      // history id      -> versions of an asset
    KEY_RELATIONSHIP = 'R', // relationship id -> relationship
    KEY_COLLECTION = 'L',   // collection id   -> collection
    KEY_PROJECT = 'J',      // project id      -> project
};

#endif
