-- Sources and their hosts.

create table sources (
  id text primary key,
  -- Null for a folder.
  host text,
  cursor text,
  -- The rule that tells its publications apart, and the rules before it, the latest first.
  identity text not null default '{"rule":"guid","former":[]}' check (json_valid(identity)),
  -- The time zone in which dates without one were read at the last fetch.
  timezone text,
  -- The largest number of new publications and of revisions that a fetch has brought, as far as is remembered.
  usual_new integer not null default 0 check (usual_new >= 0),
  usual_revised integer not null default 0 check (usual_revised >= 0),
  -- The schedule that next_due_at was computed with.
  schedule text,
  next_due_at integer not null,
  -- The next run by the schedule, computed when the source was registered.
  next_run_at integer,
  lease_until integer not null default 0,
  lease_holder text,
  first_success_at integer,
  last_attempt_at integer,
  last_success_at integer,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  last_error text,
  outcome text check (outcome in ('ok', 'failing', 'blocked', 'empty')),
  outcome_since integer,
  -- When it published something new, for the warning that it has been silent for unusually long.
  news text not null default '{"lastAtMs":null,"days":[],"seen":""}' check (json_valid(news)),
  -- Permanent redirects of its URLs.
  moves text not null default '[]' check (json_valid(moves)),
  -- The parts that the last fetch could not get.
  gaps text not null default '[]' check (json_valid(gaps)),
  -- Until when only AI regulation was taken from it; null once the items skipped then have been examined again.
  narrow_until integer
) strict;

create index sources_due on sources (next_due_at);
create index sources_by_host on sources (host) where host is not null;

-- Which hosts ask to be left alone. A row counts from set_at on: one from the future was written before the clock was
-- set back.
create table hosts (
  host text primary key,
  set_at integer not null,
  free_at integer not null default 0,
  paused_until integer not null default 0,
  -- Since when the host has refused without saying for how long: such a pause ends when it responds. Null otherwise.
  guessed_at integer
) strict, without rowid;
