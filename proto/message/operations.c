// operations.c - the rows of the operation table (operations.h).

#include "proto/message/operations.h"

#include "proto/records/action.h"
#include "proto/records/asset.h"
#include "proto/records/asset_use.h"
#include "proto/records/audit_line.h"
#include "proto/records/backup.h"
#include "proto/records/bulk.h"
#include "proto/records/correction.h"
#include "proto/records/device_report.h"
#include "proto/records/effect.h"
#include "proto/records/export_item.h"
#include "proto/records/ids.h"
#include "proto/records/lock.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/project.h"
#include "proto/records/property.h"
#include "proto/records/relation.h"
#include "proto/records/relationship.h"
#include "proto/records/scene.h"
#include "proto/records/search_hit.h"
#include "proto/records/secret.h"
#include "proto/records/user.h"
#include "proto/records/user_budget.h"

#define UNAUDITED                                                                                  \
    {                                                                                              \
        AUDIT_NONE, "", 0, false                                                                   \
    }
#define BY_MINUTE(noun_, subject_)                                                                 \
    {                                                                                              \
        AUDIT_MINUTE, (noun_), PARAMS_##subject_, false                                            \
    }
#define BY_CREATION(noun_, subject_)                                                               \
    {                                                                                              \
        AUDIT_MINUTE, (noun_), PARAMS_##subject_, true                                             \
    }
#define AUDITED(noun_, subject_)                                                                   \
    {                                                                                              \
        AUDIT_EACH, (noun_), PARAMS_##subject_, false                                              \
    }
#define SECURITY(noun_, subject_)                                                                  \
    {                                                                                              \
        AUDIT_SECURITY, (noun_), PARAMS_##subject_, false                                          \
    }

const struct operation_row operation_rows[OPERATION_COUNT] = {
#define X(name_, actor_, target_, request_, reply_, msg_type_, access_, audit_, sentence_)         \
    [name_] = {.name = #name_,                                                                     \
               .actor = (actor_),                                                                  \
               .target = (target_),                                                                \
               .request = (request_),                                                              \
               .reply = (reply_),                                                                  \
               .msg_type = (msg_type_),                                                            \
               .access = (access_),                                                                \
               .audit = audit_,                                                                    \
               .sentence = (sentence_)},
    OPERATIONS(X)
#undef X
};

// These names are labels in metrics too ("surveyor" is the relation actor's).
const char *
actor_mailbox(enum actor_kind kind)
{
    static const char *const names[ACTOR_KIND_COUNT] = {
        [ASSET_ACTOR] = "asset",       [USER_ACTOR] = "user",         [SOLVER_ACTOR] = "solver",
        [RELATION_ACTOR] = "surveyor", [STREAMER_ACTOR] = "streamer", [AUDIT_ACTOR] = "audit",
        [BACKUP_ACTOR] = "backup",
    };
    return names[kind];
}

// What is audited changes something, with these exceptions.
bool
operation_is_for_leader(enum operation operation)
{
    static const struct {
        enum operation operation;
        bool is_for_leader;
    } exceptions[] = {
        {OBJECT_ASK, true}, // the holder of the lock hears it there
        {USER_EXPORT, false}, {BACKUP_CREATE, false},
        {PROMOTE, false},     {PUB_KEY_ROTATE, false}, // of this server alone
    };
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (exceptions[i].operation == operation)
            return exceptions[i].is_for_leader;
    return operation_rows[operation].audit.kind != AUDIT_NONE;
}
