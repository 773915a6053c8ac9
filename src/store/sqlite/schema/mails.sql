-- Queued and finished emails to customers. The recipient is looked up when an email is sent.

create table mails (
  id text primary key,
  kind text not null check (kind in ('welcome', 'key-rotated', 'payment-failed', 'access-ended', 'tier-changed',
    'subscriptions-held', 'delivery-warning', 'delivery-disabled', 'quota-80', 'quota-100', 'held-full',
    'sign-in')),
  customer_id text not null references customers (id),
  -- The data for the email's text, without API keys or email addresses; '{}' after the retention period.
  data text not null check (json_valid(data)),
  -- Identifies the occasion. Only one email is written for each occasion.
  once_key text not null unique,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'cancelled')),
  -- attempts counts every attempt; tries counts those since the email was last queued.
  attempts integer not null default 0 check (attempts >= 0),
  tries integer not null default 0 check (tries between 0 and attempts),
  next_attempt_at integer not null,
  last_problem text,
  created_at integer not null,
  finished_at integer,
  -- The hash of the API key that was created by the last attempt to send a welcome email.
  key_hash text check (length(key_hash) = 64),
  check ((status = 'queued') = (finished_at is null))
) strict, without rowid;

create index mails_due on mails (next_attempt_at, id) where status = 'queued';
create index mails_failed on mails (finished_at) where status = 'failed';
create index mails_by_customer on mails (customer_id, created_at, id);
create index mails_by_age on mails (created_at, id);
create index mails_to_blank on mails (finished_at) where status in ('sent', 'cancelled') and data <> '{}';
create index mails_sign_in on mails (created_at) where kind = 'sign-in' and status <> 'queued';
