// audit_entry.c - from a request and its answer to events of the audit log. The worker's thread.
#include "gateway/request/audit_entry.h"

#include <stdio.h>

#include "proto/records/params.h"

enum { STATUS_REFUSED = 400, STATUS_UNKNOWN = 401, STATUS_FORBIDDEN = 403 };

// Whether a record of the request says who may see what it changes.
static bool
changes_access(const struct message *message)
{
    const struct records *records = message ? message->records : NULL;
    for (uint32_t i = 0; records && i < records->count; i++) {
        const struct record *record = records->items[i];
        for (uint32_t k = 0; k < record->schema->count; k++)
            if ((record->schema->fields[k].flags & FIELD_ACCESS) &&
                record_has(record, record->schema->fields[k].id))
                return true;
    }
    return false;
}

static enum audit_kind
kind_of_refusal(const struct audit_entry *self, enum audit_kind kind)
{
    bool is_by_actor = self->message && self->message->reply.fault.error != OK;
    bool is_access = self->status == STATUS_UNKNOWN || self->status == STATUS_FORBIDDEN;
    if (kind == AUDIT_SECURITY && is_access && is_by_actor)
        return AUDIT_SECURITY;
    return kind == AUDIT_MINUTE && !is_access ? AUDIT_NONE : AUDIT_MINUTE;
}

bool
audit_entry_is_told(const struct route *route)
{
    const struct operation_row *operation = route ? route_operation(route) : NULL;
    return operation && operation->audit.kind != AUDIT_NONE;
}

enum audit_kind
audit_entry_kind(const struct audit_entry *self)
{
    if (!audit_entry_is_told(self->route))
        return AUDIT_NONE;
    enum audit_kind kind = route_operation(self->route)->audit.kind;
    if (self->status >= STATUS_REFUSED)
        return kind_of_refusal(self, kind);
    return kind == AUDIT_MINUTE && changes_access(self->message) ? AUDIT_SECURITY : kind;
}

// A parameter: as the message has it, which an actor may have completed; else as the path has it.
static const struct text *
param(const struct audit_entry *self, unsigned id)
{
    const struct text *value = self->message ? record_text(&self->message->params->base, id) : NULL;
    const struct field *field = schema_field(&params_schema, id);
    for (unsigned i = 0; !value && i < self->match->param_count; i++)
        if (text_is(self->match->params[i].name, field->name))
            value = self->match->params[i].value;
    return value;
}

// Whether the record begins with its key.
static bool
has_key(const struct record *record)
{
    for (uint32_t i = 0; i < record->schema->count; i++)
        if (record->schema->fields[i].offset == offsetof(struct keyed, key))
            return record->schema->fields[i].type == FIELD_TEXT;
    return false;
}

// A line for each thing that was made, as the answer names them.
static void
note_made(const struct message *message, struct audit_event *event)
{
    for (uint32_t i = 0; i < message->reply.count; i++) {
        const struct record *record = reply_record(&message->reply, i);
        audit_name(has_key(record) ? record_key(record) : NULL, event->key);
        audit_note(event);
    }
}

void
audit_entry_note(const struct audit_entry *self)
{
    enum audit_kind kind = audit_entry_kind(self);
    if (kind == AUDIT_NONE)
        return;
    const struct operation_row *operation = route_operation(self->route);
    const struct text *key = param(self, operation->audit.subject);
    struct audit_event event = {
        .kind = kind,
        .operation = operation->name,
        .noun = operation->audit.noun,
        .outcome = self->status,
    };
    snprintf(event.user, sizeof event.user, "%s", self->caller->user);
    snprintf(event.address, sizeof event.address, "%s", self->caller->peer);
    snprintf(event.request, sizeof event.request, "%s", self->request_id);
    audit_name(key, event.key);
    if (operation->audit.subject != PARAMS_SCENE)
        audit_name(param(self, PARAMS_SCENE), event.scene);
    // A request that made several things names one of them at most.
    uint32_t named = key != NULL, made = self->message ? self->message->reply.count : 0;
    if (made > named && self->status < STATUS_REFUSED && kind != AUDIT_MINUTE)
        note_made(self->message, &event);
    else
        audit_note(&event);
}
