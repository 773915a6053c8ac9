-- The whole life of a delivery, the health of an endpoint, and secrets that are sealed. The program seals what stood
-- in clear right after these statements, in the same transaction; until then it waits in tables of memory.

-- Which key seals: a known text, sealed with it, tells the right key from a wrong one.
create table vault (
  id integer primary key check (id = 1),
  proof blob not null
) strict;

create temp table clear_secrets (id text not null, webhook_secret text not null) strict;
insert into clear_secrets select id, webhook_secret from subscriptions;
create temp table clear_answers (
  customer_id text not null,
  key text not null,
  request_hash text not null,
  json text not null,
  created_at integer not null
) strict;
insert into clear_answers select customer_id, key, request_hash, json, created_at from remembered_answers;

create table subscriptions_next (
  id text primary key,
  customer_id text not null references customers (id),
  webhook_url text not null,
  -- Sealed.
  secret blob not null,
  -- The secret before it, sealed: it signs as well until its time.
  previous_secret blob,
  previous_secret_until integer,
  topics text not null check (json_valid(topics)),
  source_filter text not null check (json_valid(source_filter)),
  severity_min text not null check (severity_min in ('info', 'low', 'medium', 'high', 'critical')),
  language text not null,
  -- Address and filters in one canonical text: two active subscriptions of a customer never share it.
  identity text not null,
  created_at integer not null,
  -- Events up to this one were stored before the subscription and are not delivered to it.
  after_seq integer not null,
  next_sequence integer not null default 1,
  -- Switched off, and by what: its owner, an answer 410, days without a success, a lost key.
  disabled_at integer,
  disabled_by text check (disabled_by in ('owner', 'gone', 'failing', 'key-lost')),
  deleted_at integer,
  -- The endpoint's health. The first failure since the last success, and how many attempts in a row have failed.
  first_failure_at integer,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  last_success_at integer,
  -- When its owner was warned that it will be switched off.
  warned_at integer,
  -- 'steady': as much as the limits allow; 'probing': one attempt at a time, until one succeeds; 'recovering': at a
  -- bounded rate, until nothing is due.
  pace text not null default 'steady' check (pace in ('steady', 'probing', 'recovering')),
  -- No attempt begins before this time.
  resume_at integer not null default 0,
  -- A wish for the past: events published since this time, handled up to this place in the order of storing.
  backfill_since integer,
  backfill_seq integer,
  check ((disabled_at is null) = (disabled_by is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((backfill_since is null) = (backfill_seq is null))
) strict, without rowid;

insert into subscriptions_next (id, customer_id, webhook_url, secret, topics, source_filter, severity_min, language,
  identity, created_at, after_seq, next_sequence, disabled_at, disabled_by, deleted_at)
select id, customer_id, webhook_url, x'', topics, source_filter, severity_min, language, identity, created_at,
  after_seq, next_sequence, disabled_at, iif(disabled_at is null, null, 'gone'), deleted_at
from subscriptions;

-- The old table is gone before the new one takes its name, so that the references of others stay what they say.
drop table subscriptions;
alter table subscriptions_next rename to subscriptions;

create unique index subscriptions_active on subscriptions (customer_id, identity)
  where deleted_at is null and disabled_at is null;
create index subscriptions_by_customer on subscriptions (customer_id, created_at, id);
create index subscriptions_failing on subscriptions (first_failure_at)
  where first_failure_at is not null and disabled_at is null and deleted_at is null;
create index subscriptions_backfilling on subscriptions (id) where backfill_seq is not null and deleted_at is null;

create trigger subscription_added after insert on subscriptions
begin
  update matching_state set version = version + 1;
end;

-- Every column that matching reads.
create trigger subscription_changed after update of id, customer_id, webhook_url, topics, source_filter, severity_min,
  language, identity, created_at, after_seq, disabled_at, disabled_by, deleted_at, backfill_seq on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_removed after delete on subscriptions
begin
  update matching_state set version = version + 1;
end;

-- First answers to requests that named a key of their own, for a day; sealed, because they hold secrets.
drop table remembered_answers;
create table remembered_answers (
  customer_id text not null references customers (id),
  key text not null,
  request_hash text not null,
  answer blob not null,
  created_at integer not null,
  primary key (customer_id, key)
) strict, without rowid;

create index remembered_answers_by_age on remembered_answers (created_at);

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
  unique (subscription_id, event_id),
  unique (subscription_id, sequence),
  check ((status = 'held') = (hold_reason is not null)),
  check ((status in ('pending', 'held')) = (finished_at is null)),
  check (pruned = 0 or finished_at is not null)
) strict;

insert into deliveries_next (seq, id, customer_id, subscription_id, event_id, sequence, status, hold_reason, attempts,
  tries, next_attempt_at, decided_at, quota_month, created_at, arrived_at, finished_at)
select deliveries.seq, deliveries.id, subscriptions.customer_id, subscription_id, event_id, sequence, status,
  hold_reason, attempts, attempts, next_attempt_at, deliveries.created_at, quota_month, deliveries.created_at,
  iif(status = 'delivered', finished_at, null), finished_at
from deliveries join subscriptions on subscriptions.id = deliveries.subscription_id;

-- A number is never given twice, also after a replacement of the table.
update sqlite_sequence set seq = (select seq from sqlite_sequence where name = 'deliveries')
  where name = 'deliveries_next' and exists (select 1 from sqlite_sequence where name = 'deliveries');

drop table deliveries;
alter table deliveries_next rename to deliveries;

create index deliveries_due on deliveries (subscription_id, next_attempt_at, seq) where status = 'pending';
create index deliveries_oldest_pending on deliveries (created_at) where status = 'pending';
create index deliveries_held on deliveries (subscription_id, seq) where status = 'held';
create index deliveries_by_customer on deliveries (customer_id, seq);
create index deliveries_to_prune on deliveries (finished_at) where finished_at is not null and pruned = 0;
create index deliveries_to_forget on deliveries (finished_at) where pruned = 1;

-- The beginning of what the receiver answered, kept for the subscription's owner.
alter table attempts add column answer text check (length(answer) <= 1024);

-- When the month's quota was nearly and wholly spent, so that its owner is told of each once.
alter table delivery_usage add column warned_at integer;
alter table delivery_usage add column spent_at integer;
