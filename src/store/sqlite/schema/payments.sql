-- What the payment provider has reported, and who pays.

-- Each event of the provider once, reduced to what decisions need.
create table payment_events (
  id text primary key,
  type text not null,
  created_at integer not null,
  received_at integer not null,
  -- The provider's ids of the payer and the subscription; null where the event names none, and after an erasure.
  payer text,
  subscription text,
  fact text check (json_valid(fact)),
  -- Why nothing follows from it; null where something does.
  note text,
  -- Whose it was, after an erasure.
  erased_customer_id text
) strict, without rowid;

create index payment_events_by_payer on payment_events (payer, created_at, id) where payer is not null;
create index payment_events_by_receipt on payment_events (received_at, id);
create index payment_events_erased on payment_events (erased_customer_id) where erased_customer_id is not null;

-- Payers, with what all their events led to.
create table payers (
  payer text primary key,
  customer_id text not null unique references customers (id),
  tier text check (tier in ('indie', 'team', 'gpai', 'embedded')),
  access text not null check (access in ('granted', 'ended')),
  -- When the access ends unless it is paid until then; null without such a time.
  access_until integer,
  -- A price of the newest state that the config does not name.
  unknown_price text,
  -- The email address that the payer's checkouts gave last: the customer's follows it only when it changes, so that one
  -- set by the operator stays.
  email text
) strict, without rowid;

create index payers_in_grace on payers (access_until) where access = 'granted' and access_until is not null;
create index payers_unknown on payers (unknown_price) where unknown_price is not null;
