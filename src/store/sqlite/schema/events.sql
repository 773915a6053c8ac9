-- Events, their translations, and the indexes that lists are read from. Event records and translations are append-only.

-- json is the record as the API serves it, and provenance states where it came from. Queries use the other columns.
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

create trigger events_are_append_only before update on events
begin
  select raise(abort, 'event records are append-only');
end;

create trigger events_are_kept before delete on events
begin
  select raise(abort, 'event records are append-only');
end;

-- REPLACE deletes the existing row without firing DELETE triggers, unless the connection sets recursive_triggers. The
-- triggers named "…_are_not_replaced" therefore refuse it.
create trigger events_are_not_replaced before insert on events
when exists (
  select 1 from events where seq = new.seq
  union all select 1 from events where id = new.id
  union all select 1 from events
    where source_id = new.source_id and external_id = new.external_id and version = new.version)
begin
  select raise(abort, 'event records are append-only');
end;

-- The order of lists. A position is published_at (ms) times 2^20, plus a number that orders the events of the same
-- millisecond by id.
create table event_order (
  position integer primary key,
  event_seq integer not null unique references events (seq)
) strict;

-- The words and tags of events, indexed once in order of publication and once in order of storage. Tags represent the
-- other filters (source, severity, topics, …); see event_index.ts.
create virtual table events_by_date using fts5 (
  words, tags, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
); -- rowid: event_order.position
create virtual table events_by_seq using fts5 (
  words, tags, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
); -- rowid: events.seq

-- The indexed words and tags, for searches by the beginning of a word.
create virtual table event_words using fts5vocab (events_by_date, instance);

-- Events waiting to be matched against subscriptions.
create table event_outbox (
  event_seq integer primary key references events (seq)
) strict;

-- Translations that were added after their event was stored.
create table event_translations (
  seq integer primary key autoincrement,
  event_seq integer not null references events (seq),
  language text not null,
  title text not null,
  summary text not null,
  url text not null,
  provenance text not null check (json_valid(provenance)),
  added_at integer not null,
  unique (event_seq, language)
) strict;

create trigger event_translations_are_append_only before update on event_translations
begin
  select raise(abort, 'translations of event records are append-only');
end;

create trigger event_translations_are_kept before delete on event_translations
begin
  select raise(abort, 'translations of event records are append-only');
end;

create trigger event_translations_are_not_replaced before insert on event_translations
when exists (
  select 1 from event_translations where seq = new.seq
  union all select 1 from event_translations where event_seq = new.event_seq and language = new.language)
begin
  select raise(abort, 'translations of event records are append-only');
end;

-- Served records that include translations added later, derived from events and event_translations.
create table event_renderings (
  event_seq integer primary key references events (seq),
  json text not null
) strict;

-- New events that must not be delivered until their fetch has been judged or, in a change spike, until the operator
-- releases them.
create table quarantined_events (
  event_seq integer primary key references events (seq),
  source_id text not null,
  reason text not null check (reason in ('fetch', 'spike'))
) strict;

create index quarantined_events_by_source on quarantined_events (source_id, reason);
