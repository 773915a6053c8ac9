-- Events of the payment provider, and payers.

-- One row per event of the provider, reduced to what decisions need.
create table payment_events (
  id text primary key,
  type text not null,
  created_at integer not null,
  received_at integer not null,
  -- The provider's ids of the payer and the subscription; null if the event names none, or after an erasure.
  payer text,
  subscription text,
  fact text check (json_valid(fact)),
  -- Why the event has no effect; null if it has one.
  note text,
  -- The customer to whom the event belonged, if that customer has been erased; otherwise null.
  erased_customer_id text
) strict, without rowid;

create index payment_events_by_payer on payment_events (payer, created_at, id) where payer is not null;
create index payment_events_by_receipt on payment_events (received_at, id);
create index payment_events_erased on payment_events (erased_customer_id) where erased_customer_id is not null;

-- Payers, with the state that results from all their events.
create table payers (
  payer text primary key,
  customer_id text not null unique references customers (id),
  tier text check (tier in ('indie', 'team', 'gpai', 'embedded')),
  access text not null check (access in ('granted', 'ended')),
  -- When access ends unless a payment arrives first; null if no end is set.
  access_until integer,
  -- The newest price of a subscription, if the config does not contain that price; otherwise null.
  unknown_price text,
  -- The email address of the payer's latest checkout. The customer's email address is updated only when this one
  -- changes, so that an address set by the operator is kept.
  email text
) strict, without rowid;

create index payers_in_grace on payers (access_until) where access = 'granted' and access_until is not null;
create index payers_unknown on payers (unknown_price) where unknown_price is not null;
