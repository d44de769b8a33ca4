// postgres_statements.c - the SQL of the engine (postgres_statements.h).
//
// A guard that fails is told by an error, so that all that follows it in the pipeline is skipped:
// 1/0 where a version is another one (22012), the primary key where a record is there (23505).
#include "store/postgres/postgres_statements.h"

#include "store/blob_provider.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

#define PLACES "unnest($1::int2[], $2::int2[], $3::bytea[]"
#define ROWS "(SELECT * FROM " PLACES ", $4::bytea[])) AS u(f, p, k, v)"
#define SAME_PLACE "(r.family, r.part, r.key) = (u.f, u.p, u.k)"
#define INSERT_ROWS                                                                                \
    "INSERT INTO diorama_record (family, part, key, ver, value) "                                  \
    "SELECT f, p, k, $5::int8, v FROM " ROWS
#define PAGE                                                                                       \
    "SELECT key, ver, value FROM diorama_record WHERE family = $1::int2 AND part = $2::int2 "      \
    "AND key >= $3::bytea AND key < $4::bytea ORDER BY key "

const struct postgres_text postgres_statements[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = {"begin", "BEGIN"},
    [STATEMENT_SNAPSHOT] = {"snapshot", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
    [STATEMENT_PATIENCE] =
        {"patience", "SELECT set_config('idle_in_transaction_session_timeout', '60s', true)"},
    [STATEMENT_COMMIT] = {"commit", "COMMIT"},
    [STATEMENT_ROLLBACK] = {"rollback", "ROLLBACK"},
    [STATEMENT_PING] = {"ping", "SELECT (current_setting('transaction_read_only') = 'off')"},
    [STATEMENT_GET] = {"get", "SELECT ver, value FROM diorama_record WHERE family = $1::int2 "
                              "AND part = $2::int2 AND key = $3::bytea"},
    [STATEMENT_UP] = {"up", PAGE "LIMIT $5::int8"},
    [STATEMENT_DOWN] = {"down", PAGE "DESC LIMIT $5::int8"},
    // The rows stay locked until the commit is written: nobody changes them in between.
    [STATEMENT_CHECK] = {"check", "SELECT 1 / (count(*) = $5::int8)::int FROM "
                                  "(SELECT 1 FROM diorama_record AS r JOIN " PLACES
                                  ", $4::int8[]) AS u(f, p, k, ver) ON " SAME_PLACE
                                  " AND r.ver = u.ver FOR UPDATE OF r) AS t"},
    // Guard and put of one record in one statement, in place. As two statements they took a
    // sixth to a third more time.
    [STATEMENT_SWAP] = {"swap", "WITH w AS (UPDATE diorama_record AS r "
                                "SET ver = $6::int8, value = u.v FROM " PLACES
                                ", $4::int8[], $5::bytea[]) AS u(f, p, k, ver, v) "
                                "WHERE " SAME_PLACE " AND r.ver = u.ver RETURNING 1) "
                                "SELECT 1 / (count(*) = $7::int8)::int FROM w"},
    [STATEMENT_INSERT] = {"insert", INSERT_ROWS},
    [STATEMENT_PUT] = {"put", INSERT_ROWS " ON CONFLICT (family, part, key) DO UPDATE "
                                          "SET ver = excluded.ver, value = excluded.value"},
    [STATEMENT_DELETE] = {"delete", "DELETE FROM diorama_record AS r USING " PLACES
                                    ") AS u(f, p, k) WHERE " SAME_PLACE},
    [STATEMENT_IDLE] = {"idle",
                        "SELECT set_config('idle_in_transaction_session_timeout', $1::text, true)"},
    // Shared: several puts end at the same time. Who takes charge waits for them.
    [STATEMENT_FENCE] = {"fence", "SELECT 1 / count(*) FROM (SELECT 1 FROM diorama_record WHERE "
                                  "family = $1::int2 AND part = $2::int2 AND key = $3::bytea AND "
                                  "ver = $4::int8 FOR SHARE) AS t"},
    // One that is under way elsewhere is waited for: which of two is last does not matter, their
    // bytes are the same.
    [STATEMENT_BLOB_PUT] = {"blob_put",
                            "INSERT INTO diorama_blob VALUES ($1::text, $2::int4, $3::bytea) "
                            "ON CONFLICT (object, piece) DO UPDATE SET data = excluded.data"},
    [STATEMENT_BLOB_CUT] = {"blob_cut", "DELETE FROM diorama_blob WHERE object = $1::text "
                                        "AND piece >= $2::int4"},
    [STATEMENT_BLOB_GET] =
        {"blob_get", "SELECT substr(data, 1, " TEXT(
                         POSTGRES_PIECE_BYTES) ") FROM diorama_blob "
                                               "WHERE object = $1::text AND piece = $2::int4"},
    [STATEMENT_BLOB_REMOVE] = {"blob_remove",
                               "DELETE FROM diorama_blob WHERE object = $1::text AND "
                               "piece = ANY (ARRAY(SELECT piece FROM diorama_blob "
                               "WHERE object = $1::text ORDER BY piece LIMIT " TEXT(
                                   POSTGRES_PIECES_REMOVED) "))"},
    [STATEMENT_BLOB_LIST] =
        {"blob_list", "SELECT DISTINCT object FROM diorama_blob WHERE "
                      "object > $1::text AND octet_length(object) < " TEXT(
                          BLOB_OBJECT_SIZE) " ORDER BY object LIMIT " TEXT(POSTGRES_PAGE_OBJECTS)},
};

// Markers of commits are written again and again: with room in their pages they are so in place,
// without a new entry in the index. Values are seldom large enough to be worth a table beside.
const char postgres_tables[] =
    "CREATE TABLE diorama_record (family int2 NOT NULL, part int2 NOT NULL, key bytea NOT NULL, "
    "ver int8 NOT NULL, value bytea NOT NULL, PRIMARY KEY (family, part, key)) "
    "WITH (fillfactor = 80);"
    "ALTER TABLE diorama_record ALTER value SET STORAGE MAIN;"
    "CREATE TABLE diorama_meta (name text PRIMARY KEY, value text NOT NULL);"
    "INSERT INTO diorama_meta VALUES ('layout', '1')";

// Files of assets are compressed already, and pieces are read from their beginning.
const char postgres_blob_table[] =
    "CREATE TABLE diorama_blob (object text COLLATE \"C\" NOT NULL, piece int4 NOT NULL, "
    "data bytea NOT NULL, PRIMARY KEY (object, piece));"
    "ALTER TABLE diorama_blob ALTER data SET STORAGE EXTERNAL";

// * A process that froze within a flush keeps no row locked: after 2 s its transaction is over.
// * A commit whose wait for the standby was cancelled says so by a warning: it must be sent.
// * Plans are made once. They were those of an empty table when the server began: without these
//   switches a table that has grown would be read from end to end for each commit.
const char postgres_settings[] =
    "SELECT set_config('statement_timeout', '10s', false),"
    " set_config('idle_in_transaction_session_timeout', '2s', false),"
    " set_config('synchronous_commit', 'on', false),"
    " set_config('client_min_messages', 'warning', false),"
    " set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('plan_cache_mode', 'force_generic_plan', false),"
    " set_config('enable_seqscan', 'off', false),"
    " set_config('enable_bitmapscan', 'off', false),"
    " set_config('enable_hashjoin', 'off', false),"
    " set_config('enable_mergejoin', 'off', false),"
    " set_config('jit', 'off', false)";
