-- The tables of a results file, in one transaction: a full disk leaves all of them or none.
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS study (schema INTEGER NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, began REAL);
CREATE TABLE IF NOT EXISTS environments (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS cells (
    dataset TEXT NOT NULL, method TEXT NOT NULL, split INTEGER NOT NULL,
    state TEXT NOT NULL, message TEXT NOT NULL, figures TEXT NOT NULL,
    seconds REAL NOT NULL, seed INTEGER NOT NULL, ended REAL NOT NULL,
    environment INTEGER NOT NULL REFERENCES environments (id),
    PRIMARY KEY (dataset, method, split)
) WITHOUT ROWID;
COMMIT;
