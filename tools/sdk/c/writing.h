// writing.h - leases, and what a program writes (diorama.h).
#ifndef DIORAMA_WRITING_H
#define DIORAMA_WRITING_H

#include "tools/sdk/c/feed.h"

// --- leases ---

static void
dio_put_lock_path(struct diorama *self, struct dio_text *path, const char *key)
{
    dio_put_path(self, path, "object", key, "/lock", true);
}

static bool
dio_take_lease(struct diorama *self, struct dio_entity *entity, bool force)
{
    struct dio_text path = {0}, body = {0};
    char *answer = NULL;
    struct diorama_value granted;
    uint64_t asked = dio_now_ms();
    dio_put_lock_path(self, &path, entity->key);
    dio_put_chars(&body, "{\"device\":");
    dio_put_json_text(&body, self->device, strlen(self->device));
    dio_put_format(&body, ",\"lease_s\":%u%s}", (unsigned)(entity->lease_ms / 1000),
                   force ? ",\"force\":true" : "");
    bool is_done = !path.failed && !body.failed &&
                   dio_call(&self->http, "PUT", path.data, body.data, DIO_SAFE, 0, &answer) &&
                   answer;
    diorama_arena_free(&self->arena);
    if (is_done && diorama_read_json(&self->arena, answer, strlen(answer), &granted)) {
        entity->fence = dio_find_count(&granted, "fence");
        entity->until_ms = asked + entity->lease_ms; // not later than the server has it
        entity->renew_ms = asked + entity->lease_ms / 3;
    }
    free(answer);
    dio_text_free(&path);
    dio_text_free(&body);
    return is_done;
}

static void
dio_renew(struct diorama *self, struct dio_entity *entity, uint64_t now_ms)
{
    if (!entity->fence || now_ms < entity->renew_ms)
        return;
    if (dio_take_lease(self, entity, false))
        return;
    int status = self->http.error.status;
    bool is_refused = status >= 400 && status < 500 && status != 429;
    if (is_refused || dio_now_ms() >= entity->until_ms)
        entity->fence = 0; // diorama_holds tells it
    entity->renew_ms = dio_now_ms() + entity->lease_ms / 10;
}

bool
diorama_lock(struct diorama *self, const char *key, int lease_s, bool force)
{
    struct dio_entity *entity = dio_store_find(&self->store, key);
    if (!entity)
        return dio_fail(&self->http, "There is no such object.", key);
    entity->lease_ms = (uint64_t)(lease_s < 1 ? 1 : lease_s) * 1000;
    return dio_take_lease(self, entity, force);
}

bool
diorama_holds(const struct diorama *self, const char *key)
{
    const struct dio_entity *entity = dio_store_find(&self->store, key);
    return entity && entity->fence && dio_now_ms() < entity->until_ms;
}

bool
diorama_unlock(struct diorama *self, const char *key)
{
    struct dio_entity *entity = dio_store_find(&self->store, key);
    struct dio_text path = {0};
    if (!entity || !entity->fence)
        return true;
    entity->fence = 0;
    dio_put_lock_path(self, &path, key);
    bool is_done =
        !path.failed && dio_call(&self->http, "DELETE", path.data, NULL, DIO_SAFE, 0, NULL);
    dio_text_free(&path);
    return is_done;
}

// --- writing ---

// Datagram 1 or 9 with these members.
static bool
dio_send_update(struct diorama *self, const char *key, const struct dio_text *members)
{
    const struct dio_entity *entity = dio_store_find(&self->store, key);
    struct dio_text text = {0};
    bool is_property = entity && entity->is_property;
    dio_put_format(&text, "{\"msg_type\":%d,\"key\":", is_property ? 9 : 1);
    dio_put_json_text(&text, key, strlen(key));
    if (is_property) {
        dio_put_chars(&text, ",\"scene\":");
        dio_put_json_text(&text, self->scene, strlen(self->scene));
    }
    if (*self->feed_token)
        dio_put_format(&text, ",\"token\":\"%s\"", self->feed_token);
    if (entity && entity->fence)
        dio_put_format(&text, ",\"fence\":%llu", (unsigned long long)entity->fence);
    dio_put_chars(&text, ",");
    dio_put(&text, members->data, members->size);
    dio_put_chars(&text, "}");
    bool is_whole = !text.failed && !members->failed && text.size <= 8192;
    if (is_whole)
        dio_send(self, text.data, text.size);
    dio_text_free(&text);
    return is_whole || dio_fail(&self->http, "A datagram has at most 8,192 bytes.", key);
}

bool
diorama_send(struct diorama *self, const char *key, const char *members)
{
    struct dio_text text = {0};
    dio_put_chars(&text, members);
    bool is_done = dio_send_update(self, key, &text);
    dio_text_free(&text);
    return is_done;
}

bool
diorama_send_transform(struct diorama *self, const char *key, const double matrix[16])
{
    struct dio_text text = {0};
    for (int i = 0; i < 16; i++) {
        dio_put_chars(&text, i ? "," : "\"transform\":[");
        dio_put_number(&text, matrix[i]);
    }
    dio_put_chars(&text, "]");
    bool is_done = dio_send_update(self, key, &text);
    dio_text_free(&text);
    return is_done;
}

// A write of one object or property; `key` NULL: a new object.
static bool
dio_write(struct diorama *self, const char *method, const char *key, const char *members,
          char **ret_body)
{
    const struct dio_entity *entity = key ? dio_store_find(&self->store, key) : NULL;
    bool is_property = entity && entity->is_property, is_delete = strcmp(method, "DELETE") == 0;
    struct dio_text path = {0}, body = {0};
    dio_put_path(self, &path, is_property ? "property" : "object", key, "", true);
    dio_put_chars(&body, is_property ? "{\"properties\":[{" : "{\"objects\":[{");
    dio_put_chars(&body, members ? members : "");
    dio_put_chars(&body, "}]}");
    bool is_done = !path.failed && !body.failed &&
                   dio_call(&self->http, method, path.data, is_delete ? NULL : body.data,
                            is_delete ? DIO_SAFE : DIO_KEYED, entity ? entity->fence : 0, ret_body);
    dio_text_free(&path);
    dio_text_free(&body);
    return is_done;
}

bool
diorama_create(struct diorama *self, const char *members, char ret_key[129])
{
    struct diorama_value answer;
    char *body = NULL;
    if (!dio_write(self, "POST", NULL, members, &body))
        return false;
    diorama_arena_free(&self->arena);
    bool is_read = body && diorama_read_json(&self->arena, body, strlen(body), &answer);
    const struct diorama_value *objects = is_read ? diorama_find(&answer, "objects") : NULL;
    bool has_key = objects && objects->type == DIORAMA_ARRAY && objects->count;
    dio_note_chars(ret_key, 129, has_key ? dio_find_text(&objects->of.items[0], "key") : "");
    free(body);
    return has_key || dio_fail(&self->http, "The answer has no key.", "objects");
}

// The answer to a write says what the thing is after all events up to its `seq`, which may come
// later. That to a repeat does not say it, and `seq` of another start is no number beside ours.
static void
dio_take_answer(struct diorama *self, const char *body)
{
    struct diorama_value answer;
    diorama_arena_free(&self->arena);
    if (!body || !diorama_read_json(&self->arena, body, strlen(body), &answer))
        return;
    const struct diorama_value *things = diorama_find(&answer, "properties");
    bool is_property = things != NULL;
    things = things ? things : diorama_find(&answer, "objects");
    if (!things || things->type != DIORAMA_ARRAY || !things->count || !self->has_epoch ||
        dio_find_count(&answer, "epoch") != self->epoch)
        return;
    dio_store_take(&self->store, is_property ? 9 : 1, dio_find_text(&things->of.items[0], "key"),
                   &things->of.items[0], dio_whole(is_property), self->gaps.got,
                   dio_find_count(&answer, "seq"));
}

bool
diorama_save(struct diorama *self, const char *key, const char *members)
{
    char *body = NULL;
    bool is_done = dio_write(self, "POST", key, members, &body);
    if (is_done)
        dio_take_answer(self, body);
    free(body);
    return is_done;
}

bool
diorama_delete(struct diorama *self, const char *key)
{
    return dio_write(self, "DELETE", key, NULL, NULL);
}

bool
diorama_call(struct diorama *self, const char *method, const char *path, const char *body,
             bool keyed, char **ret_body)
{
    enum dio_repeat repeat = keyed ? DIO_KEYED : strcmp(method, "POST") == 0 ? DIO_NEVER : DIO_SAFE;
    return dio_call(&self->http, method, path, body, repeat, 0, ret_body);
}

#endif
