-- Sessions of people who use the pages, one-time links, and the forms that were sent.

create table sessions (
  id text primary key,
  -- The token is only in the cookie.
  hash text not null unique check (length(hash) = 64),
  customer_id text references customers (id),
  operator text check (length(operator) between 1 and 200),
  method text not null check (method in ('key', 'link', 'oidc')),
  -- The API key that the customer signed in with.
  key_hash text references api_keys (hash),
  created_at integer not null,
  last_seen_at integer not null,
  ip_address text not null,
  user_agent text not null,
  check ((customer_id is null) <> (operator is null)),
  check ((key_hash is not null) = (method = 'key'))
) strict, without rowid;

create index sessions_by_customer on sessions (customer_id, last_seen_at) where customer_id is not null;
create index sessions_by_operator on sessions (operator, last_seen_at) where operator is not null;
create index sessions_of_operators on sessions (last_seen_at, id) where operator is not null;
create index sessions_by_key on sessions (key_hash) where key_hash is not null;
create index sessions_by_use on sessions (last_seen_at);
create index sessions_by_age on sessions (created_at);

create table sign_in_links (
  hash text primary key check (length(hash) = 64),
  customer_id text references customers (id),
  operator text check (length(operator) between 1 and 200),
  created_at integer not null,
  redeemed_at integer,
  check ((customer_id is null) <> (operator is null))
) strict, without rowid;

create index sign_in_links_by_customer on sign_in_links (customer_id) where customer_id is not null;
create index sign_in_links_by_age on sign_in_links (created_at);

-- The forms that were sent, so that a form that is sent twice acts once.
create table submitted_forms (
  session_id text not null references sessions (id) on delete cascade,
  form_id text not null,
  created_at integer not null,
  is_finished integer not null default 0 check (is_finished in (0, 1)),
  -- The local path that the response redirected to; null if the response was a page.
  location text,
  primary key (session_id, form_id)
) strict, without rowid;

create index submitted_forms_by_age on submitted_forms (created_at);

-- A session never outlives what it is based on, whichever act ends that.
create trigger sessions_of_disabled_customer after update of enabled on customers
when new.enabled = 0
begin
  delete from sessions where customer_id = new.id;
  delete from sign_in_links where customer_id = new.id;
end;

create trigger sessions_of_changed_email after update of email on customers
when new.email <> old.email
begin
  delete from sessions where customer_id = new.id and method <> 'key';
  delete from sign_in_links where customer_id = new.id;
end;

create trigger sessions_of_disabled_key after update of disabled_at, customer_id on api_keys
when new.disabled_at is not null or new.customer_id <> old.customer_id
begin
  delete from sessions where key_hash = new.hash;
end;
