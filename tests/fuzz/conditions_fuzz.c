// conditions_fuzz.c - conditional headers, content codings, and the id of the last event. Lines:
// If-Match, If-None-Match, Accept-Encoding, Last-Event-ID. Lists that are taken are lists; who
// knows the answer already knows it in a coding that he takes; an id that was read is written as
// one that reads the same.
#include <string.h>

#include "gateway/events/sse.h"
#include "gateway/http/entity_tags.h"
#include "tests/fuzz/fuzz.h"

// Steps over every item of a list that is valid.
static void
check_list(struct arena *arena, const char *list, const struct etag *etag)
{
    struct etag_item item;
    const char *at = list;
    size_t count = 0;
    bool has_any = false;
    for (; etag_next(&at, &item); count++) {
        const char *coding;
        size_t size;
        must(item.chars >= list && item.chars + item.size <= list + strlen(list));
        if (etag_item_coding(&item, etag, &coding, &size))
            must(size == 0 || coding + size == item.chars + item.size);
        must(etag_item_names(&item, etag, ETAG_WEAK) || !etag_item_names(&item, etag, ETAG_STRONG));
        has_any |= item.is_any;
    }
    must(*at == '\0' && count > 0 && (!has_any || count == 1));
    must(!has_any || etag_list_names(list, etag, ETAG_STRONG));
    const char *longer = text_chars(text_format(arena, "%s , \"%s\"", list, etag->chars));
    must(has_any || (etag_list_is_valid(longer) && etag_list_names(longer, etag, ETAG_STRONG)));
}

static void
check_acceptance(const struct acceptance *acceptance)
{
    for (unsigned i = 0; i < CONTENT_CODING_COUNT; i++)
        must(acceptance->weights[i] >= 0 && acceptance->weights[i] <= 1000);
    for (size_t size = CONTENT_CODING_SMALLEST - 1; size <= CONTENT_CODING_SMALLEST; size++) {
        enum content_coding coding = content_coding_choose(acceptance, size);
        must(coding == CONTENT_CODING_IDENTITY || acceptance->weights[coding] > 0);
    }
}

static void
check_decision(const struct params *params, const struct etag *etag,
               const struct acceptance *acceptance)
{
    bool known = false;
    enum content_coding coding = CONTENT_CODING_COUNT;
    bool must_match = record_has(&params->base, PARAMS_IF_MATCH);
    enum error error = entity_tags_decide(params, etag, acceptance, &known, &coding);
    must(error == OK || (error == ERR_PRECONDITION && must_match));
    if (error != OK || !known)
        return;
    const char *list = text_chars(params->if_none_match);
    must(coding < CONTENT_CODING_COUNT && etag_list_names(list, etag, ETAG_WEAK));
    must(strchr(list, '*') || acceptance->weights[coding] > 0);
}

static void
check_event_id(struct arena *arena, const char *id)
{
    const struct text *keys[] = {text_from(arena, "hall"), text_from(arena, "a,b:c")};
    for (unsigned count = 1; count <= 2; count++) {
        struct sse_place places[] = {{.scene = keys[0]}, {.scene = keys[1]}};
        struct sse_place again[] = {{.scene = keys[0]}, {.scene = keys[1]}};
        struct buffer out = {0};
        sse_read_id(id, places, count);
        sse_begin("change", places, count, &out);
        buffer_put_char(&out, '\0');
        char *written = strstr(out.data, "id: ") + strlen("id: ");
        *strchr(written, '\n') = '\0';
        sse_read_id(written, again, count);
        for (unsigned i = 0; i < count; i++)
            must(places[i].epoch == again[i].epoch && places[i].seq == again[i].seq);
        buffer_finish(&out);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct acceptance acceptance;
    struct etag etag = {.variant = size % 2 ? "unity" : NULL};
    struct message *message = message_create(OBJECT_GET);
    const char *must_match = input_line(&input, &arena), *must_not = input_line(&input, &arena);
    struct http_request request = {
        .header_count = 2,
        .headers = {{"If-Match", must_match}, {"If-None-Match", must_not}},
    };
    etag_of_json("{}", 2, &etag);
    content_coding_accept(input_line(&input, &arena), &acceptance);
    check_acceptance(&acceptance);
    check_event_id(&arena, input_line(&input, &arena));
    if (entity_tags_take(&request, message) == OK) {
        check_list(&arena, text_chars(message->params->if_match), &etag);
        check_list(&arena, text_chars(message->params->if_none_match), &etag);
        check_decision(message->params, &etag, &acceptance);
    }
    message_destroy(&message);
    arena_finish(&arena);
    return 0;
}
