-- Tables that the first runs of this format lack. They are made when such a run is opened for writing; who only reads
-- it does without.

CREATE TABLE IF NOT EXISTS validators (  -- pages whose host gave something to ask by whether they have changed
  link INTEGER PRIMARY KEY,
  etag TEXT NOT NULL,                    -- as the server sent them, empty where it did not
  last_modified TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS live_hosts (
  host TEXT PRIMARY KEY,
  address TEXT NOT NULL,             -- IP address at which it was found last; empty where that is not known
  address_ready_at REAL NOT NULL,    -- when that address may be asked again, as far as this host is concerned
  troubles INTEGER NOT NULL          -- temporary failures in a row, up to now
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS robots (
  origin TEXT PRIMARY KEY,
  expires REAL NOT NULL,
  body BLOB,                         -- zstandard; NULL where there is no file
  closed_by TEXT NOT NULL,           -- why nothing of the origin may be asked for; empty where something may
  detail TEXT NOT NULL,
  troubles INTEGER NOT NULL          -- times in a row that the file could not be had
) WITHOUT ROWID;
