// features.h - records as features of OGC API - Features (OGC 17-069r4): GeoJSON (RFC 7946), each
// with its GeoPose beside its geometry. Scenes stand where they are on Earth, objects where their
// scene has them. The worker's thread.
#ifndef DIORAMA_GATEWAY_OGC_FEATURES_H
#define DIORAMA_GATEWAY_OGC_FEATURES_H

#include "gateway/reply/answer.h"

// Writes a page of a list as a FeatureCollection, with a link to the next one. Of objects those
// that are not in the `bbox` of the request are left out; scenes were asked for by it.
fallible features_serve(const struct answer_source *source, struct http_answer *answer);

// Writes the one record as a Feature. Fails with ERR_NOT_FOUND if there is none.
fallible feature_serve(const struct answer_source *source, struct http_answer *answer);

#endif
