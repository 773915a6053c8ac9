-- What a customer has used of the limits per UTC day (test calls, replays, backfills). Only the latest day is kept.
create table daily_usage (
  customer_id text not null references customers (id),
  action text not null,
  -- "2026-07-31", in UTC.
  day text not null,
  used integer not null check (used >= 0),
  primary key (customer_id, action)
) strict, without rowid;
