// links.h - links in documents of OGC API: absolute, so no client has to guess to what a path is
// relative. Pure.
#ifndef DIORAMA_GATEWAY_OGC_LINKS_H
#define DIORAMA_GATEWAY_OGC_LINKS_H

#include "gateway/reply/answer.h"

#define LINKS_JSON "application/json"
#define LINKS_GEOJSON "application/geo+json"
#define LINKS_GEOPOSE "application/geopose+json"
#define LINKS_OPENAPI "application/vnd.oai.openapi+json;version=3.0"

// The path of the landing page, and what all others begin with.
#define LINKS_ROOT "/ogc"
#define LINKS_COLLECTIONS LINKS_ROOT "/collections"
#define LINKS_SCENES LINKS_COLLECTIONS "/scenes"
#define LINKS_DEVICES LINKS_COLLECTIONS "/devices"
#define LINKS_ALL_OBJECTS LINKS_COLLECTIONS "/objects"
#define LINKS_OBJECTS LINKS_ALL_OBJECTS "." // the key of a scene follows

// Begins a link: {"rel":…,"type":…,"href":"http://host. Its path is appended to `out`, without what
// JSON escapes, and link_end ends it. The host is the one by which the client reached the server.
void link_begin(const struct answer_source *source, const char *rel, const char *media_type,
                struct buffer *out);
void link_end(struct buffer *out);

// Appends the path of the collection of a scene's objects.
void link_path_objects(const struct text *scene, struct buffer *out);

// A link whose whole path is known.
void link_put(const struct answer_source *source, const char *rel, const char *media_type,
              const char *path, struct buffer *out);

// A link to the request itself.
void link_put_self(const struct answer_source *source, struct buffer *out);

// A link to the page behind this one, which begins `after` this cursor.
void link_put_next(const struct answer_source *source, const struct text *after,
                   struct buffer *out);

#endif
