-- Which version of Regfeed brought the database to which schema: an older one then says what can read it.
create table schema_history (
  schema integer primary key check (schema >= 1),
  version text not null
) strict;
