-- The database itself. In all tables, times are Unix ms and severities are ranks from 0 (info) to 4 (critical).

-- Which version of Regfeed wrote which schema, so that an older version can name the one to start.
create table schema_history (
  schema integer primary key check (schema >= 1),
  version text not null
) strict;

-- A known text, sealed with the store's key: it tells the right key from a wrong one.
create table vault (
  id integer primary key check (id = 1),
  proof blob not null
) strict;
