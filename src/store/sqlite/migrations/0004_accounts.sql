-- Customers' whole life: what they are written in, who keeps them out, what they pay by, and who did what.

alter table customers add column language text not null default 'en' check (language in ('en', 'de', 'fr'));
-- Declared in the config, which alone may change it.
alter table customers add column declared integer not null default 0 check (declared in (0, 1));
-- Who keeps a disabled customer out; null while it is enabled.
alter table customers add column disabled_by text check (disabled_by in ('operator', 'payment'));
alter table customers add column erased_at integer;

update customers set disabled_by = 'operator' where enabled = 0;

-- What the operator, the payments and the service itself have done to customers: no secret, no mail address.
create table audit (
  seq integer primary key autoincrement,
  at integer not null,
  actor text not null,
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

-- What the payment provider has told, each event once and reduced to what is decided upon.
create table payment_events (
  id text primary key,
  type text not null,
  created_at integer not null,
  received_at integer not null,
  -- The provider's ids of who pays and for which subscription; null where the event names none, and after an erasure.
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

-- Who pays, and what followed last from all that was told of it.
create table payers (
  payer text primary key,
  customer_id text not null unique references customers (id),
  tier text check (tier in ('indie', 'team', 'gpai', 'embedded')),
  access text not null check (access in ('granted', 'ended')),
  -- When the access ends unless it is paid until then; null without such a moment.
  access_until integer,
  -- A price of the newest state that the config does not name.
  unknown_price text
) strict, without rowid;

create index payers_in_grace on payers (access_until) where access = 'granted' and access_until is not null;
create index payers_unknown on payers (unknown_price) where unknown_price is not null;

-- The key that a welcome mail made last.
alter table mails add column key_hash text check (length(key_hash) = 64);

create index mails_by_age on mails (created_at, id);
