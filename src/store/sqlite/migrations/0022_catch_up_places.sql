-- A subscription that is behind has a place to go on from instead of a stored delivery for each event.

-- Events in the order in which they were matched, kept until every subscription that is behind has caught up with them.
create table match_log (
  place integer primary key autoincrement,
  event_seq integer not null references events (seq)
) strict;

create index match_log_by_event on match_log (event_seq);

-- The last place of match_log that was matched with the subscription; null unless it is behind.
alter table subscriptions add column resume_after integer check (resume_after >= 0);
-- Since when it has waited for quota, or to be switched on, before it goes on catching up.
alter table subscriptions add column paused_at integer;
-- Since when it has been behind because its customer's limit of held deliveries was reached.
alter table subscriptions add column held_full_since integer;
-- Whether it was deleted a short time ago: what it still had to get may have to be cancelled.
alter table subscriptions add column closing integer not null default 0 check (closing in (0, 1));

insert into match_log (event_seq) select distinct event_seq from backfill_waiting order by event_seq;
update subscriptions set resume_after = 0 where backfill_seq is not null and deleted_at is null;
update subscriptions set closing = 1 where deleted_at is not null;
drop table backfill_waiting;

drop index subscriptions_backfilling;
create index subscriptions_behind on subscriptions (resume_after)
  where resume_after is not null and deleted_at is null;
create index subscriptions_catching_up on subscriptions (customer_id, id)
  where resume_after is not null and paused_at is null and deleted_at is null;
create index subscriptions_paused on subscriptions (customer_id, id)
  where paused_at is not null and deleted_at is null;
create index subscriptions_closing on subscriptions (id) where closing = 1;

drop trigger subscription_backfilled;
create trigger subscription_fell_behind after update of resume_after on subscriptions
when (old.resume_after is null) <> (new.resume_after is null)
begin
  update matching_state set version = version + 1;
end;

-- A subscription is removed only after it was deleted: it was not matched any more.
drop trigger subscription_removed;

-- Cancelled before the first attempt: nothing happened that a log has to tell.
create index deliveries_never_sent on deliveries (seq) where status = 'cancelled' and attempts = 0;

create table mails_next (
  id text primary key,
  kind text not null check (kind in ('welcome', 'key-rotated', 'payment-failed', 'access-ended', 'tier-changed',
    'subscriptions-held', 'delivery-warning', 'delivery-disabled', 'quota-80', 'quota-100', 'held-full')),
  customer_id text not null references customers (id),
  -- What the words are made from: no key, no address of anybody. '{}' once the mail is long over.
  data text not null check (json_valid(data)),
  -- The occasion: of each, one mail is written.
  once_key text not null unique,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'cancelled')),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at integer not null,
  last_problem text,
  created_at integer not null,
  finished_at integer,
  -- The key that a welcome mail made last.
  key_hash text check (length(key_hash) = 64),
  -- Attempts since the mail was last queued.
  tries integer not null default 0 check (tries between 0 and attempts),
  check ((status = 'queued') = (finished_at is null))
) strict, without rowid;

insert into mails_next (id, kind, customer_id, data, once_key, status, attempts, next_attempt_at, last_problem,
  created_at, finished_at, key_hash, tries)
select id, kind, customer_id, data, once_key, status, attempts, next_attempt_at, last_problem, created_at,
  finished_at, key_hash, tries
from mails;

drop table mails;
alter table mails_next rename to mails;

create index mails_due on mails (next_attempt_at, id) where status = 'queued';
create index mails_failed on mails (finished_at) where status = 'failed';
create index mails_by_customer on mails (customer_id, created_at, id);
create index mails_by_age on mails (created_at, id);
create index mails_to_blank on mails (finished_at) where status in ('sent', 'cancelled') and data <> '{}';
