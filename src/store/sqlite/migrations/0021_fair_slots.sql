-- Delivery slots are shared by customer, and replays wait for what was not sent yet.

-- Whether it is sent once more, or because its subscription asked for the past.
alter table deliveries add column is_replay integer not null default 0 check (is_replay in (0, 1));

drop index deliveries_due;
create index deliveries_due on deliveries (is_replay, customer_id, subscription_id, next_attempt_at, seq)
  where status = 'pending';

-- Which of the last attempts at the address were slow: a bit each, the newest the lowest. Null before the first one.
alter table subscriptions add column slow_attempts integer;
