-- A source may be given another schedule while it is fetched: the end of that fetch must not go by the old one.

-- The next run by the schedule, counted when the source was made known.
alter table sources add column next_run_at integer;
