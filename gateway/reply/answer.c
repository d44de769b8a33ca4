// answer.c - the reply of an actor becomes the answer to its request. The worker's thread.
#include "gateway/reply/answer.h"

#include "gateway/http/client_address.h"
#include "gateway/http/entity_tags.h"
#include "gateway/reply/download.h"
#include "gateway/reply/reply.h"
#include "gateway/reply/reply_axes.h"
#include "gateway/reply/reply_warnings.h"

// The name or address in `host`, without a port, as text of the arena. A setting may be an IPv6
// address without brackets, a Host header may not.
static const struct text *
host_without_port(const char *host, bool is_setting, struct arena *arena)
{
    size_t size = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    bool is_bare_address = is_setting && host[0] != '[' && strchr(host, ':');
    return text_new(arena, host, is_bare_address ? strlen(host) : size);
}

// Tells a device that registers where to send its updates: to the host by which it reached us,
// unless a setting names one.
static void
tell_destination(const struct answer_source *source)
{
    struct message *message = source->message;
    struct envelope *envelope = reply_envelope(message);
    bool is_setting = source->facts->udp_host[0] != '\0';
    const char *host = is_setting ? source->facts->udp_host : http_header(source->request, "Host");
    if (host && !record_has(&envelope->base, ENVELOPE_EVENT_DESTINATION_HOST))
        record_set_text(&envelope->base, ENVELOPE_EVENT_DESTINATION_HOST,
                        host_without_port(host, is_setting, &message->arena));
    if (!record_has(&envelope->base, ENVELOPE_EVENT_DESTINATION_PORT))
        record_set_integer(&envelope->base, ENVELOPE_EVENT_DESTINATION_PORT,
                           source->facts->udp_port);
}

// Answers 304 to a read if the client has the answer already.
static fallible
decide_read(const struct answer_source *source, struct http_answer *answer)
{
    bool is_known;
    enum content_coding coding;
    TRY(entity_tags_decide(source->message->params, &answer->etag, source->acceptance, &is_known,
                           &coding));
    answer->may_be_kept = answer->is_negotiated = true;
    if (!is_known)
        return OK;
    answer->status = 304;
    answer->media_type = NULL;
    answer->coding = coding == CONTENT_CODING_IDENTITY ? NULL : content_coding_name(coding);
    answer->body.size = HTTP_HEAD_ROOM;
    return OK;
}

// The token of a new session, or "" if a session was ended.
static void
tell_session(const struct answer_source *source, struct http_answer *answer)
{
    const struct envelope *envelope =
        (const struct envelope *)(const void *)source->message->reply.envelope;
    answer->token = envelope ? text_chars(envelope->token) : "";
    answer->is_by_tls = client_address_is_by_tls(source->request, source->facts->proxies);
}

// Writes what the server itself tells, and tags it if the route says that it stays the same.
static fallible
write_probe(const struct answer_source *source, struct http_answer *answer)
{
    const struct reply_shape *shape = &source->route->reply;
    struct buffer *body = &answer->body;
    size_t start = body->size;
    if (shape->serve) {
        TRY(shape->serve(source, answer));
    } else {
        answer->policy = shape->policy;
        TRY(shape->print(
            &(struct probe){&source->facts->server, source->asker, source->message->params}, body));
    }
    if (source->route->is_tagged)
        etag_of_json(body->data + start, body->size - start, &answer->etag);
    return OK;
}

// What a form has beside the body that reply.c writes.
static fallible
finish_form(const struct answer_source *source, struct http_answer *answer)
{
    switch (source->route->reply.form) {
    case REPLY_PROBE:
        return write_probe(source, answer);
    case REPLY_SESSION:
        tell_session(source, answer);
        break;
    default:
        reply_write_location(source->route, source->message, &answer->location);
    }
    return OK;
}

static fallible
write_file(const struct answer_source *source, struct http_answer *answer)
{
    TRY(download_prepare(source->request, source->acceptance, source->facts->blobs, source->message,
                         answer));
    answer->may_be_kept = source->route->reply.may_change;
    answer->is_immutable = !answer->may_be_kept;
    return OK;
}

fallible
answer_write(const struct answer_source *source, struct http_answer *answer)
{
    const struct route *route = source->route;
    if (route->reply.form == REPLY_FILE)
        return write_file(source, answer);
    answer->is_replayed = source->message->reply.is_replayed;
    if (route->reply.tells_destination)
        tell_destination(source);
    answer->media_type = reply_media_type(route);
    answer->is_endless = route->reply.form == REPLY_STREAM;
    TRY(reply_axes_write(source->convention, route, source->message, &answer->body, &answer->etag));
    TRY(finish_form(source, answer));
    if (route->reply.form != REPLY_ENVELOPE)
        reply_warnings_put_header(&source->message->warnings, &answer->warnings);
    return answer->etag.chars[0] && !route_changes(route) ? decide_read(source, answer) : OK;
}
