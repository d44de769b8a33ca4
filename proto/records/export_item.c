// export_item.c - the fields of what is stored about a user (export_item.h).
#include "proto/records/export_item.h"

#include "proto/record/view.h"
#include "proto/records/asset.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/project.h"
#include "proto/records/relationship.h"
#include "proto/records/scene.h"
#include "proto/records/user.h"
#include "proto/records/user_budget.h"

// clang-format off
#define ITEM(id_, member_, schema_, about_) \
    FIELD(EXPORT_ITEM_##id_, struct export_item, member_, #member_, about_, .flags = FIELD_OPTIONAL | FIELD_DERIVED, .of = &schema_)

static const struct field export_item_fields[] = {
    FIELD(EXPORT_ITEM_PLACE,     struct export_item, place,     "place",     "Where it stands; that of the last one is `after` of the next page.", .limit = EXPORT_PLACE_BYTES),
    FIELD(EXPORT_ITEM_AFTER,     struct export_item, after,     "after",     "Only what stands behind this place.",               .flags = FIELD_INPUT | FIELD_FILTER, .limit = EXPORT_PLACE_BYTES),
    FIELD(EXPORT_ITEM_SCENE_KEY, struct export_item, scene_key, "in",        "Key of the scene that it is in.",                   .flags = FIELD_OPTIONAL),
    FIELD(EXPORT_ITEM_ADDRESS,   struct export_item, address,   "address",   "Address that registered the device.",               .flags = FIELD_OPTIONAL),
    FIELD(EXPORT_ITEM_SINCE,     struct export_item, since_us,  "since_us",  "When it was registered, since 1970 UTC.",           .flags = FIELD_OPTIONAL, .unit = "us"),
    FIELD(EXPORT_ITEM_FILE,      struct export_item, file,      "file",      "Path of the bytes of the asset.",                   .flags = FIELD_OPTIONAL),
    ITEM(USER,         user,         user_schema,         "The account; its password is stored as a hash, which is not shown."),
    ITEM(BUDGET,       budget,       user_budget_schema,  "The limits of the user's own."),
    ITEM(SESSION,      session,      user_session_schema, "A session, without what its token is known by."),
    ITEM(CLAIM,        claim,        claim_schema,        "A device key that belongs to the user."),
    ITEM(SCENE,        scene,        scene_schema,        "A scene that belongs to the user."),
    ITEM(REGISTRATION, registration, device_schema,       "A device of the user in a scene, whoever owns that."),
    ITEM(CORRECTION,   correction,   correction_schema,   "What a device of the user said about its place in a scene."),
    ITEM(PROJECT,      project,      project_schema,      "A project that belongs to the user."),
    ITEM(COLLECTION,   collection,   collection_schema,   "An asset collection that belongs to the user."),
    ITEM(ASSET,        asset,        asset_schema,        "An asset that belongs to the user."),
    ITEM(RELATIONSHIP, relationship, relationship_schema, "A relationship that the user made."),
};
// clang-format on

const struct schema export_item_schema =
    SCHEMA(struct export_item, "export_item", "items", export_item_fields);

// The user sees what of a device others do not.
const struct view export_item_view_full = {
    .of = &export_item_schema, .name = "", .with_private = true};

const struct text *
export_item_after(const struct records *request)
{
    return request && request->count ? record_text(request->items[0], EXPORT_ITEM_AFTER) : NULL;
}
