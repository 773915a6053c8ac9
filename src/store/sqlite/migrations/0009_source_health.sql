-- How sources fare: what the last fetch came to, when there was something new, where a source has moved to, and which
-- hosts want to be left alone. Leases name their holder, who alone ends or extends them.

-- Null for a folder.
alter table sources add column host text;
-- What next_due_at was counted with.
alter table sources add column schedule text;
alter table sources add column lease_holder text;
alter table sources add column outcome text check (outcome in ('ok', 'failing', 'blocked', 'empty'));
alter table sources add column outcome_since integer;
alter table sources add column news text not null default '{"lastAtMs":null,"days":[],"seen":""}'
  check (json_valid(news));
-- Where the address says that it has moved for good, since when, and from when on that address is asked.
alter table sources add column moved_from text;
alter table sources add column moved_to text;
alter table sources add column moved_since integer;
alter table sources add column moved_adopted_at integer;

update sources set
  outcome = case when consecutive_failures > 0 then 'failing' else 'ok' end,
  outcome_since = case when consecutive_failures > 0 then last_attempt_at else first_success_at end
where last_attempt_at is not null;

create index sources_by_host on sources (host) where host is not null;

-- A row counts from set_at on: one from the future was written before the clock was set back.
create table hosts (
  host text primary key,
  set_at integer not null,
  free_at integer not null default 0,
  paused_until integer not null default 0
) strict, without rowid;
