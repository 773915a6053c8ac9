-- Publications: what is known of the items of sources.

-- The newest version of each publication, under every identity by which it is known.
create table publications (
  source_id text not null,
  key text not null,
  external_id text not null,
  content_hash text not null,
  version integer not null check (version >= 1),
  latest_seq integer not null references events (seq),
  -- The content without its dates; null until the publication is seen again.
  text_hash text,
  -- The content with a date that was seen once: it does not count before it is seen again.
  pending_hash text,
  -- How often only the date has changed.
  date_moves integer not null default 0 check (date_moves >= 0),
  -- The order in which the identities of the publication were learnt.
  ordinal integer not null default 0 check (ordinal >= 0),
  -- In how many complete fetches in a row it was missing, and whether the newest version says that it was withdrawn.
  missed integer not null default 0 check (missed >= 0),
  withdrawn integer not null default 0 check (withdrawn in (0, 1)),
  primary key (source_id, key)
) strict, without rowid;

create index publications_by_external_id on publications (source_id, external_id);
create index publications_by_content on publications (source_id, content_hash);
create index publications_by_text on publications (source_id, text_hash) where text_hash is not null;

-- A hash of the texts in each language of a publication whose source offers several.
create table publication_languages (
  source_id text not null,
  external_id text not null,
  language text not null,
  text_hash text not null,
  primary key (source_id, external_id, language)
) strict, without rowid;
