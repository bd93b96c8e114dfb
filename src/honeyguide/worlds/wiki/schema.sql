-- A wiki world in one file. Articles are numbered from 0 in the order of the dump; a number is 4 bytes, little-endian.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE pages (number INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE);
CREATE TABLE bodies (number INTEGER PRIMARY KEY, html BLOB NOT NULL);       -- zstandard, with the dictionary in meta
CREATE TABLE links (number INTEGER PRIMARY KEY, targets BLOB NOT NULL);     -- distinct articles, ascending
CREATE TABLE redirects (title TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE categories (category INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER NOT NULL);
CREATE TABLE labels (number INTEGER, category INTEGER, PRIMARY KEY (number, category)) WITHOUT ROWID;
