-- Subscriptions, the health of their endpoints, and the progress of those that are catching up.

create table subscriptions (
  id text primary key,
  customer_id text not null references customers (id),
  name text,
  note text,
  webhook_url text not null,
  -- Sealed, like the previous secret, which also signs until previous_secret_until.
  secret blob not null,
  previous_secret blob,
  previous_secret_until integer,
  -- The owner's headers for deliveries: sealed, and their names as a list. Null if there are none.
  headers blob,
  header_names text not null default '[]' check (json_valid(header_names)),
  -- An EventFilter (src/domain/event/event_filter.ts).
  filter text not null check (json_valid(filter)),
  language text not null,
  -- URL and filters as one canonical string, which is unique among a customer's active subscriptions.
  identity text not null,
  created_at integer not null,
  -- The last event stored before the subscription. Events up to it are delivered only by a backfill or a replay.
  after_seq integer not null,
  -- The lowest sequence number that its next delivery may have, because earlier ones may have been removed.
  next_sequence integer not null default 1,
  -- When it was disabled, and the cause: its owner, a 410 response, days without success, a lost key, or its customer's
  -- tier, which limits the number of subscriptions.
  disabled_at integer,
  disabled_by text check (disabled_by in ('owner', 'gone', 'failing', 'key-lost', 'tier')),
  deleted_at integer,
  -- Whether some of its deliveries may still have to be cancelled or held, because it was deleted or disabled. None are
  -- claimed until that is done.
  closing integer not null default 0 check (closing in (0, 1)),
  -- The endpoint's health: the first failure since the last success, and the number of consecutive failures.
  first_failure_at integer,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  last_success_at integer,
  -- When its owner was warned that the subscription will be disabled.
  warned_at integer,
  -- Which of the last attempts were slow: one bit each, the lowest for the newest; null until one is recorded.
  slow_attempts integer,
  -- 'steady': as much as the limits allow; 'probing': one attempt at a time, until one succeeds; 'recovering': at a
  -- limited rate, until nothing is due.
  pace text not null default 'steady' check (pace in ('steady', 'probing', 'recovering')),
  -- No attempt begins before this time.
  resume_at integer not null default 0,
  -- The backfill covers events published since backfill_since, also those that a change spike holds until later. While
  -- it is in progress, those stored up to backfill_seq are handled.
  backfill_since integer,
  backfill_seq integer,
  -- The last position of match_log that was matched against the subscription; null unless it is catching up.
  resume_after integer check (resume_after >= 0),
  -- When catching up was paused, to wait for quota or for the subscription to be enabled; null if it is not paused.
  paused_at integer,
  -- Since when it has been catching up because its customer's limit on held deliveries was reached.
  held_full_since integer,
  check ((disabled_at is null) = (disabled_by is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check (backfill_seq is null or backfill_since is not null)
) strict, without rowid;

create unique index subscriptions_active on subscriptions (customer_id, identity)
  where deleted_at is null and disabled_at is null;
-- A subscription disabled by the tier limit is enabled again automatically. Until then, no other may take its identity.
create unique index subscriptions_wanted on subscriptions (customer_id, identity)
  where deleted_at is null and (disabled_at is null or disabled_by = 'tier');
create index subscriptions_over_tier on subscriptions (customer_id, created_at, id)
  where deleted_at is null and disabled_by = 'tier';
create index subscriptions_by_customer on subscriptions (customer_id, created_at, id);
create index subscriptions_failing on subscriptions (first_failure_at)
  where first_failure_at is not null and disabled_at is null and deleted_at is null;
create index subscriptions_behind on subscriptions (resume_after)
  where resume_after is not null and deleted_at is null;
create index subscriptions_catching_up on subscriptions (customer_id, id)
  where resume_after is not null and paused_at is null and deleted_at is null;
create index subscriptions_paused on subscriptions (customer_id, id)
  where paused_at is not null and deleted_at is null;
create index subscriptions_closing on subscriptions (id) where closing = 1;

-- Counts changes that affect matching, so that a process knows when to reread the subscriptions.
create table matching_state (
  id integer primary key check (id = 1),
  version integer not null
) strict;

insert into matching_state (id, version) values (1, 0);

create trigger customer_switched after update of enabled on customers
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_added after insert on subscriptions
begin
  update matching_state set version = version + 1;
end;

-- Every column that matching reads.
create trigger subscription_changed after update of id, customer_id, webhook_url, filter, language, identity, created_at, after_seq, disabled_at, disabled_by, deleted_at on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_fell_behind after update of resume_after on subscriptions
when (old.resume_after is null) <> (new.resume_after is null)
begin
  update matching_state set version = version + 1;
end;

-- Events in the order in which they were matched, kept until every subscription that is catching up has passed them.
create table match_log (
  position integer primary key autoincrement,
  event_seq integer not null references events (seq)
) strict;

create index match_log_by_event on match_log (event_seq);
