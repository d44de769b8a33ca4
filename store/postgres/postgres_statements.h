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
    STATEMENT_PING,    // () -> whether it may write
    STATEMENT_GET,     // (family, part, key) -> version, value
    STATEMENT_UP,      // (family, part, low, high, most) -> key, version, value
    STATEMENT_DOWN,    // the same, the last first
    STATEMENT_CHECK,   // (families, parts, keys, versions, their number)
    STATEMENT_SWAP,    // (families, parts, keys, versions before, values, version, their number)
    STATEMENT_INSERT,  // (families, parts, keys, values, version)
    STATEMENT_PUT,     // the same
    STATEMENT_DELETE,  // (families, parts, keys)
    STATEMENT_RECORDS, // how many a connection for records has; those for bytes of assets have all:
    STATEMENT_IDLE = STATEMENT_RECORDS, // (how long the database waits within the transaction)
    STATEMENT_FENCE,                    // (family, part, key, version)
    STATEMENT_BLOB_PUT,                 // (object, piece, bytes)
    STATEMENT_BLOB_CUT,                 // (object, piece): it and those behind it
    STATEMENT_BLOB_GET,                 // (object, piece) -> bytes, POSTGRES_PIECE_BYTES at most
    STATEMENT_BLOB_REMOVE,              // (object): POSTGRES_PIECES_REMOVED pieces
    STATEMENT_BLOB_LIST, // (object): the next POSTGRES_PAGE_OBJECTS behind it -> object
    STATEMENT_COUNT
};

enum { STATEMENT_PARAMETERS = 7 }; // of one, at most

// Numbers that the statements have in their text too.
#define POSTGRES_PIECE_BYTES 4194304 // of an object of bytes, in one row
#define POSTGRES_PIECES_REMOVED 64   // in one transaction
#define POSTGRES_PAGE_OBJECTS 1000

struct postgres_text {
    const char *name, *sql;
};

extern const struct postgres_text postgres_statements[STATEMENT_COUNT];

// What makes the tables, in one transaction, and tells their layout.
extern const char postgres_tables[];
enum { POSTGRES_LAYOUT = 1 };

// The table of the bytes of assets, for who keeps them there.
extern const char postgres_blob_table[];

// What each connection is set to.
extern const char postgres_settings[];

#endif
