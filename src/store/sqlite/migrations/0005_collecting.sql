-- What becomes of fetched items: identity, languages, floods, removals.

-- The rule that tells publications of a source apart, and those that did so before, the latest first.
alter table sources add column identity text not null default '{"rule":"guid","former":[]}'
  check (json_valid(identity));
update sources set identity = json_object('rule', identity_rule, 'former', json('[]'));
alter table sources drop column identity_rule;
-- The time zone in which dates without one were read at the last fetch.
alter table sources add column timezone text;
-- How many new publications a fetch of this source brings at most, as far as is remembered.
alter table sources add column usual_new integer not null default 0 check (usual_new >= 0);

-- The content without its dates; null until the publication is seen again.
alter table publications add column text_hash text;
-- The content with a date that was seen once and does not count before it is seen again.
alter table publications add column sighted_hash text;
-- How often nothing but the date has moved.
alter table publications add column date_moves integer not null default 0 check (date_moves >= 0);
-- The place of this identity among those of the publication, in the order in which they were learnt.
alter table publications add column ordinal integer not null default 0 check (ordinal >= 0);
-- In how many complete fetches in a row it was missing, and whether the newest version says that it is gone.
alter table publications add column missed integer not null default 0 check (missed >= 0);
alter table publications add column withdrawn integer not null default 0 check (withdrawn in (0, 1));

create index publications_by_text on publications (source_id, text_hash) where text_hash is not null;

-- The words of each language of a publication whose source offers several, as a hash.
create table publication_languages (
  source_id text not null,
  external_id text not null,
  language text not null,
  text_hash text not null,
  primary key (source_id, external_id, language)
) strict, without rowid;

-- Languages that came after their event was stored. Like events they are never changed.
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

-- A record together with the languages that came later, as it is served: made from the two tables, and made anew from
-- them at any time.
create table event_renderings (
  event_seq integer primary key references events (seq),
  json text not null
) strict;

-- New events that nobody is told of yet: until the fetch is judged, or, of a flood, until the operator releases them.
create table held_events (
  event_seq integer primary key references events (seq),
  source_id text not null,
  reason text not null check (reason in ('fetch', 'flood'))
) strict;

create index held_events_by_source on held_events (source_id, reason);
