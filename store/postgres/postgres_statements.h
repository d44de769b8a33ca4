// postgres_statements.h - the statements of the engine: prepared once a connection, called with
// binary parameters.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_STATEMENTS_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_STATEMENTS_H

enum postgres_statement {
    STATEMENT_BEGIN,
    STATEMENT_SNAPSHOT, // begins a transaction that sees one state
    STATEMENT_PATIENCE, // for a visitor between two pages of it
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_PING,   // () -> whether it may write
    STATEMENT_GET,    // (family, part, key) -> version, value
    STATEMENT_UP,     // (family, part, low, high, most) -> key, version, value
    STATEMENT_DOWN,   // the same, the last first
    STATEMENT_CHECK,  // (families, parts, keys, versions, their number)
    STATEMENT_SWAP,   // (families, parts, keys, versions before, values, version, their number)
    STATEMENT_INSERT, // (families, parts, keys, values, version)
    STATEMENT_PUT,    // the same
    STATEMENT_DELETE, // (families, parts, keys)
    STATEMENT_COUNT
};

enum { STATEMENT_PARAMETERS = 7 }; // of one, at most

struct postgres_text {
    const char *name, *sql;
};

extern const struct postgres_text postgres_statements[STATEMENT_COUNT];

// What makes the tables, in one transaction, and tells their layout.
extern const char postgres_tables[];
enum { POSTGRES_LAYOUT = 1 };

// What each connection is set to.
extern const char postgres_settings[];

#endif
