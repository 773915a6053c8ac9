-- REPLACE deletes the row in its way without firing the triggers on DELETE, unless a connection sets recursive_triggers.
-- These triggers refuse it before that, whichever tool writes.

create trigger events_are_not_replaced before insert on events
when exists (
  select 1 from events where seq = new.seq
  union all select 1 from events where id = new.id
  union all select 1 from events
    where source_id = new.source_id and external_id = new.external_id and version = new.version)
begin
  select raise(abort, 'event records are append-only');
end;

create trigger event_translations_are_not_replaced before insert on event_translations
when exists (
  select 1 from event_translations where seq = new.seq
  union all select 1 from event_translations where event_seq = new.event_seq and language = new.language)
begin
  select raise(abort, 'translations of event records are append-only');
end;

create trigger audit_is_not_replaced before insert on audit
when exists (select 1 from audit where seq = new.seq)
begin
  select raise(abort, 'the audit is append-only');
end;
