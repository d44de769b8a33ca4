// czml_form.h - a stream as packets of CZML, the scene language of CesiumJS: where the objects of a
// scene with a place are on Earth, and the models that they show. Each event is an array of
// packets; one that begins with the packet `document` is all that there is, others change what they
// name. One thread.
#ifndef DIORAMA_GATEWAY_EVENTS_CZML_FORM_H
#define DIORAMA_GATEWAY_EVENTS_CZML_FORM_H

#include "gateway/events/sse.h"
#include "gateway/events/stream_sink.h"
#include "proto/base/table.h"
#include "proto/feed/event_batch.h"
#include "proto/records/scene.h"

enum { CZML_FILES_MOST = 65536 }; // that a stream has heard of

struct czml_file;

// All zero is one that begins.
struct czml_form {
    bool is_placed;
    struct geo_frame frame; // of the scene
    double heading_deg;     // that it was made with
    double rotation[9];     // from the scene's axes to those of the Earth
    struct table files;     // that objects show, by their keys
    struct czml_file *unasked;
    size_t bytes; // of the files
};

void czml_form_finish(struct czml_form *self);

// Takes the place of the scene; false if it has none.
bool czml_form_place(struct czml_form *self, const struct scene *scene);

// Whether the scene is where it was, as far as the events tell.
bool czml_form_stays(const struct czml_form *self, const struct event *events, uint32_t count);

// Notes the file that an object shows; others than objects show none. False if there are too many.
bool czml_form_note(struct czml_form *self, const struct record *record);

// What to ask about files that were noted and not asked for (ASSET_BULK); NULL: nothing.
struct message *czml_form_question(struct czml_form *self);
// Whether there is such a question.
bool czml_form_wonders(const struct czml_form *self);
// Takes its answer: which of them the caller may read, and what they are.
void czml_form_learn(struct czml_form *self, const struct reply *reply);

// Writes the state of the scene at `place` from the cursor on: `entities` is the reply of a join,
// `scene` the scene with its devices as the caller may see them. False: the sink is full, and more
// is to come.
bool czml_form_write_snapshot(const struct czml_form *self, const struct sse_place *place,
                              struct reply *entities, const struct scene *scene,
                              struct stream_cursor *cursor, struct stream_sink *sink);

// Writes a change, where CZML has something to say of it.
void czml_form_write_change(const struct czml_form *self, const struct sse_place *place,
                            const struct event *event, struct stream_sink *sink);

#endif
