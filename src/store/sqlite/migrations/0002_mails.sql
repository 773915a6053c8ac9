-- Mails to customers, from the moment at which they are asked for. data holds what the words are made from: no key, no
-- address of anybody; whom a mail goes to is looked up when it is sent.
create table mails (
  id text primary key,
  kind text not null check (kind in ('welcome', 'key-rotated', 'payment-failed', 'delivery-warning',
    'delivery-disabled', 'quota-80', 'quota-100')),
  customer_id text not null references customers (id),
  data text not null check (json_valid(data)),
  -- The occasion: of each, one mail is written.
  once_key text not null unique,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'cancelled')),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at integer not null,
  last_problem text,
  created_at integer not null,
  finished_at integer,
  check ((status = 'queued') = (finished_at is null))
) strict, without rowid;

create index mails_due on mails (next_attempt_at, id) where status = 'queued';
create index mails_failed on mails (finished_at) where status = 'failed';
create index mails_by_customer on mails (customer_id, created_at, id);
