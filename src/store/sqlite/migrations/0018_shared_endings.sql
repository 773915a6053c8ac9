-- What deliveries of one event have in common is kept once, and lies together: an event that many subscriptions want
-- changes few pages for each of them.

-- What bodies end with, where several end alike.
create table body_endings (
  ending_seq integer primary key,
  ending text not null
) strict;

-- The body is `body`, followed by that ending where there is one.
alter table delivery_bodies add column ending_seq integer references body_endings (ending_seq);
create index delivery_bodies_by_ending on delivery_bodies (ending_seq) where ending_seq is not null;

-- The number of a subscription's next delivery is the one after its last, and never below subscriptions.next_sequence,
-- which moves when deliveries are forgotten.
create table deliveries_next (
  seq integer primary key autoincrement,
  id text not null unique,
  customer_id text not null references customers (id),
  subscription_id text not null references subscriptions (id),
  event_id text not null references events (id),
  sequence integer not null check (sequence >= 1),
  status text not null check (status in ('pending', 'delivered', 'failed', 'held', 'cancelled')),
  hold_reason text check (hold_reason in ('quota', 'disabled')),
  -- Attempts ever made: the number of the last one. Tries are those since it was last asked to go: its place in the
  -- schedule of retries.
  attempts integer not null default 0 check (attempts >= 0),
  tries integer not null default 0 check (tries between 0 and attempts),
  next_attempt_at integer not null,
  -- When next_attempt_at was decided: a time that is yet to come tells that the clock was set back.
  decided_at integer not null,
  -- What the receiver asked for (Retry-After): the next attempt is not moved before it.
  not_before integer,
  -- The UTC month whose quota this delivery uses, null while it uses none.
  quota_month text,
  created_at integer not null,
  -- The first time that it arrived; a replay does not change it.
  arrived_at integer,
  -- When it was delivered, failed or cancelled; null while it is on its way or held.
  finished_at integer,
  -- Whether its body and attempts have been removed, long after it was finished.
  pruned integer not null default 0 check (pruned in (0, 1)),
  check ((status = 'held') = (hold_reason is not null)),
  check ((status in ('pending', 'held')) = (finished_at is null)),
  check (pruned = 0 or finished_at is not null)
) strict;

insert into deliveries_next (
  seq, id, customer_id, subscription_id, event_id, sequence, status, hold_reason, attempts, tries, next_attempt_at,
  decided_at, not_before, quota_month, created_at, arrived_at, finished_at, pruned)
select
  seq, id, customer_id, subscription_id, event_id, sequence, status, hold_reason, attempts, tries, next_attempt_at,
  decided_at, not_before, quota_month, created_at, arrived_at, finished_at, pruned
from deliveries order by seq;

-- A number is never given twice, also after a replacement of the table, and of an empty one.
delete from sqlite_sequence where name = 'deliveries_next';
insert into sqlite_sequence (name, seq) select 'deliveries_next', seq from sqlite_sequence where name = 'deliveries';

drop table deliveries;
alter table deliveries_next rename to deliveries;

-- Made after the rows: sorted at once instead of one by one.
-- The event first: those of one event stand side by side.
create unique index deliveries_by_event on deliveries (event_id, subscription_id);
create unique index deliveries_by_sequence on deliveries (subscription_id, sequence);
create index deliveries_due on deliveries (subscription_id, next_attempt_at, seq) where status = 'pending';
create index deliveries_oldest_pending on deliveries (created_at) where status = 'pending';
create index deliveries_held on deliveries (subscription_id, seq) where status = 'held';
create index deliveries_by_customer on deliveries (customer_id, seq);
create index deliveries_to_prune on deliveries (finished_at) where finished_at is not null and pruned = 0;
create index deliveries_to_forget on deliveries (finished_at) where pruned = 1;
-- Those that did not arrive, by state. What is pending is found in its queue: most of it arrives, and was never here.
create index deliveries_undelivered on deliveries (customer_id, status, seq)
  where status in ('failed', 'held', 'cancelled');
