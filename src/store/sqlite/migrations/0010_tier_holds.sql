-- Subscriptions that are over the number of their customer's tier: switched off by it, and on again when there is room.
-- A table's CHECK is changed by replacing the table.

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
  -- Switched off, and by what: its owner, an answer 410, days without a success, a lost key, the number that its
  -- customer's tier allows.
  disabled_at integer,
  disabled_by text check (disabled_by in ('owner', 'gone', 'failing', 'key-lost', 'tier')),
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

insert into subscriptions_next (
  id, customer_id, webhook_url, secret, previous_secret, previous_secret_until, topics, source_filter,
  severity_min, language, identity, created_at, after_seq, next_sequence, disabled_at, disabled_by, deleted_at,
  first_failure_at, consecutive_failures, last_success_at, warned_at, pace, resume_at, backfill_since, backfill_seq)
select
  id, customer_id, webhook_url, secret, previous_secret, previous_secret_until, topics, source_filter,
  severity_min, language, identity, created_at, after_seq, next_sequence, disabled_at, disabled_by, deleted_at,
  first_failure_at, consecutive_failures, last_success_at, warned_at, pace, resume_at, backfill_since, backfill_seq
from subscriptions;

-- The old table is gone before the new one takes its name, so that the references of others stay what they say.
drop table subscriptions;
alter table subscriptions_next rename to subscriptions;

create unique index subscriptions_active on subscriptions (customer_id, identity)
  where deleted_at is null and disabled_at is null;
-- What comes back by itself keeps its place: nothing that is the same takes it meanwhile.
create unique index subscriptions_wanted on subscriptions (customer_id, identity)
  where deleted_at is null and (disabled_at is null or disabled_by = 'tier');
create index subscriptions_over_tier on subscriptions (customer_id, created_at, id)
  where deleted_at is null and disabled_by = 'tier';
create index subscriptions_by_customer on subscriptions (customer_id, created_at, id);
create index subscriptions_failing on subscriptions (first_failure_at)
  where first_failure_at is not null and disabled_at is null and deleted_at is null;
create index subscriptions_backfilling on subscriptions (id) where backfill_seq is not null and deleted_at is null;

create trigger subscription_added after insert on subscriptions
begin
  update matching_state set version = version + 1;
end;

-- Every column that matching reads, save that of a backfill's progress: whether there is one is enough.
create trigger subscription_changed after update of id, customer_id, webhook_url, topics, source_filter, severity_min,
  language, identity, created_at, after_seq, disabled_at, disabled_by, deleted_at on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_backfilled after update of backfill_seq on subscriptions
when (old.backfill_seq is null) <> (new.backfill_seq is null)
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_removed after delete on subscriptions
begin
  update matching_state set version = version + 1;
end;
