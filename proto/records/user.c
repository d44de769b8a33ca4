// user.c - the fields of users, of their sessions and of what is theirs.
#include "proto/records/user.h"

#include "proto/base/limits.h"

// clang-format off
static const struct field user_fields[] = {
    FIELD(USER_ID,         struct user, id,         "id",               "Identifies the user; generated.",              .flags = FIELD_FIXED),
    FIELD(USER_USERNAME,   struct user, username,   "username",         "Name to log in with; unique.",                 .flags = FIELD_FILTER, .limit = LIMIT_NAME_BYTES),
    FIELD(USER_PASSWORD,   struct user, password,   "password",         "Password; never in an answer.",                .flags = FIELD_SECRET),
    FIELD(USER_CURRENT,    struct user, current,    "currentPassword",  "The present password: who is no administrator needs it to change the password.", .flags = FIELD_SECRET),
    FIELD(USER_EMAIL,      struct user, email,      "email",            "E-mail addresses; unique.",                     .flags = FIELD_FILTER, .limit = LIMIT_EMAILS),
    FIELD(USER_EMAIL_TEXT, struct user, email_text, "email",            "The e-mail address, if there is one.",         .flags = FIELD_INPUT, .limit = LIMIT_NAME_BYTES),
    FIELD(USER_ADMIN,      struct user, is_admin,   "isAdmin",          "Whether they are an administrator."),
    FIELD(USER_ACTIVE,     struct user, is_active,  "isActive",         "Whether they may log in."),
    FIELD(USER_PROJECTS,   struct user, projects,   "favoriteProjects", "Keys of favourite projects.",                  .limit = LIMIT_FAVORITES),
    FIELD(USER_SCENES,     struct user, scenes,     "favoriteScenes",   "Keys of favourite scenes.",                    .limit = LIMIT_FAVORITES),
    FIELD(USER_HASH,       struct user, hash,       "hash",             "Hash of the password.",                        .flags = FIELD_HIDDEN),
    FIELD(USER_OPEN,       struct user, is_open,    "open",             "Whether nobody had to be logged in for it.",   .flags = FIELD_HIDDEN),
    FIELD(USER_REVOCATIONS, struct user, revocations, "revocations",  "How often they lost access.",                  .flags = FIELD_HIDDEN),
};

static const struct field session_fields[] = {
    FIELD(SESSION_ID,      struct user_session, id,         "id",      "Hash of its token.",                      .flags = FIELD_FIXED),
    FIELD(SESSION_USER,    struct user_session, user,       "user",    "Who is logged in: the id of a user.",     .flags = FIELD_FIXED),
    FIELD(SESSION_EXPIRES, struct user_session, expires_us, "expires", "When it ends, since 1970 UTC.",           .flags = FIELD_FIXED, .unit = "us"),
    FIELD(SESSION_OPEN,    struct user_session, is_open,    "open",    "Whether it began without authentication.", .flags = FIELD_HIDDEN),
    FIELD(SESSION_ADMIN,   struct user_session, is_admin,   "admin",   "Whether its user is an administrator.",   .flags = FIELD_HIDDEN),
    FIELD(SESSION_REVOCATIONS, struct user_session, revocations, "revocations", "How often its user has lost access.", .flags = FIELD_HIDDEN),
};

static const struct field claim_fields[] = {
    FIELD(CLAIM_DEVICE,    struct claim, device, "device", "Key of the device.",                .flags = FIELD_KEY | FIELD_FIXED),
    FIELD(CLAIM_USER,      struct claim, user,   "user",   "Id of the user who owns it.",       .flags = FIELD_FIXED),
};

static const struct field leaver_fields[] = {
    FIELD(LEAVER_USER,     struct leaver, user,  "user",   "Id of a user who is gone.",         .flags = FIELD_FIXED),
};
// clang-format on

// clang-format off
static const struct field session_report_fields[] = {
    FIELD(SESSION_REPORT_AUTH,    struct session_report, auth,      "auth",      "Whether users log in; else everybody may do everything."),
    FIELD(SESSION_REPORT_USER,    struct session_report, user,      "user",      "Who is logged in.",                                  .flags = FIELD_OPTIONAL, .of = &user_schema),
    FIELD(SESSION_REPORT_ADMIN,   struct session_report, is_admin,  "admin",     "Whether the caller may do what administrators may."),
    FIELD(SESSION_REPORT_EXPIRES, struct session_report, expires_s, "expires_s", "Until the session ends by itself.",                  .flags = FIELD_OPTIONAL, .unit = "s"),
    FIELD(SESSION_REPORT_VERSION, struct session_report, version,   "version",   "Version of the server."),
    FIELD(SESSION_REPORT_EPOCH,   struct session_report, epoch,     "epoch",     "Names this start of the server."),
};
// clang-format on

const struct schema user_schema = SCHEMA(struct user, "user", "users", user_fields);
const struct schema user_session_schema =
    SCHEMA(struct user_session, "session", "sessions", session_fields);
const struct schema claim_schema = SCHEMA(struct claim, "claim", "claims", claim_fields);
const struct schema leaver_schema = SCHEMA(struct leaver, "leaver", "leavers", leaver_fields);

const struct schema session_report_schema =
    SCHEMA(struct session_report, "session_report", "session_reports", session_report_fields);

const struct view user_view_full = {.of = &user_schema, .name = ""};
const struct view session_report_view_full = {.of = &session_report_schema, .name = ""};
