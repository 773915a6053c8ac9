-- Sources and their hosts.

create table sources (
  id text primary key,
  -- Null if the source is a folder.
  host text,
  cursor text,
  -- The current identity rule, and the former rules, latest first.
  identity text not null default '{"rule":"guid","former":[]}' check (json_valid(identity)),
  -- The time zone that the last fetch assumed for dates without one.
  timezone text,
  -- The largest recent numbers of new publications and of revisions in one fetch. These maxima decay over time.
  usual_new integer not null default 0 check (usual_new >= 0),
  usual_revised integer not null default 0 check (usual_revised >= 0),
  -- The number of the source's rows in events.
  event_count integer not null default 0 check (event_count >= 0),
  -- The schedule from which next_due_at was computed.
  schedule text,
  next_due_at integer not null,
  -- The next scheduled run, computed when the source was registered.
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
  -- When it published something new; used to warn when it has been silent for unusually long.
  news text not null default '{"lastAtMs":null,"days":[],"seen":""}' check (json_valid(news)),
  -- Permanent redirects of its URLs.
  moves text not null default '[]' check (json_valid(moves)),
  -- The parts that the last fetch failed to get.
  gaps text not null default '[]' check (json_valid(gaps)),
  -- Until when only AI regulation was taken from it; null once the items skipped until then have been reexamined.
  narrow_until integer
) strict;

create index sources_due on sources (next_due_at);
create index sources_by_host on sources (host) where host is not null;

-- Hosts that must not be contacted for some time. A row whose set_at is in the future was written before the clock was
-- set back, and does not count.
create table hosts (
  host text primary key,
  set_at integer not null,
  free_at integer not null default 0,
  paused_until integer not null default 0,
  -- When the host refused a request without stating a pause. paused_until is then a guess, and is cleared when
  -- the host responds. Otherwise null.
  guessed_at integer
) strict, without rowid;
