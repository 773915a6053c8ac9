-- Deliveries, their bodies and attempts.

create table deliveries (
  seq integer primary key autoincrement,
  id text not null unique,
  customer_id text not null references customers (id),
  subscription_id text not null references subscriptions (id),
  event_id text not null references events (id),
  sequence integer not null check (sequence >= 1),
  status text not null check (status in ('pending', 'delivered', 'failed', 'held', 'cancelled')),
  hold_reason text check (hold_reason in ('quota', 'disabled')),
  -- Whether it is a replay. Replays wait while regular deliveries of the subscription are due.
  is_replay integer not null default 0 check (is_replay in (0, 1)),
  -- attempts counts every attempt; tries counts those of the current retry schedule.
  attempts integer not null default 0 check (attempts >= 0),
  tries integer not null default 0 check (tries between 0 and attempts),
  next_attempt_at integer not null,
  -- When next_attempt_at was set. If this is in the future, the clock has been set back.
  decided_at integer not null,
  -- The time that the receiver asked for (Retry-After). The next attempt is never moved before it.
  not_before integer,
  -- The UTC month whose quota this delivery uses; null if it uses none.
  quota_month text,
  created_at integer not null,
  -- When it first arrived; replays do not change this time.
  arrived_at integer,
  -- When it was delivered, failed or cancelled; null while it is pending or held.
  finished_at integer,
  -- Whether its body and attempts have been removed after their retention period.
  pruned integer not null default 0 check (pruned in (0, 1)),
  check ((status = 'held') = (hold_reason is not null)),
  check ((status in ('pending', 'held')) = (finished_at is null)),
  check (pruned = 0 or finished_at is not null)
) strict;

-- Ordered by event, so that the deliveries of one event are adjacent.
create unique index deliveries_by_event on deliveries (event_id, subscription_id);
create unique index deliveries_by_sequence on deliveries (subscription_id, sequence);
create index deliveries_due on deliveries (is_replay, customer_id, subscription_id, next_attempt_at, seq)
  where status = 'pending';
create index deliveries_oldest_pending on deliveries (created_at) where status = 'pending';
create index deliveries_held on deliveries (subscription_id, seq) where status = 'held';
create index deliveries_by_customer on deliveries (customer_id, seq);
create index deliveries_to_prune on deliveries (finished_at) where finished_at is not null and pruned = 0;
create index deliveries_to_forget on deliveries (finished_at) where pruned = 1;
create index deliveries_never_sent on deliveries (seq) where status = 'cancelled' and attempts = 0;
-- Leaves out pending deliveries, because most of them are soon delivered. Includes the subscription, so that listing
-- one subscription's deliveries reads no rows of other subscriptions.
create index deliveries_undelivered on deliveries (customer_id, status, seq, subscription_id)
  where status in ('failed', 'held', 'cancelled');

-- Bodies are stored apart from deliveries, which every attempt changes. The bodies of one event's deliveries usually
-- share an ending, which is stored once. A complete body is `body`, followed by the ending if there is one.
create table delivery_bodies (
  delivery_seq integer primary key references deliveries (seq),
  body text not null,
  ending_seq integer references body_endings (ending_seq)
) strict;

create index delivery_bodies_by_ending on delivery_bodies (ending_seq) where ending_seq is not null;

create table body_endings (
  ending_seq integer primary key,
  ending text not null
) strict;

create table attempts (
  delivery_id text not null references deliveries (id),
  number integer not null check (number >= 1),
  started_at integer not null,
  duration_ms integer not null,
  status_code integer,
  problem text,
  -- The beginning of the response body, kept for the subscription's owner.
  response text check (length(response) <= 1024),
  primary key (delivery_id, number)
) strict, without rowid;
