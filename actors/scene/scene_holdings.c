// scene_holdings.c - sums of bytes by payer, in the book of budgets and in the store
// (scene_holdings.h). The scene actor's thread.
#include "actors/scene/scene_holdings.h"

#include <stdlib.h>

#include "actors/runtime/dues.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/records/entity.h"

// --- who pays ---

const struct text *
scene_holdings_payer(const struct scene_state *scene, const frozen_t *entity)
{
    const struct text *user = entity_of(frozen_record(entity))->user;
    const struct record *record = frozen_record(scene->record);
    return text_size(user) || !record ? user : scene_of(record)->user;
}

// What a change moves: `less` from one payer, `more` (perhaps below 0) to another one.
struct shift {
    const struct text *from, *to;
    int64_t less, more;
};

static struct shift
shift_of(const struct scene_state *scene, const frozen_t *before, const frozen_t *after)
{
    struct shift shift = {
        .from = before ? scene_holdings_payer(scene, before) : NULL,
        .to = after ? scene_holdings_payer(scene, after) : NULL,
        .less = before ? (int64_t)record_size(before) : 0,
        .more = after ? (int64_t)record_size(after) : 0,
    };
    if (before && after && text_equal(shift.from, shift.to)) {
        shift.more -= shift.less;
        shift.less = 0;
    }
    return shift;
}

static bool
has_payer(const void *value, const void *key)
{
    const struct holding *holding = value;
    return text_equal(holding->payer, key);
}

static struct holding *
find(const struct scene_state *scene, const struct text *payer)
{
    return table_find(&scene->holdings, table_hash_text(payer), has_payer, payer);
}

static struct holding *
holding_open(struct scene_state *scene, const struct text *payer)
{
    struct holding *holding = find(scene, payer);
    if (holding)
        return holding;
    holding = memory_take_zeroed(sizeof *holding);
    holding->payer = text_duplicate(payer);
    table_add(&scene->holdings, table_hash_text(payer), holding);
    return holding;
}

static void
holding_close(struct scene_state *scene, struct holding *holding)
{
    table_remove(&scene->holdings, table_hash_text(holding->payer), holding);
    free((void *)(uintptr_t)holding->payer);
    free(holding);
}

// --- counting ---

static bool
is_gone(const struct scene_state *scene)
{
    return scene->record && !scene->is_indexed;
}

// The changes of a failed batch are taken back one by one: a sum is below 0 where the creation of
// what was deleted again goes first. The book never is.
static int64_t
held(const struct holding *holding)
{
    return holding->bytes > 0 ? holding->bytes : 0;
}

static void
set_bytes(struct shard *self, struct holding *holding, int64_t bytes)
{
    int64_t old = held(holding);
    holding->bytes = bytes;
    if (held(holding) != old)
        budget_book_add(self->settings.book, BUDGET_RECORD_BYTES, text_chars(holding->payer),
                        held(holding) - old);
}

// Whether the sum of the payer has changed.
static bool
add(struct shard *self, struct scene_state *scene, const struct text *payer, int64_t more)
{
    if (more == 0 || text_size(payer) == 0 || is_gone(scene))
        return false;
    struct holding *holding = holding_open(scene, payer);
    set_bytes(self, holding, holding->bytes + more);
    return true;
}

// --- writing ---

static void
put(struct shard *self, const struct scene_state *scene, struct holding *holding)
{
    struct key key = key_in_scene(KEY_HOLDING, scene->id, holding->payer);
    struct key value = {.size = sizeof(uint64_t)};
    key_put_u64(value.data, (uint64_t)held(holding));
    batch_put_newest(self->staging.filling.batch, &holding->place, scene->part, key,
                     held(holding) ? &value : NULL);
}

static void
put_of(struct shard *self, struct scene_state *scene, const struct text *payer)
{
    struct holding *holding = find(scene, payer);
    put(self, scene, holding);
    if (holding->bytes == 0 && holding->counted == 0)
        holding_close(scene, holding);
}

void
scene_holdings_write(struct shard *self, struct scene_state *scene)
{
    size_t cursor = 0;
    struct holding *holding;
    if (!scene->is_count_behind)
        return;
    while ((holding = table_next(&scene->holdings, &cursor)) != NULL) {
        if (!staging_has_room(&self->staging, room_for_removals(1)))
            return;
        put(self, scene, holding);
    }
    scene->is_count_behind = false;
}

// --- changes ---

fallible
scene_holdings_check_new(struct shard *self, const struct message *message, size_t bytes)
{
    return dues_check_amount(self->settings.book, BUDGET_RECORD_BYTES, message, (int64_t)bytes);
}

fallible
scene_holdings_grow(struct shard *self, const struct scene_state *scene, const struct text *user,
                    bool is_limited, const frozen_t *before, struct record *after, size_t *bytes)
{
    if (*bytes <= record_size(before) || text_size(user) == 0 ||
        ended_sessions_before(&self->base.ended, text_chars(user)) == ALL_SESSIONS)
        return OK;
    int64_t more = (int64_t)(*bytes - record_size(before));
    if (!text_equal(user, scene_holdings_payer(scene, before))) {
        record_set_text(after, ENTITY_USER, user);
        *bytes = record_frozen_size(after->schema, after) + object_lock_bytes(after);
        more = (int64_t)*bytes;
    }
    if (!is_limited)
        return OK;
    return budget_book_check(self->settings.book, BUDGET_RECORD_BYTES, text_chars(user), more);
}

void
scene_holdings_staged(struct shard *self, struct scene_state *scene, const frozen_t *before,
                      const frozen_t *after)
{
    const struct shift shift = shift_of(scene, before, after);
    if (add(self, scene, shift.from, -shift.less))
        put_of(self, scene, shift.from);
    if (add(self, scene, shift.to, shift.more))
        put_of(self, scene, shift.to);
    scene_holdings_write(self, scene);
}

void
scene_holdings_dropped(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    scene->is_count_behind = true; // the sums were in the batch
    if (change->kind == CHANGE_BEHIND)
        return; // it stays visible
    const struct shift shift = shift_of(scene, change->before, change->record);
    add(self, scene, shift.from, shift.less);
    add(self, scene, shift.to, -shift.more);
}

bool
scene_holdings_changed(struct shard *self, struct scene_state *scene, const frozen_t *before,
                       const frozen_t *after)
{
    const struct shift shift = shift_of(scene, before, after);
    bool is_changed = add(self, scene, shift.from, -shift.less);
    is_changed |= add(self, scene, shift.to, shift.more);
    scene->is_count_behind |= is_changed;
    return is_changed;
}

// --- what was read ---

void
scene_holdings_known(struct shard *self, struct scene_state *scene, const struct text *payer,
                     int64_t bytes)
{
    add(self, scene, payer, bytes);
}

void
scene_holdings_known_at_rest(struct shard *self, const struct text *payer, int64_t bytes)
{
    if (bytes > 0 && text_size(payer) > 0)
        budget_book_add(self->settings.book, BUDGET_RECORD_BYTES, text_chars(payer), bytes);
}

void
scene_holdings_remembered(struct scene_state *scene, const struct text *payer, int64_t bytes)
{
    if (bytes > 0 && text_size(payer) > 0)
        holding_open(scene, payer)->bytes = bytes;
}

void
scene_holdings_count(struct scene_state *scene, const frozen_t *entity)
{
    const struct text *payer = scene_holdings_payer(scene, entity);
    if (text_size(payer))
        holding_open(scene, payer)->counted += (int64_t)record_size(entity);
}

void
scene_holdings_counted(struct shard *self, struct scene_state *scene, bool is_whole)
{
    size_t cursor = 0;
    struct holding *holding;
    while ((holding = table_next(&scene->holdings, &cursor)) != NULL) {
        if (is_whole && holding->bytes != holding->counted) {
            log_info("holding_counted", "actor=%s scene_id=%016llx user=%s was=%lld is=%lld",
                     self->base.name, (unsigned long long)scene->id, text_chars(holding->payer),
                     (long long)holding->bytes, (long long)holding->counted);
            set_bytes(self, holding, holding->counted);
            scene->is_count_behind = true;
        }
        holding->counted = 0;
    }
    scene_holdings_write(self, scene);
}

// --- users who are erased ---

bool
scene_holdings_have(const struct scene_state *scene, const struct text *user)
{
    return find(scene, user) != NULL;
}

// It stays in memory until that is durable, so that what fails is found again.
void
scene_holdings_forget(struct shard *self, struct scene_state *scene, const struct text *user)
{
    struct holding *holding = find(scene, user);
    set_bytes(self, holding, 0);
    put(self, scene, holding);
    scene_hold(scene);
    staging_add(
        &self->staging,
        &(struct change){.tag = KEY_HOLDING, .owner = scene, .before = record_ref(scene->record)});
}

void
scene_holdings_committed(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    struct holding *holding, *ended = NULL;
    size_t cursor = 0;
    (void)self;
    while (!ended && (holding = table_next(&scene->holdings, &cursor)) != NULL)
        ended = holding->bytes <= 0 && holding->counted == 0 ? holding : NULL;
    if (ended)
        holding_close(scene, ended);
}

void
scene_holdings_kept(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    (void)self;
    scene->is_count_behind = true;
}

void
scene_holdings_gone(struct shard *self, struct scene_state *scene)
{
    size_t cursor = 0;
    struct holding *holding;
    while ((holding = table_next(&scene->holdings, &cursor)) != NULL)
        set_bytes(self, holding, 0);
    holdings_finish(&scene->holdings);
}
