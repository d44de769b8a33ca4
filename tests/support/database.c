// database.c - see the header.
#include "tests/support/database.h"

#include <criterion/criterion.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCHEMA_BYTES = 32, SQL_BYTES = 128 };

_Bool
database_is_there(void)
{
    return getenv("DIORAMA_DATABASE") != NULL;
}

static PGconn *held;

static void
run_on(PGconn *connection, const char *sql)
{
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    cr_assert(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "%s",
              PQerrorMessage(connection));
    PQclear(result);
}

void
database_run(const char *uri, const char *sql)
{
    PGconn *connection = PQconnectdb(uri);
    run_on(connection, sql);
    PQfinish(connection);
}

void
database_hold(const char *uri, const char *sql)
{
    cr_assert_null(held);
    held = PQconnectdb(uri);
    run_on(held, "BEGIN");
    run_on(held, sql);
}

void
database_release(void)
{
    PQfinish(held);
    held = NULL;
}

// Two paths of one run of tests are never the same (FNV-1a).
static void
schema_of(const char *path, char ret_schema[SCHEMA_BYTES])
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * UINT64_C(1099511628211);
    snprintf(ret_schema, SCHEMA_BYTES, "s%016llx", (unsigned long long)hash);
}

void
database_uri_of(const char *path, char ret_uri[DATABASE_URI_BYTES])
{
    const char *uri = getenv("DIORAMA_DATABASE");
    char schema[SCHEMA_BYTES], sql[SQL_BYTES];
    cr_assert_not_null(uri);
    schema_of(path, schema);
    snprintf(sql, sizeof sql, "SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS %s",
             schema);
    database_run(uri, sql);
    snprintf(ret_uri, DATABASE_URI_BYTES, "%s&options=-csearch_path%%3D%s", uri, schema);
}
