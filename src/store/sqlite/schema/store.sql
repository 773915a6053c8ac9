-- The database itself. In all tables, times are in Unix ms and numeric severities range from 0 (info) to 4 (critical).

-- Which version of Regfeed created which schema, so that an older version can name the version to start.
create table schema_history (
  schema integer primary key check (schema >= 1),
  version text not null
) strict;

-- A known string, sealed with the secret key. Only the right key can open it.
create table vault (
  id integer primary key check (id = 1),
  proof blob not null
) strict;
