// collections.c - writes what is said beside the features (collections.h).
#include "gateway/ogc/collections.h"

#include "gateway/ogc/links.h"
#include "proto/codec/json_write.h"
#include "proto/config/config.h"
#include "proto/records/scene.h"

// --- what there is ---

fallible
landing_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct buffer *out = &answer->body;
    buffer_put_char(out, '{');
    json_write_text(out, "title", "Diorama");
    json_write_text(out, "description",
                    "Scenes and their objects as features, where they are on Earth.");
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    link_put(source, "service-desc", LINKS_OPENAPI, LINKS_ROOT "/api", out);
    link_put(source, "service-doc", "text/html", "/docs", out);
    link_put(source, "conformance", LINKS_JSON, LINKS_ROOT "/conformance", out);
    link_put(source, "data", LINKS_JSON, LINKS_COLLECTIONS, out);
    json_write_end(out, ']');
    buffer_put_char(out, '}');
    return OK;
}

fallible
conformance_serve(const struct answer_source *source, struct http_answer *answer)
{
    static const char *const classes[] = {
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
        "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
    };
    (void)source;
    struct buffer *out = &answer->body;
    buffer_put_char(out, '{');
    json_write_begin(out, "conformsTo", '[');
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        json_write_text(out, NULL, classes[i]);
    json_write_end(out, ']');
    buffer_put_char(out, '}');
    return OK;
}

// --- collections ---

static void
put_words(const char *id, const char *title, const char *description, struct buffer *out)
{
    json_write_text(out, "id", id);
    json_write_text(out, "title", title);
    json_write_text(out, "description", description);
    json_write_text(out, "itemType", "feature");
}

// A collection that there is once; it may be anywhere on Earth.
struct collection {
    const char *id, *title, *description, *items;
};

static const struct collection scenes = {"scenes", "Scenes", "Where the origins of scenes are.",
                                         LINKS_SCENES "/items"};
static const struct collection objects = {
    "objects", "Objects", "Where the objects of all scenes are.", LINKS_ALL_OBJECTS "/items"};
static const struct collection devices = {
    "devices", "Devices", "Where devices are that are aligned to scenes.", LINKS_DEVICES "/items"};

static void
put_collection(const struct answer_source *source, const struct collection *self,
               struct buffer *out)
{
    static const int globe[] = {-180, -90, 180, 90};
    put_words(self->id, self->title, self->description, out);
    json_write_begin(out, "extent", '{');
    json_write_begin(out, "spatial", '{');
    json_write_begin(out, "bbox", '[');
    json_write_begin(out, NULL, '[');
    for (size_t i = 0; i < sizeof globe / sizeof globe[0]; i++)
        json_write_number(out, NULL, globe[i]);
    json_write_end(out, ']');
    json_write_end(out, ']');
    json_write_end(out, '}');
    json_write_end(out, '}');
    json_write_begin(out, "links", '[');
    link_put(source, "items", LINKS_GEOJSON, self->items, out);
    json_write_end(out, ']');
}

static void
list_collection(const struct answer_source *source, const struct collection *self,
                struct buffer *out)
{
    json_write_begin(out, NULL, '{');
    put_collection(source, self, out);
    json_write_end(out, '}');
}

static void
put_objects(const struct answer_source *source, const struct record *scene, struct buffer *out)
{
    struct arena *arena = &source->message->arena;
    const struct text *key = record_key(scene), *name = scene_of(scene)->name;
    const struct text *id = text_format(arena, "objects.%s", text_chars(key));
    put_words(text_chars(id), text_chars(text_size(name) ? name : key),
              "Where the objects of the scene are.", out);
    json_write_begin(out, "links", '[');
    link_begin(source, "items", LINKS_GEOJSON, out);
    link_path_objects(key, out);
    buffer_put_chars(out, "/items");
    link_end(out);
    json_write_end(out, ']');
}

fallible
collections_serve(const struct answer_source *source, struct http_answer *answer)
{
    const struct reply *reply = &source->message->reply;
    struct buffer *out = &answer->body;
    buffer_put_char(out, '{');
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    json_write_end(out, ']');
    json_write_begin(out, "collections", '[');
    list_collection(source, &scenes, out);
    list_collection(source, &objects, out);
    if (source->facts->server.config->auth_enabled)
        list_collection(source, &devices, out);
    for (uint32_t i = 0; i < reply->count; i++) {
        struct opened room;
        json_write_begin(out, NULL, '{');
        put_objects(source, reply_open(reply, i, &room), out);
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
    buffer_put_char(out, '}');
    return OK;
}

static fallible
serve_collection(const struct answer_source *source, const struct collection *self,
                 struct http_answer *answer)
{
    buffer_put_char(&answer->body, '{');
    put_collection(source, self, &answer->body);
    buffer_put_char(&answer->body, '}');
    return OK;
}

fallible
scenes_collection_serve(const struct answer_source *source, struct http_answer *answer)
{
    return serve_collection(source, &scenes, answer);
}

fallible
all_objects_collection_serve(const struct answer_source *source, struct http_answer *answer)
{
    return serve_collection(source, &objects, answer);
}

fallible
devices_collection_serve(const struct answer_source *source, struct http_answer *answer)
{
    return serve_collection(source, &devices, answer);
}

fallible
objects_collection_serve(const struct answer_source *source, struct http_answer *answer)
{
    if (source->message->reply.count == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such collection");
    buffer_put_char(&answer->body, '{');
    put_objects(source, reply_record(&source->message->reply, 0), &answer->body);
    buffer_put_char(&answer->body, '}');
    return OK;
}
