-- Tables that the first runs of this format lack. They are made when such a run is opened for writing; who only reads
-- it does without.

CREATE TABLE IF NOT EXISTS validators (  -- pages whose host gave something to ask by whether they have changed
  link INTEGER PRIMARY KEY,
  etag TEXT NOT NULL,                    -- as the server sent them, empty where it did not
  last_modified TEXT NOT NULL
);
