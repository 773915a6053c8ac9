-- What customers catch up with: the log of deliveries, and the past that a new subscription asks for.

-- Deliveries that have not arrived, by state: few beside all that ever were.
create index deliveries_undelivered on deliveries (customer_id, status, seq) where status <> 'delivered';

-- Events that were matched with a subscription while it still gets those of the past: they follow these.
create table backfill_waiting (
  subscription_id text not null references subscriptions (id),
  event_seq integer not null references events (seq),
  primary key (subscription_id, event_seq)
) strict, without rowid;

-- The progress of a backfill is nothing that matching reads; whether there is one is.
drop trigger subscription_changed;

create trigger subscription_changed after update of id, customer_id, webhook_url, topics, source_filter, severity_min,
  language, identity, created_at, after_seq, disabled_at, disabled_by, deleted_at on subscriptions
begin
  update matching_state set version = version + 1;
end;

create trigger subscription_backfilled after update of backfill_seq on subscriptions
when (old.backfill_seq is null) <> (new.backfill_seq is null)
begin
  update matching_state set version = version + 1;
end;
