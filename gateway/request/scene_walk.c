// scene_walk.c - the questions of a walk, and its cursor: where it is in the list of scenes, and
// behind a dot where it is in the list of the last one (scene_walk.h).
#include "gateway/request/scene_walk.h"

#include "proto/records/scene.h"

enum { SCENES_AT_ONCE = 100, SEPARATOR = '.' }; // cursors of lists have no dot

// --- questions ---

static struct message *
ask_for_scenes(const struct scene_walk *self)
{
    struct message *question = message_create(SCENE_LIST);
    struct record *params = &question->params->base;
    question->caller = self->message->caller;
    record_set_text(params, PARAMS_AFTER, text_copy(&question->arena, self->behind));
    record_set_integer(params, PARAMS_NUM_RECORDS, SCENES_AT_ONCE);
    return question;
}

static struct message *
ask_in_scene(const struct scene_walk *self, const struct text *scene)
{
    struct message *question = message_clone(self->message);
    struct record *params = &question->params->base;
    struct arena *arena = &question->arena;
    int64_t left = self->message->params->num_records - self->message->reply.count;
    question->operation = OBJECT_LIST;
    record_set_text(params, PARAMS_SCENE, text_copy(arena, scene));
    record_set_text(params, PARAMS_AFTER,
                    self->within ? text_copy(arena, self->within) : text_from(arena, ""));
    record_set_integer(params, PARAMS_NUM_RECORDS, left);
    return question;
}

// The scene that is next, or NULL where the next page of them must be read.
static const struct text *
next_scene(const struct scene_walk *self)
{
    if (self->key)
        return self->key;
    return self->scenes && self->at < self->scenes->reply.count
               ? reply_key(&self->scenes->reply, self->at)
               : NULL;
}

struct message *
scene_walk_ask(struct scene_walk *self)
{
    const struct text *scene = next_scene(self);
    if (self->is_over || self->message->reply.count >= self->message->params->num_records)
        return NULL;
    return scene ? ask_in_scene(self, scene) : ask_for_scenes(self);
}

// --- begin ---

// The list of scenes of this caller, at a place of it or (an empty text) at its beginning.
static fallible
read_place(struct scene_walk *self)
{
    struct message *question = ask_for_scenes(self);
    enum error error = list_query_read(question, list_kind_of(&scene_schema), 0, &self->query);
    if (error == OK && self->query.has_place)
        self->key = text_copy(&self->message->arena, self->query.place.key);
    message_destroy(&question);
    return error;
}

fallible
scene_walk_begin(struct scene_walk *self, struct message *message)
{
    const struct text *after = message->params->after;
    const char *chars = text_size(after) ? text_chars(after) : "";
    const char *dot = strchr(chars, SEPARATOR);
    *self = (struct scene_walk){.message = message};
    self->behind = text_new(&message->arena, chars, dot ? (size_t)(dot - chars) : strlen(chars));
    if (dot)
        self->within = text_from(&message->arena, dot + 1);
    if (dot && (dot == chars || !dot[1]))
        return fail(ERR_INVALID, "/after", "is no cursor of this list");
    TRY(read_place(self));
    if (!dot)
        self->key = NULL; // the scene is done
    return OK;
}

void
scene_walk_finish(struct scene_walk *self)
{
    message_destroy(&self->scenes);
}

// --- answers ---

static struct envelope *
envelope_of(const struct message *answer)
{
    return (struct envelope *)(void *)answer->reply.envelope;
}

static bool
is_more_behind(const struct message *answer)
{
    return answer->reply.envelope && record_has(answer->reply.envelope, ENVELOPE_NEXT);
}

// The cursor of the list of scenes behind the last scene of the page.
static void
go_behind_page(struct scene_walk *self)
{
    struct arena *arena = &self->message->arena;
    self->is_over = !is_more_behind(self->scenes);
    if (!self->is_over)
        self->behind = text_copy(arena, envelope_of(self->scenes)->next);
}

// The scene is done.
static void
go_on(struct scene_walk *self)
{
    self->within = NULL;
    if (self->key)
        self->key = NULL;
    else if (++self->at == self->scenes->reply.count)
        go_behind_page(self);
}

static void
take_scenes(struct scene_walk *self, struct message **answer)
{
    message_destroy(&self->scenes);
    self->scenes = *answer;
    *answer = NULL;
    self->at = 0;
    if (self->scenes->reply.count == 0)
        self->is_over = true;
}

static void
take_records(struct scene_walk *self, struct message *answer)
{
    struct reply *reply = &answer->reply;
    for (uint32_t i = 0; i < reply->count; i++)
        reply_add(self->message, reply_frozen(reply, i));
    if (is_more_behind(answer))
        self->within = text_copy(&self->message->arena, envelope_of(answer)->next);
    else
        go_on(self);
}

void
scene_walk_take(struct scene_walk *self, struct message **answer)
{
    const struct fault *fault = &(*answer)->reply.fault;
    bool is_of_scenes = (*answer)->operation == SCENE_LIST;
    if (fault->error == ERR_NOT_FOUND && !is_of_scenes) {
        go_on(self); // it was deleted or hidden meanwhile
    } else if (fault->error != OK) {
        self->message->reply.fault = *fault;
        self->is_over = true;
    } else if (is_of_scenes) {
        take_scenes(self, answer);
    } else {
        take_records(self, *answer);
    }
    message_destroy(answer);
}

// --- end ---

// Where the list of scenes is when the walk is in, or behind, the scene with this key.
static const struct text *
cursor_at(const struct scene_walk *self, const struct text *key)
{
    struct arena *arena = &self->message->arena;
    struct record *scene = record_new(arena, &scene_schema);
    struct list_place place;
    record_set_text(scene, SCENE_KEY, key);
    list_place_of(&self->query, scene, &place);
    return list_cursor_write(arena, &self->query.print, &place, -1);
}

// The last scene that is done, where the page of scenes goes on behind it.
static const struct text *
cursor_behind(const struct scene_walk *self)
{
    bool is_within_page = self->scenes && self->at > 0 && self->at < self->scenes->reply.count;
    return is_within_page ? cursor_at(self, reply_key(&self->scenes->reply, self->at - 1))
                          : self->behind;
}

void
scene_walk_end(struct scene_walk *self)
{
    struct arena *arena = &self->message->arena;
    struct record *envelope = &reply_envelope(self->message)->base;
    if (self->is_over)
        return;
    const struct text *next =
        self->within ? cursor_at(self, next_scene(self)) : cursor_behind(self);
    if (self->within)
        next = text_format(arena, "%s%c%s", text_chars(next), SEPARATOR, text_chars(self->within));
    record_set_text(envelope, ENVELOPE_NEXT, next);
}
