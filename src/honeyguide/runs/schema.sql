-- A run, format 13. Times are seconds on the crawl's clock; link numbers count URLs in order of discovery from 0.

CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,  -- 0 waiting, 1 in flight, 2 done, 3 skipped, 4 pruned, 5 over host limit, 6 dropped, 7 elsewhere
  page INTEGER,                      -- the page that it is described from; NULL for a seed
  hops INTEGER NOT NULL DEFAULT 0,   -- redirects on the way here
  anchor TEXT NOT NULL,
  description BLOB NOT NULL,         -- what the strategy keeps of it; a redirect hands it on
  score REAL NOT NULL,               -- when last written; strategies that re-score everything do not write it again
  row BLOB,                          -- where several pages have made it, and the description does not tell all
  found_on INTEGER,                  -- the page on which it was met first; NULL for a seed
  level INTEGER NOT NULL DEFAULT 0,  -- while it waits: how far behind the others, 0 to 7
  carried INTEGER NOT NULL DEFAULT 0 -- the least demotion among the pages that show it
) STRICT;

CREATE INDEX links_by_url ON links (url);

CREATE TABLE steps (                 -- one fetch that has ended, in order
  step INTEGER PRIMARY KEY,
  link INTEGER NOT NULL,
  dispatch INTEGER NOT NULL,         -- order in which fetches were begun
  after_steps INTEGER NOT NULL,      -- fetches that had ended when it was chosen
  chosen_at REAL NOT NULL,
  finished_at REAL NOT NULL,
  score REAL NOT NULL,               -- when chosen
  explored INTEGER NOT NULL,         -- drawn at random
  outcome TEXT NOT NULL,             -- fetched, unchanged, redirected, refused, failed, unknown
  status INTEGER,
  reason TEXT NOT NULL DEFAULT '',   -- why it was refused or has failed
  target TEXT,                       -- where the host sent the crawl instead
  detail TEXT NOT NULL DEFAULT '',   -- for people
  elapsed_s REAL NOT NULL,
  body_bytes INTEGER NOT NULL DEFAULT 0,
  reward REAL,                       -- NULL where nothing was learned
  decision INTEGER NOT NULL          -- order in which links were fetched or skipped
) STRICT;

CREATE TABLE choices (               -- of fetches, where a strategy adds up weights
  step INTEGER PRIMARY KEY,
  waiting INTEGER NOT NULL,          -- links that waited beside it
  score_lost REAL NOT NULL,          -- by how much a better link scored that had to wait, its host not being ready
  row BLOB NOT NULL,                 -- of the link, at that time
  weights BLOB NOT NULL,             -- of the strategy, at that time
  chance REAL NOT NULL,              -- of an answer, as it was thought then; 1 where the strategy does not learn that
  bonus REAL NOT NULL,               -- that its part of the site added to its score; 0 where the strategy has none
  better INTEGER                     -- links that were worth more; NULL where nobody counted
) STRICT;

CREATE TABLE pages (
  link INTEGER PRIMARY KEY,
  step INTEGER NOT NULL,
  title TEXT NOT NULL,
  content_type TEXT NOT NULL,        -- as the server sent it
  media_type TEXT NOT NULL,
  charset TEXT NOT NULL,
  words INTEGER NOT NULL,
  relevance REAL NOT NULL,           -- by the newest judgement
  is_relevant INTEGER NOT NULL,
  crawl_relevance REAL NOT NULL,     -- when it was crawled
  was_relevant INTEGER NOT NULL,
  depth INTEGER NOT NULL,            -- clicks from a seed
  distance INTEGER NOT NULL,         -- clicks since a relevant page, by the newest judgement
  digest BLOB NOT NULL,              -- of title and text
  description BLOB,                  -- by which it is judged again; NULL where it never is
  cut_by TEXT NOT NULL               -- limits that it was over, in the words of `Cap`, separated by spaces
) STRICT;

CREATE TABLE bodies (                -- of pages, where they are kept here; apart, because pages are judged again
  link INTEGER PRIMARY KEY,
  body BLOB NOT NULL                 -- zstandard
) STRICT;

CREATE TABLE fields (                -- of pages, where the user has asked for some
  step INTEGER PRIMARY KEY,          -- that brought the page
  fields TEXT NOT NULL               -- values by name, as a JSON object
) STRICT;

CREATE TABLE keywords (              -- of pages that satisfy a search phrase, where the judge looks for such
  link INTEGER NOT NULL,
  number INTEGER NOT NULL,           -- from 0; the best keywords of the page first
  score REAL NOT NULL,               -- similarity of the two
  search TEXT NOT NULL,
  keyword TEXT NOT NULL,
  PRIMARY KEY (link, number)
) WITHOUT ROWID, STRICT;

CREATE TABLE answers (               -- about pages, in the order in which the crawl took them
  number INTEGER PRIMARY KEY,        -- from 1
  moment REAL NOT NULL,
  step INTEGER NOT NULL,             -- fetches that had ended by then
  url TEXT NOT NULL,                 -- as it was named
  link INTEGER,                      -- the page; NULL as long as it has not come
  answer TEXT NOT NULL,              -- yes, no, skip or undo
  answerer TEXT NOT NULL,            -- person, model, labels, file or hook
  name TEXT NOT NULL,                -- of that person, model or file
  message TEXT,                      -- the file in the inbox that held it
  description BLOB,                  -- of the page, where it was taken over from another run
  undone_at INTEGER                  -- step after which it was taken back; NULL while it stands, never of an undo
) STRICT;

CREATE TABLE effects (               -- of answers that were taken in together, in order
  number INTEGER PRIMARY KEY,        -- from 1
  effect TEXT NOT NULL               -- as a JSON object
) STRICT;

CREATE TABLE edges (
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (source, target)
) WITHOUT ROWID, STRICT;

CREATE TABLE in_flight (
  link INTEGER PRIMARY KEY,
  dispatch INTEGER NOT NULL,
  after_steps INTEGER NOT NULL,
  chosen_at REAL NOT NULL,
  score REAL NOT NULL,
  explored INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  row BLOB NOT NULL,                 -- by which it was chosen
  waiting INTEGER NOT NULL,
  score_lost REAL NOT NULL,
  weights BLOB,                      -- NULL where the strategy has none
  chance REAL NOT NULL,
  bonus REAL NOT NULL,
  better INTEGER
) STRICT;

CREATE TABLE pairs (                 -- rows that links have got, one for each page, where the strategy keeps them all
  link INTEGER NOT NULL,
  score REAL NOT NULL,               -- from then on, of every link with this row
  row BLOB NOT NULL
) STRICT;

CREATE TABLE skips (
  link INTEGER PRIMARY KEY,
  after_steps INTEGER NOT NULL,
  reason TEXT NOT NULL,
  decision INTEGER NOT NULL
) STRICT;

CREATE TABLE hosts (                 -- that were asked
  host TEXT PRIMARY KEY,
  ready_at REAL NOT NULL,            -- when it may be asked again
  crawl_delay_s REAL NOT NULL,       -- the pause between two requests that its robots.txt asks for
  address TEXT NOT NULL,             -- IP address at which it was found last; empty where that is not known
  address_ready_at REAL NOT NULL,    -- when that address may be asked again
  troubles INTEGER NOT NULL          -- temporary failures in a row, up to now
) WITHOUT ROWID, STRICT;

-- The last snapshot of strategy, judge and guard, and what they were told since, in order.
CREATE TABLE learner (step INTEGER PRIMARY KEY, state BLOB NOT NULL) STRICT;

CREATE TABLE journal (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,                -- fetch, skip, judge, learn, see, hear or news
  link INTEGER NOT NULL,
  row BLOB NOT NULL,                 -- by which the link was chosen; for the guard, the fingerprint of its page
  facts BLOB NOT NULL,               -- zstandard of JSON
  next_rows BLOB                     -- zstandard; of the links on the new page, where the strategy looks at them
) STRICT;

CREATE TABLE stage_seconds (stage TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL) STRICT;  -- JSON

CREATE TABLE validators (            -- pages whose host gave something to ask by whether they have changed
  link INTEGER PRIMARY KEY,
  etag TEXT NOT NULL,                -- as the server sent them, empty where it did not
  last_modified TEXT NOT NULL
) STRICT;

CREATE TABLE known (                 -- pages of the run that this one is a new pass over, as that run knew them
  url TEXT PRIMARY KEY,
  relevance REAL NOT NULL,
  digest BLOB NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  first_seen_at REAL NOT NULL,
  checked_at REAL NOT NULL,
  changes INTEGER NOT NULL,
  checks INTEGER NOT NULL
) STRICT;

CREATE TABLE passes (                -- looks at all pages, where there were several; the newest is the run as it stands
  number INTEGER PRIMARY KEY,        -- from 1, which is the crawl itself
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL,        -- of its own looks; the crawl may have gone on after them
  ended_at REAL NOT NULL,
  budget INTEGER NOT NULL,           -- fetches of the run in all, before the next pass
  progress TEXT NOT NULL             -- before the next pass, as JSON
) STRICT;

CREATE TABLE versions (              -- pages that a later pass found changed, moved or gone, as they were
  step INTEGER PRIMARY KEY,          -- that brought the page
  until_step INTEGER NOT NULL,       -- that found it otherwise
  link INTEGER NOT NULL,
  title TEXT NOT NULL,
  content_type TEXT NOT NULL,
  media_type TEXT NOT NULL,
  charset TEXT NOT NULL,
  words INTEGER NOT NULL,
  relevance REAL NOT NULL,
  is_relevant INTEGER NOT NULL,
  crawl_relevance REAL NOT NULL,
  was_relevant INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  distance INTEGER NOT NULL,
  digest BLOB NOT NULL,
  description BLOB,
  cut_by TEXT NOT NULL,
  body BLOB                          -- zstandard; NULL where it is in the archive, or was not kept
) STRICT;

CREATE INDEX versions_by_link ON versions (link);

CREATE TABLE archive (               -- where the response of a step lies in the archive
  step INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  end INTEGER NOT NULL               -- of the last record of that step
) STRICT;

CREATE TABLE directives (            -- pages that ask something of crawlers
  link INTEGER PRIMARY KEY,
  robots_tag TEXT NOT NULL,          -- the X-Robots-Tag headers, one a line
  tdm TEXT NOT NULL,                 -- the headers TDM-Reservation and, after a space, TDM-Policy
  rules TEXT NOT NULL,               -- of head, headers and site files together, separated by spaces: noai, tdm and so on
  policy TEXT NOT NULL,              -- where the conditions of mining are told
  is_unindexed INTEGER NOT NULL      -- the page is not kept
) STRICT;

CREATE TABLE identities (            -- what each page is known by
  step INTEGER PRIMARY KEY,
  link INTEGER NOT NULL,
  text INTEGER NOT NULL,             -- a hash of its main text
  canonical TEXT                     -- the other address that it calls its own
) STRICT;

CREATE TABLE site_files (            -- robots.txt and the like, as they were; of a page, the newest before it counts
  origin TEXT NOT NULL,
  path TEXT NOT NULL,
  asked_at REAL NOT NULL,            -- when it first was so
  expires REAL NOT NULL,
  times INTEGER NOT NULL,            -- that it was asked for and found to be so
  digest TEXT NOT NULL,              -- SHA-256; empty where there is no file
  body BLOB,                         -- zstandard; NULL where there is no file, or it was too many
  closed_by TEXT NOT NULL,           -- why nothing of the origin may be asked for; empty where something may
  detail TEXT NOT NULL,
  troubles INTEGER NOT NULL,         -- times in a row that the file could not be had
  PRIMARY KEY (origin, path, asked_at)
) WITHOUT ROWID, STRICT;

CREATE TABLE prints (                -- pages as the guard saw them
  step INTEGER PRIMARY KEY,
  link INTEGER NOT NULL,
  moment REAL NOT NULL,
  print BLOB NOT NULL                -- the fingerprint
) STRICT;

CREATE TABLE findings (              -- pages that the guard judged part of a loop or a trap, or duplicates
  link INTEGER PRIMARY KEY,
  step INTEGER NOT NULL,             -- that brought the page
  found_at INTEGER NOT NULL,         -- step after which it was found out: that one, or a later
  kind TEXT NOT NULL,
  about TEXT NOT NULL,               -- host, section, site or shape of address
  rule TEXT NOT NULL,                -- the part of the address that does not matter, by a rule of the host; else empty
  like INTEGER,                      -- the link of the earlier page that it repeats
  numbers TEXT NOT NULL,             -- that decided, by name, as a JSON object
  demotion INTEGER NOT NULL          -- that its links carry
) STRICT;

CREATE TABLE moves (                 -- waiting links that the guard moved, by host and cause
  host TEXT NOT NULL,
  cause TEXT NOT NULL,
  about TEXT NOT NULL,               -- the site, series or rule that the cause speaks of
  kind TEXT NOT NULL,                -- of the findings that it goes with; empty where there is none
  lowered INTEGER NOT NULL,          -- times that a link was let wait behind others, or farther behind
  raised INTEGER NOT NULL,           -- times that one was let wait less far behind
  dropped INTEGER NOT NULL,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  PRIMARY KEY (host, cause, about, kind)
) WITHOUT ROWID, STRICT;

CREATE TABLE restarts (
  number INTEGER PRIMARY KEY,        -- from 1
  after_steps INTEGER NOT NULL,
  moment REAL NOT NULL,
  reason TEXT NOT NULL,
  source TEXT NOT NULL,              -- urls, starting-points or unexplored
  links TEXT NOT NULL                -- that went first, as a JSON list
) STRICT;

-- Only in a shard of a run that several machines crawl:

CREATE TABLE outbox (                -- what other shards have not all acknowledged yet
  number INTEGER PRIMARY KEY,        -- links that were handed over up to and with it
  parcel BLOB NOT NULL               -- a page and the links on it whose hosts others have; see runs/parcels.py
) STRICT;

CREATE TABLE outbox_marks (shard INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;  -- acknowledged up to here
CREATE TABLE inbox_marks (shard INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;   -- taken in up to here

CREATE TABLE pages_elsewhere (       -- pages of other shards that show links of this one
  link INTEGER PRIMARY KEY,
  relevance REAL NOT NULL,           -- by the newest judgement that was told
  is_relevant INTEGER NOT NULL,
  distance INTEGER NOT NULL,
  depth INTEGER NOT NULL
) STRICT;

CREATE TABLE sightings (             -- of links of this shard on pages of others, in the order in which they were told
  number INTEGER PRIMARY KEY,        -- from 1
  after_steps INTEGER NOT NULL,      -- fetches that had ended by then
  link INTEGER NOT NULL,             -- the page, or the address that has led to a link of this shard
  facts TEXT NOT NULL,               -- that it hands down to its links, as a JSON list; null where nobody counts them
  targets TEXT NOT NULL              -- links of this shard, separated by commas
) STRICT;

-- Only in a run that is gathered from shards (runs/gathering.py), by shard: how far it was read, and its numbers here.

CREATE TABLE gathered (
  shard INTEGER PRIMARY KEY,
  steps INTEGER NOT NULL,            -- of the shard that are in the run
  links INTEGER NOT NULL,
  pairs INTEGER NOT NULL,
  files TEXT NOT NULL,               -- times and sizes of its files when it was read
  progress TEXT NOT NULL,            -- of the shard, as JSON
  stage_seconds TEXT NOT NULL        -- of the shard, as JSON
) STRICT;

CREATE TABLE gathered_links (
  shard INTEGER NOT NULL,
  own INTEGER NOT NULL,              -- number of a link in the shard
  link INTEGER NOT NULL,
  PRIMARY KEY (shard, own)
) WITHOUT ROWID, STRICT;

CREATE TABLE gathered_steps (
  shard INTEGER NOT NULL,
  own INTEGER NOT NULL,              -- number of a step in the shard
  step INTEGER NOT NULL,
  PRIMARY KEY (shard, own)
) WITHOUT ROWID, STRICT;
