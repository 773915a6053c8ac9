-- Everything that Regfeed keeps. Times are Unix ms. Severities are ranks, 0 (info) to 4 (critical).

create table sources (
  id text primary key,
  cursor text,
  identity_rule text not null default 'guid' check (identity_rule in ('guid', 'link', 'link+title')),
  first_success_at integer,
  last_attempt_at integer,
  last_success_at integer,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  last_error text,
  next_due_at integer not null,
  lease_until integer not null default 0
) strict;

create index sources_due on sources (next_due_at);

-- A record is written once; json is the record as the API serves it, provenance what it was made from, the other
-- columns are what is searched.
create table events (
  seq integer primary key autoincrement,
  id text not null unique,
  source_id text not null,
  external_id text not null,
  version integer not null check (version >= 1),
  severity integer not null check (severity between 0 and 4),
  published_at integer not null,
  json text not null,
  provenance text not null,
  unique (source_id, external_id, version)
) strict;

create index events_newest on events (published_at desc, id desc);

create trigger events_are_append_only before update on events
begin
  select raise(abort, 'event records are append-only');
end;

create trigger events_are_kept before delete on events
begin
  select raise(abort, 'event records are append-only');
end;

-- What events are listed by ("topic:gpai", "severity:3", "article:Art. 50"), and how many events have it.
create table tags (
  id integer primary key,
  name text not null unique,
  events integer not null default 0 check (events >= 0)
) strict;

create table event_tags (
  tag_id integer not null references tags (id),
  published_at integer not null,
  event_id text not null,
  event_seq integer not null references events (seq),
  primary key (tag_id, published_at desc, event_id desc)
) strict, without rowid;

-- The words of titles and summaries, for full-text search; the texts themselves stay in events.
create virtual table event_words using fts5 (
  words,
  content = '',
  tokenize = "unicode61 remove_diacritics 2"
);

-- The newest version of each publication, under every identity by which it is known.
create table publications (
  source_id text not null,
  key text not null,
  external_id text not null,
  content_hash text not null,
  version integer not null check (version >= 1),
  latest_seq integer not null references events (seq),
  primary key (source_id, key)
) strict, without rowid;

create index publications_by_external_id on publications (source_id, external_id);
create index publications_by_content on publications (source_id, content_hash);
create index publications_latest on publications (latest_seq);

-- Events that wait to be matched with subscriptions.
create table event_outbox (
  event_seq integer primary key references events (seq)
) strict;

create table customers (
  id text primary key,
  email text not null,
  tier text not null check (tier in ('indie', 'team', 'gpai', 'embedded')),
  enabled integer not null check (enabled in (0, 1)),
  limits text not null check (json_valid(limits)),
  created_at integer not null
) strict;

create table api_keys (
  hash text primary key check (length(hash) = 64),
  customer_id text not null references customers (id),
  last_four text not null check (length(last_four) = 4),
  created_at integer not null,
  disabled_at integer
) strict, without rowid;

create index api_keys_by_customer on api_keys (customer_id, created_at);

create table api_usage (
  customer_id text not null references customers (id),
  day text not null,
  requests integer not null check (requests >= 0),
  primary key (customer_id, day)
) strict, without rowid;

create table subscriptions (
  id text primary key,
  customer_id text not null references customers (id),
  webhook_url text not null,
  webhook_secret text not null check (length(webhook_secret) = 64),
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
  disabled_at integer,
  deleted_at integer
) strict, without rowid;

create unique index subscriptions_active on subscriptions (customer_id, identity)
  where deleted_at is null and disabled_at is null;
create index subscriptions_by_customer on subscriptions (customer_id, created_at, id);

-- Counts the changes of what events are matched with, so that a process knows whether what it has read still holds.
create table matching_state (
  id integer primary key check (id = 1),
  version integer not null
) strict;

insert into matching_state (id, version) values (1, 0);

create trigger subscription_added after insert on subscriptions
begin
  update matching_state set version = version + 1;
end;

-- Every column but next_sequence, which each delivery moves.
create trigger subscription_changed after update of id, customer_id, webhook_url, webhook_secret, topics, source_filter,
  severity_min, language, identity, created_at, after_seq, disabled_at, deleted_at on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_removed after delete on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger customer_switched after update of enabled on customers
begin
  update matching_state set version = version + 1;
end;

-- First answers to requests that named a key of their own, for a day.
create table remembered_answers (
  customer_id text not null references customers (id),
  key text not null,
  request_hash text not null,
  json text not null,
  created_at integer not null,
  primary key (customer_id, key)
) strict, without rowid;

create index remembered_answers_by_age on remembered_answers (created_at);

create table deliveries (
  seq integer primary key autoincrement,
  id text not null unique,
  subscription_id text not null references subscriptions (id),
  event_id text not null references events (id),
  sequence integer not null check (sequence >= 1),
  status text not null check (status in ('pending', 'delivered', 'failed', 'held', 'cancelled')),
  hold_reason text check (hold_reason in ('quota', 'disabled')),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at integer not null,
  -- The UTC month whose quota this delivery uses, null while it uses none.
  quota_month text,
  created_at integer not null,
  finished_at integer,
  unique (subscription_id, event_id),
  check ((status = 'held') = (hold_reason is not null))
) strict;

create index deliveries_due on deliveries (subscription_id, next_attempt_at, seq) where status = 'pending';
create index deliveries_oldest_pending on deliveries (created_at) where status = 'pending';
create index deliveries_held on deliveries (subscription_id, seq) where status = 'held';

-- The bytes to send stand apart from what every attempt changes: an attempt then writes a hundred bytes, not thousands.
create table delivery_bodies (
  delivery_seq integer primary key references deliveries (seq),
  body text not null
) strict;

create table delivery_usage (
  customer_id text not null references customers (id),
  month text not null,
  deliveries integer not null check (deliveries >= 0),
  primary key (customer_id, month)
) strict, without rowid;

create table attempts (
  delivery_id text not null references deliveries (id),
  number integer not null check (number >= 1),
  started_at integer not null,
  duration_ms integer not null,
  status_code integer,
  problem text,
  primary key (delivery_id, number)
) strict, without rowid;
