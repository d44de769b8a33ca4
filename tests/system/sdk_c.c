// sdk_c.c - drives the C client for sdk_c_test.py:
//
//   sdk_c golden FORM          lines of tests/golden come in, what their bytes say goes out
//   sdk_c gaps                 lines of tests/golden/gaps.txt come in, what is wished goes out
//   sdk_c order
//   sdk_c follow URL SCENE FORM LOSS     answers each line "state"
//   sdk_c use URL SCENE
#define DIORAMA_IMPLEMENTATION
#define DIORAMA_CURL
#define DIORAMA_SODIUM
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/socket.h>

// So many of the datagrams do not arrive.
static double loss;

static ssize_t
lossy_recv(int from, void *data, size_t size, int flags)
{
    ssize_t got;
    do
        got = recv(from, data, size, flags);
    while (got >= 0 && rand() < loss * RAND_MAX);
    return got;
}
#define recv(from, data, size, flags) lossy_recv(from, data, size, flags)

#include "tools/sdk/c/diorama.h"

#undef NDEBUG
#include <assert.h>

// --- golden ---

static void
put_hex(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        printf("%02x", (unsigned char)bytes[i]);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct diorama_pair *)a)->name.of.text,
                  ((const struct diorama_pair *)b)->name.of.text);
}

// A value in a form that is the same only for equal values: numbers are their bits, names are
// sorted.
static void
put_exactly(const struct diorama_value *value)
{
    switch (value->type) {
    case DIORAMA_NULL:
    case DIORAMA_BOOL:
        fputs(value->type == DIORAMA_NULL ? "null" : value->of.boolean ? "true" : "false", stdout);
        break;
    case DIORAMA_NUMBER: {
        uint64_t bits;
        memcpy(&bits, &value->of.number, sizeof bits);
        printf("%016llx", (unsigned long long)bits);
        break;
    }
    case DIORAMA_TEXT:
    case DIORAMA_BINARY:
        putchar('"');
        put_hex(value->of.text, value->count);
        putchar('"');
        break;
    case DIORAMA_ARRAY:
        putchar('[');
        for (size_t i = 0; i < value->count; i++) {
            put_exactly(&value->of.items[i]);
            putchar(',');
        }
        putchar(']');
        break;
    case DIORAMA_MAP:
        if (value->count)
            qsort(value->of.pairs, value->count, sizeof *value->of.pairs, by_name);
        putchar('{');
        for (size_t i = 0; i < value->count; i++) {
            put_exactly(&value->of.pairs[i].name);
            put_exactly(&value->of.pairs[i].value);
            putchar(',');
        }
        putchar('}');
        break;
    }
}

static size_t
from_hex(const char *hex, unsigned char *out)
{
    size_t size = 0;
    for (unsigned byte; sscanf(hex + 2 * size, "%2x", &byte) == 1 && hex[2 * size] != ' '; size++)
        out[size] = (unsigned char)byte;
    return size;
}

static void
put_number_member(const char *name, double number)
{
    const struct diorama_value value = {.type = DIORAMA_NUMBER, .of.number = number};
    printf("%s ", name);
    put_exactly(&value);
    putchar(' ');
}

static void
put_packed(struct diorama_arena *arena, const unsigned char *data, size_t size)
{
    struct diorama_packed packed;
    assert(diorama_read_packed(arena, data, size, &packed));
    put_number_member("epoch", (double)packed.epoch);
    put_number_member("prev", (double)packed.prev);
    put_number_member("seq", (double)packed.seq);
    put_exactly(&packed.changes);
    if (packed.is_refusal)
        printf(" refused %llu %llu", (unsigned long long)packed.refused_from,
               (unsigned long long)packed.refusal);
}

static void
put_json(struct diorama_arena *arena, const char *data, size_t size)
{
    struct diorama_value value;
    assert(diorama_read_json(arena, data, size, &value));
    put_exactly(&value);
}

static void
put_events(struct diorama_arena *arena, const char *data, size_t size)
{
    struct diorama_sse events = {0};
    for (const char *at = data; at < data + size;) {
        const char *end = memchr(at, '\n', (size_t)(data + size - at));
        if (diorama_sse_line(&events, at, (size_t)(end - at))) {
            printf("event %s id %s data ", events.event, events.id ? events.id : "null");
            put_json(arena, events.data, strlen(events.data));
            putchar(' ');
        }
        at = end + 1;
    }
    diorama_sse_free(&events);
}

static void
put_pub(struct diorama_arena *arena, const char *hex)
{
    unsigned char data[65536];
    struct diorama_value value;
    printf("topic ");
    size_t size = from_hex(hex, data);
    put_hex((const char *)data, size);
    for (int i = 0; i < 2; i++) {
        hex = strchr(hex, ' ') + 1;
        size = from_hex(hex, data);
        assert(diorama_read_msgpack(arena, data, size, &value));
        putchar(' ');
        put_exactly(&value);
    }
}

// Opens the datagram, and seals what it said again.
static void
put_sealed(const struct diorama_value *line, const unsigned char *data, size_t size)
{
    const struct diorama_value *said = diorama_find(line, "json");
    unsigned char key[32], content[2048], again[2048];
    size_t opened = 0;
    assert(diorama_seal_key(dio_find_text(said, "seal_key"),
                            (int)dio_find_number(said, "direction"), key));
    assert(diorama_unseal(key, data, size, content, &opened));
    assert(diorama_seal(key, data, content, opened, again) == size &&
           memcmp(again, data, size) == 0);
    put_hex((const char *)content, opened);
    again[size - 1] ^= 1;
    assert(!diorama_unseal(key, again, size, content, &opened));
}

// A control as this client writes it; else what stands there.
static void
put_control(struct diorama_arena *arena, const struct diorama_value *line,
            const unsigned char *data, size_t size)
{
    const struct diorama_value *said = diorama_find(line, "json");
    const char *token = dio_find_text(said, "token");
    char written[256];
    size_t length = 0;
    switch ((int)dio_find_number(said, "msg_type")) {
    case 60:
        length = diorama_write_hello(written, token);
        break;
    case 62:
        length = diorama_write_echo(written, token, dio_find_text(said, "challenge"));
        break;
    case 63:
        length = diorama_write_ask(written, token, dio_find_count(said, "from"),
                                   dio_find_count(said, "to"));
        break;
    default:
        break;
    }
    assert(!length || (length == size && memcmp(written, data, size) == 0));
    put_json(arena, (const char *)data, size);
}

static void
golden(const char *form)
{
    static char text[1 << 20];
    static unsigned char data[1 << 19];
    while (fgets(text, sizeof text, stdin)) {
        struct diorama_arena arena = {0};
        struct diorama_value line;
        assert(diorama_read_json(&arena, text, strlen(text), &line));
        const char *hex = dio_find_text(&line, "hex");
        size_t size = from_hex(hex, data);
        if (strcmp(form, "packed") == 0)
            put_packed(&arena, data, size);
        else if (strcmp(form, "pub") == 0)
            put_pub(&arena, hex);
        else if (strcmp(form, "sealed") == 0)
            put_sealed(&line, data, size);
        else if (strcmp(form, "sse") == 0 || strcmp(form, "delta") == 0)
            put_events(&arena, (const char *)data, size);
        else if (strcmp(form, "controls") == 0)
            put_control(&arena, &line, data, size);
        else
            put_json(&arena, (const char *)data, size);
        putchar('\n');
        diorama_arena_free(&arena);
    }
}

static void
gaps(void)
{
    static struct dio_gaps self;
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        unsigned long prev, seq, at;
        uint64_t to;
        if (strncmp(line, "begin", 5) == 0)
            self = (struct dio_gaps){0}; // as memory of a client is to begin with
        else if (sscanf(line, "state %lu", &seq) == 1)
            dio_gaps_absorb(&self, seq);
        else if (sscanf(line, "note %lu %lu %lu", &prev, &seq, &at) == 3)
            dio_gaps_note(&self, prev, seq, at);
        else if (sscanf(line, "wish %lu", &at) == 1)
            switch (dio_gaps_wish(&self, at, &to)) {
            case DIO_WISH_ASK:
                printf("ask %lu %lu\n", (unsigned long)self.got + 1, (unsigned long)to);
                break;
            case DIO_WISH_READ:
                puts("read");
                break;
            case DIO_WISH_NOTHING:
                puts("nothing");
            }
    }
}

// --- order ---

// A server of the test's own: what it answers to the next write.
static const char *next_answer;

static bool
play(void *context, const struct diorama_request *request, struct diorama_answer *ret_answer)
{
    static const char registered[] =
        "{\"udp\":{\"state\":\"active\"},\"event_destination_host\":\"127.0.0.1\","
        "\"event_destination_port\":9}";
    const char *url = request->url, *body = next_answer;
    (void)context;
    if (strstr(url, "/register"))
        body = registered;
    else if (strstr(url, "/object/query"))
        body = "{\"epoch\":1,\"seq\":1,\"objects\":[{\"key\":\"o\",\"name\":\"first\"}]}";
    else if (strstr(url, "/property/query"))
        body = "{\"epoch\":1,\"seq\":1,\"properties\":[{\"key\":\"p\",\"values\":[1]}]}";
    *ret_answer = (struct diorama_answer){.status = 200, .body = dio_copy(body ? body : "{}")};
    ret_answer->size = strlen(ret_answer->body);
    return true;
}

// Saves the members, and is answered with them as the event `seq` of a start of the server; 0: with
// no number.
static void
save_at(struct diorama *d, const char *key, const char *members, int epoch, int seq)
{
    char answer[256], place[64] = "";
    if (seq)
        snprintf(place, sizeof place, "\"epoch\":%d,\"seq\":%d,", epoch, seq);
    snprintf(answer, sizeof answer, "{%s\"%s\":[{\"key\":\"%s\",%s}]}", place,
             *key == 'p' ? "properties" : "objects", key, members);
    next_answer = answer;
    assert(diorama_save(d, key, members));
    next_answer = NULL;
}

static void
hear(struct diorama *d, int seq, const char *members)
{
    char text[256];
    snprintf(text, sizeof text, "{\"msg_type\":1,\"key\":\"o\",%s,\"prev\":%d,\"seq\":%d}", members,
             seq - 1, seq);
    dio_take_datagram(d, text, strlen(text));
}

static bool
shows(const struct diorama *d, const char *key, unsigned member, const char *json)
{
    const char *now = diorama_member(d, key, member);
    return now && strcmp(now, json) == 0;
}

// What was saved shows when diorama_save returns, whatever events come late; the newest state wins.
static void
order(void)
{
    struct diorama_event e;
    struct diorama *d = diorama_join(
        "http://127.0.0.1:9", "s", &(struct diorama_options){.form = DIORAMA_PLAIN, .http = play});
    assert(d);
    while (dio_pop(d, &e))
        ;
    save_at(d, "o", "\"name\":\"second\"", 1, 2);
    assert(dio_pop(d, &e) && e.kind == DIORAMA_UPDATED && e.members == DIORAMA_NAME && e.seq == 2);
    save_at(d, "o", "\"name\":\"third\"", 1, 3);
    assert(dio_pop(d, &e) && e.seq == 3 && shows(d, "o", DIORAMA_NAME, "\"third\""));
    hear(d, 2, "\"name\":\"second\"");
    hear(d, 3, "\"name\":\"third\"");
    assert(!dio_pop(d, &e) && shows(d, "o", DIORAMA_NAME, "\"third\""));
    hear(d, 4, "\"name\":\"fourth\"");
    assert(dio_pop(d, &e) && e.seq == 4 && shows(d, "o", DIORAMA_NAME, "\"fourth\""));
    save_at(d, "o", "\"name\":\"old\"", 1, 3);   // an event says something newer
    save_at(d, "o", "\"name\":\"other\"", 2, 9); // of another start
    save_at(d, "o", "\"name\":\"again\"", 0, 0); // a repeat
    assert(!dio_pop(d, &e) && shows(d, "o", DIORAMA_NAME, "\"fourth\""));
    save_at(d, "p", "\"values\":[2]", 1, 5);
    assert(dio_pop(d, &e) && e.is_property && shows(d, "p", DIORAMA_VALUES, "[2]"));
    diorama_leave(&d);
}

// --- follow ---

// What a follower knows, of the changes alone: each key with its members as JSON; an empty one is
// gone.
static struct dio_store known;

static void
learn(struct diorama *d, const struct diorama_event *event)
{
    struct dio_entity *entity = dio_store_take_entity(&known, event->key, event->is_property);
    entity->exists = event->kind != DIORAMA_DELETED;
    for (int i = 0; i < DIORAMA_MEMBERS; i++) {
        const char *json = entity->exists ? diorama_member(d, event->key, 1U << i) : NULL;
        if (entity->exists && !(event->members >> i & 1) && entity->members[i].json)
            continue; // a change says all that is another
        free(entity->members[i].json);
        entity->members[i].json = json && event->members >> i & 1 ? dio_copy(json) : NULL;
    }
}

static void
answer(const struct diorama *d)
{
    static const char *const states[] = {"catching up", "live", "reconnecting", "signed out",
                                         "gone"};
    const char *mark = "";
    printf("{\"known\":{");
    for (size_t i = 0; i < known.room; i++) {
        const struct dio_entity *entity = known.entities[i];
        if (!entity || !entity->exists)
            continue;
        printf("%s\"%s\":{", mark, entity->key);
        mark = "";
        for (int j = 0; j < DIORAMA_MEMBERS; j++)
            if (entity->members[j].json) {
                printf("%s\"%s\":%s", mark, dio_member_names[j], entity->members[j].json);
                mark = ",";
            }
        printf("}");
        mark = ",";
    }
    printf("},\"state\":\"%s\",\"gaps\":%u}\n", states[diorama_state(d)], diorama_gaps(d));
    fflush(stdout);
}

static void
follow(const char *url, const char *scene, const char *form)
{
    struct diorama_error error = {0};
    const struct diorama_options options = {.device = form,
                                            .form = strcmp(form, "plain") == 0 ? DIORAMA_PLAIN
                                                                               : DIORAMA_PACKED,
                                            .error = &error};
    struct diorama *d = diorama_join(url, scene, &options);
    struct pollfd input = {0, POLLIN, 0};
    char line[64];
    if (!d)
        fprintf(stderr, "%d %s %s\n", error.status, error.title, error.detail);
    assert(d);
    srand(3);
    for (struct diorama_event e; diorama_next(d, &e, 5);) {
        if (e.key)
            learn(d, &e);
        if (e.kind != DIORAMA_NOTHING || poll(&input, 1, 0) <= 0)
            continue;
        if (!fgets(line, sizeof line, stdin))
            break;
        answer(d);
    }
    diorama_leave(&d);
    dio_store_free(&known);
}

// --- use ---

static void
run_for(struct diorama *d, uint64_t ms)
{
    uint64_t end = dio_now_ms() + ms;
    for (struct diorama_event e; dio_now_ms() < end && diorama_next(d, &e, 10);)
        ;
}

// Until a member is this JSON.
static void
await(struct diorama *d, const char *key, unsigned member, const char *json)
{
    uint64_t end = dio_now_ms() + 10000;
    for (struct diorama_event e; diorama_next(d, &e, 10);) {
        const char *now = diorama_member(d, key, member);
        if (now && strcmp(now, json) == 0)
            return;
        assert(dio_now_ms() < end);
    }
}

static void
await_renewal(struct diorama *d, const char *key)
{
    const struct dio_entity *entity = dio_store_find(&d->store, key);
    for (uint64_t had = entity->until_ms; entity->until_ms == had;)
        run_for(d, 10);
}

static void
use_lease(struct diorama *d, const char *scene, const char *key)
{
    char path[512];
    assert(diorama_lock(d, key, 3, false));
    await_renewal(d, key);
    assert(diorama_holds(d, key));
    assert(diorama_save(d, key, "\"name\":\"mine\""));
    snprintf(path, sizeof path, "/v1/scene/%s/object/%s/lock", scene, key);
    assert(diorama_call(d, "PUT", path, "{\"device\":\"thief\",\"lease_s\":30,\"force\":true}",
                        false, NULL));
    assert(!diorama_save(d, key, "\"name\":\"late\"") && diorama_last_error(d)->status == 423);
    while (diorama_holds(d, key)) // until the next renewal, which is refused
        run_for(d, 10);
    await(d, key, DIORAMA_NAME, "\"mine\"");
}

static void
use(const char *url, const char *scene)
{
    const double moved[16] = {1, 0, 0, 4.5, 0, 1, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1};
    char key[129], other[129];
    double pose[16];
    struct diorama_error error = {0};
    struct diorama *d =
        diorama_join(url, scene, &(struct diorama_options){.device = "rig", .rate = 60});
    assert(d);
    assert(diorama_create(d, "\"name\":\"lamp\",\"translation\":[1,2,3]", key));
    await(d, key, DIORAMA_NAME, "\"lamp\"");
    assert(diorama_send_transform(d, key, moved));
    await(d, key, DIORAMA_TRANSFORM, "[1,0,0,4.5,0,1,0,5,0,0,1,6,0,0,0,1]");
    run_for(d, 100);
    assert(diorama_pose(d, key, pose) && pose[3] > 1 && pose[3] <= 4.5);
    use_lease(d, scene, key);
    assert(!diorama_create(d, "\"name\":\"x\",\"tags\":\"none\"", other));
    assert(strcmp(diorama_last_error(d)->pointer, "/objects/0/tags") == 0);
    assert(diorama_delete(d, key) || diorama_last_error(d)->status == 423);
    diorama_leave(&d);
    d = diorama_join(url, "nowhere-at-all",
                     &(struct diorama_options){.must_exist = true, .error = &error});
    assert(!d && error.status == 404);
    d = diorama_join("http://127.0.0.1:9", scene, &(struct diorama_options){.error = &error});
    assert(!d && error.status == 0 && *error.title);
}

int
main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "golden") == 0)
        golden(words[2]);
    else if (count == 2 && strcmp(words[1], "gaps") == 0)
        gaps();
    else if (count == 2 && strcmp(words[1], "order") == 0)
        order();
    else if (count == 6 && strcmp(words[1], "follow") == 0)
        loss = atof(words[5]), follow(words[2], words[3], words[4]);
    else if (count == 4 && strcmp(words[1], "use") == 0)
        use(words[2], words[3]);
    else
        return 2;
    return 0;
}
