// features.h - records as features of OGC API - Features (OGC 17-069r4): GeoJSON (RFC 7946), each
// with its GeoPose beside its geometry. Scenes stand where they are on Earth, objects and devices
// where their scene has them. The worker's thread.
#ifndef DIORAMA_GATEWAY_OGC_FEATURES_H
#define DIORAMA_GATEWAY_OGC_FEATURES_H

#include "gateway/reply/answer.h"

// Writes a page of a list as a FeatureCollection, with a link to the next one.
fallible features_serve(const struct answer_source *source, struct http_answer *answer);

// Writes the one record as a Feature, or (`f=geopose`) where it is alone. Fails with ERR_NOT_FOUND
// if there is none, or it is nowhere.
fallible feature_serve(const struct answer_source *source, struct http_answer *answer);

#endif
