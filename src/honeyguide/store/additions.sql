-- Tables that the first runs of this format lack. They are made when such a run is opened for writing; who only reads
-- it does without.

CREATE TABLE IF NOT EXISTS validators (  -- pages whose host gave something to ask by whether they have changed
  link INTEGER PRIMARY KEY,
  etag TEXT NOT NULL,                    -- as the server sent them, empty where it did not
  last_modified TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS known (       -- pages of the run that this one is a new pass over, as that run knew them
  url TEXT PRIMARY KEY,
  relevance REAL NOT NULL,
  digest BLOB NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  first_seen_at REAL NOT NULL,
  checked_at REAL NOT NULL,
  changes INTEGER NOT NULL
);
