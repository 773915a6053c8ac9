-- Coverage: the history of fetches, and incidents.

-- Each fetch of the last 90 days.
create table fetches (
  source_id text not null references sources (id),
  started_at integer not null,
  ended_at integer not null,
  -- As RecordedOutcome and FetchCause of src/domain/source/fetch_record.ts.
  outcome text not null check (outcome in ('ok', 'partial', 'failing', 'blocked', 'empty')),
  cause text,
  new integer not null,
  revised integer not null,
  unchanged integer not null,
  translated integer not null,
  skipped integer not null,
  refused integer not null,
  document_hash text,
  primary key (source_id, started_at),
  check ((cause is null) = (outcome in ('ok', 'partial')))
) strict, without rowid;

-- The fetches of each UTC day (days since 1970-01-01), updated with every fetch and kept for good.
create table fetch_days (
  source_id text not null references sources (id),
  day integer not null,
  ok integer not null default 0,
  partial integer not null default 0,
  failing integer not null default 0,
  blocked integer not null default 0,
  empty integer not null default 0,
  new integer not null default 0,
  revised integer not null default 0,
  -- The longest time without a success that ended on this day, in ms.
  longest_gap integer not null default 0 check (longest_gap >= 0),
  -- When the next fetch was due after the last one of the day.
  next_due_at integer not null,
  primary key (source_id, day)
) strict, without rowid;

create table incidents (
  id text primary key,
  kind text not null check (kind in ('failing', 'blocked', 'silent', 'deliveries_late', 'stopped')),
  source_id text references sources (id),
  cause text,
  started_at integer not null,
  ended_at integer check (ended_at >= started_at),
  updated_at integer not null,
  check ((source_id is null) = (kind in ('deliveries_late', 'stopped')))
) strict, without rowid;

create unique index incidents_open on incidents (coalesce(source_id, kind)) where ended_at is null;
create index incidents_by_end on incidents (coalesce(ended_at, 9007199254740991));

-- When incidents were last reviewed, and the id of the store's feeds, which must not depend on its URL.
create table coverage_state (
  id integer primary key check (id = 1),
  reviewed_at integer,
  feed_id text
) strict;

insert into coverage_state (id) values (1);
