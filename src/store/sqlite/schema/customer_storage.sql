-- Storage per customer, kept up to date by triggers: the number of held deliveries, and the approximate size in bytes
-- of subscriptions, deliveries, bodies and attempts. Each row counts as the size of its text, plus an estimate for its
-- other columns and index entries: 400 bytes for a subscription or a delivery, 100 for an attempt. The text of a
-- subscription's filters counts four times, because it is in the identity, in other columns, and in two indexes. Endings
-- that several bodies share are not counted.

create table customer_storage (
  customer_id text primary key references customers (id),
  held integer not null default 0,
  bytes integer not null default 0
) strict, without rowid;

create trigger storage_of_customer after insert on customers
begin
  insert into customer_storage (customer_id) values (new.id);
end;

create trigger storage_of_new_subscription after insert on subscriptions
begin
  update customer_storage
  set bytes = bytes + 400 + 4 * octet_length(new.identity)
    + coalesce(octet_length(new.name), 0) + coalesce(octet_length(new.note), 0)
    + coalesce(octet_length(new.headers), 0)
  where customer_id = new.customer_id;
end;

create trigger storage_of_changed_subscription after update of identity, name, note, headers on subscriptions
begin
  update customer_storage
  set bytes = bytes + 4 * (octet_length(new.identity) - octet_length(old.identity))
    + coalesce(octet_length(new.name), 0) - coalesce(octet_length(old.name), 0)
    + coalesce(octet_length(new.note), 0) - coalesce(octet_length(old.note), 0)
    + coalesce(octet_length(new.headers), 0) - coalesce(octet_length(old.headers), 0)
  where customer_id = new.customer_id;
end;

create trigger storage_of_removed_subscription after delete on subscriptions
begin
  update customer_storage
  set bytes = bytes - 400 - 4 * octet_length(old.identity)
    - coalesce(octet_length(old.name), 0) - coalesce(octet_length(old.note), 0)
    - coalesce(octet_length(old.headers), 0)
  where customer_id = old.customer_id;
end;

create trigger storage_of_new_delivery after insert on deliveries
begin
  update customer_storage set bytes = bytes + 400, held = held + (new.status = 'held')
  where customer_id = new.customer_id;
end;

create trigger storage_of_changed_delivery after update of status on deliveries
when (old.status = 'held') <> (new.status = 'held')
begin
  update customer_storage set held = held + (new.status = 'held') - (old.status = 'held')
  where customer_id = new.customer_id;
end;

create trigger storage_of_removed_delivery after delete on deliveries
begin
  update customer_storage set bytes = bytes - 400, held = held - (old.status = 'held')
  where customer_id = old.customer_id;
end;

create trigger storage_of_new_body after insert on delivery_bodies
begin
  update customer_storage set bytes = bytes + octet_length(new.body)
  where customer_id = (select customer_id from deliveries where seq = new.delivery_seq);
end;

create trigger storage_of_removed_body after delete on delivery_bodies
begin
  update customer_storage set bytes = bytes - octet_length(old.body)
  where customer_id = (select customer_id from deliveries where seq = old.delivery_seq);
end;

create trigger storage_of_new_attempt after insert on attempts
begin
  update customer_storage set bytes = bytes + 100 + coalesce(octet_length(new.response), 0)
  where customer_id = (select customer_id from deliveries where id = new.delivery_id);
end;

create trigger storage_of_changed_attempt after update of response on attempts
begin
  update customer_storage
  set bytes = bytes + coalesce(octet_length(new.response), 0) - coalesce(octet_length(old.response), 0)
  where customer_id = (select customer_id from deliveries where id = new.delivery_id);
end;

create trigger storage_of_removed_attempt after delete on attempts
begin
  update customer_storage set bytes = bytes - 100 - coalesce(octet_length(old.response), 0)
  where customer_id = (select customer_id from deliveries where id = old.delivery_id);
end;
