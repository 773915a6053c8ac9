-- More kinds of mails, and an end of what they hold. A table's CHECK is changed by replacing the table.

create table mails_next (
  id text primary key,
  kind text not null check (kind in ('welcome', 'key-rotated', 'payment-failed', 'access-ended', 'tier-changed',
    'subscriptions-held', 'delivery-warning', 'delivery-disabled', 'quota-80', 'quota-100')),
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
  check ((status = 'queued') = (finished_at is null))
) strict, without rowid;

insert into mails_next (id, kind, customer_id, data, once_key, status, attempts, next_attempt_at, last_problem,
  created_at, finished_at, key_hash)
select id, kind, customer_id, data, once_key, status, attempts, next_attempt_at, last_problem, created_at,
  finished_at, key_hash
from mails;

drop table mails;
alter table mails_next rename to mails;

create index mails_due on mails (next_attempt_at, id) where status = 'queued';
create index mails_failed on mails (finished_at) where status = 'failed';
create index mails_by_customer on mails (customer_id, created_at, id);
create index mails_by_age on mails (created_at, id);
-- What is over and still holds what it told.
create index mails_to_blank on mails (finished_at) where status in ('sent', 'cancelled') and data <> '{}';

-- The address that the payer's checkouts gave last: the customer's follows it when it changes, and not each time, so
-- that what the operator has set meanwhile stays. Null until the next event of a payer of before.
alter table payers add column email text;
