// collections.h - what OGC API - Features (OGC 17-069r4) says beside the features: the landing
// page, what the server conforms to, and the collections: all scenes, all objects, devices where
// there are accounts, and the objects of each scene. The worker's thread.
#ifndef DIORAMA_GATEWAY_OGC_COLLECTIONS_H
#define DIORAMA_GATEWAY_OGC_COLLECTIONS_H

#include "gateway/reply/answer.h"

// Known clients open every collection and ask it for a page, so they are not told of more. The
// collection of each other scene is there too.
enum { COLLECTIONS_SCENES_MOST = 100 };

fallible landing_serve(const struct answer_source *source, struct http_answer *answer);
fallible conformance_serve(const struct answer_source *source, struct http_answer *answer);

// The collections that there are once, and those of the objects of the scenes that the answer
// lists.
fallible collections_serve(const struct answer_source *source, struct http_answer *answer);

// One of them: that of scenes, of all objects, of devices; that of the objects of the scene in the
// answer.
fallible scenes_collection_serve(const struct answer_source *source, struct http_answer *answer);
fallible all_objects_collection_serve(const struct answer_source *source,
                                      struct http_answer *answer);
fallible devices_collection_serve(const struct answer_source *source, struct http_answer *answer);
fallible objects_collection_serve(const struct answer_source *source, struct http_answer *answer);

#endif
