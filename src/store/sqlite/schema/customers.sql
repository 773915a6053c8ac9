-- Customers, their API keys, their usage, and the audit log.

create table customers (
  id text primary key,
  email text not null,
  tier text not null check (tier in ('indie', 'team', 'gpai', 'embedded')),
  enabled integer not null check (enabled in (0, 1)),
  -- Who disabled the customer; null while it is enabled.
  disabled_by text check (disabled_by in ('operator', 'payment')),
  limits text not null check (json_valid(limits)),
  language text not null default 'en' check (language in ('en', 'de', 'fr')),
  -- Whether the config declares the customer. If so, only the config may change it.
  declared integer not null default 0 check (declared in (0, 1)),
  created_at integer not null,
  erased_at integer
) strict;

create index customers_by_email on customers (lower(email), created_at, id);

create table api_keys (
  hash text primary key check (length(hash) = 64),
  customer_id text not null references customers (id),
  -- Null for the keys of declared and erased customers.
  label text check (length(label) between 1 and 40),
  last_four text not null check (length(last_four) = 4),
  created_at integer not null,
  -- The end of the overlap after a rotation; null without an overlap.
  valid_until integer,
  disabled_at integer,
  -- Written about once per hour while the key is used.
  last_used_at integer
) strict, without rowid;

create index api_keys_by_customer on api_keys (customer_id, created_at);
create unique index api_keys_by_label on api_keys (customer_id, label)
  where disabled_at is null and valid_until is null;

create table api_usage (
  customer_id text not null references customers (id),
  day text not null,
  requests integer not null check (requests >= 0),
  primary key (customer_id, day)
) strict, without rowid;

-- How many deliveries arrived on a UTC day. Replays of a delivery that had arrived do not count.
create table arrivals (
  customer_id text not null references customers (id),
  day text not null,
  deliveries integer not null check (deliveries >= 0),
  primary key (customer_id, day)
) strict, without rowid;

-- How much of its daily limits (test calls, replays, backfills) a customer has used. Only the latest day is kept.
create table daily_usage (
  customer_id text not null references customers (id),
  action text not null,
  -- A UTC day, such as "2026-07-31".
  day text not null,
  used integer not null check (used >= 0),
  primary key (customer_id, action)
) strict, without rowid;

create table delivery_usage (
  customer_id text not null references customers (id),
  month text not null,
  deliveries integer not null check (deliveries >= 0),
  -- When the customer was notified that the month's quota was nearly used up (warned_at) or used up (spent_at).
  warned_at integer,
  spent_at integer,
  primary key (customer_id, month)
) strict, without rowid;

-- What a customer has seen of the console's feed, as positions in events.seq. Events after read_seq are new.
create table feed_visits (
  customer_id text primary key references customers (id),
  read_seq integer not null check (read_seq >= 0),
  read_at integer not null,
  seen_seq integer not null check (seen_seq >= 0),
  seen_at integer not null
) strict, without rowid;

-- The first response to each Idempotency-Key and the hash of the request, kept for a day. Both are sealed: the response
-- can contain a secret, and a hash would reveal a weak password in the request's headers.
create table stored_responses (
  customer_id text not null references customers (id),
  key text not null,
  response blob not null,
  created_at integer not null,
  primary key (customer_id, key)
) strict, without rowid;

create index stored_responses_by_age on stored_responses (created_at);

-- Changes to customers by the operator, payments and the service, without secrets or email addresses.
create table audit (
  seq integer primary key autoincrement,
  at integer not null,
  actor text not null,
  -- The IP address of an operator in the console; null for other actors.
  address text,
  act text not null,
  customer_id text,
  change text not null check (json_valid(change))
) strict;

create index audit_by_customer on audit (customer_id, seq);

create trigger audit_is_append_only before update on audit
begin
  select raise(abort, 'the audit is append-only');
end;

create trigger audit_is_kept before delete on audit
begin
  select raise(abort, 'the audit is append-only');
end;

create trigger audit_is_not_replaced before insert on audit
when exists (select 1 from audit where seq = new.seq)
begin
  select raise(abort, 'the audit is append-only');
end;
