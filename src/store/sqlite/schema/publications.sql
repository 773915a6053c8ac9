-- Known publications, with which the items of sources are compared.

-- The newest version of each publication, with one row for each of its identities (key).
create table publications (
  source_id text not null,
  key text not null,
  external_id text not null,
  content_hash text not null,
  version integer not null check (version >= 1),
  latest_seq integer not null references events (seq),
  -- Hash of the content without its dates; null until it is known.
  text_hash text,
  -- Hash of content whose date has changed, seen only once so far. The change counts once it is seen again.
  pending_hash text,
  -- How many times only the date has changed.
  date_moves integer not null default 0 check (date_moves >= 0),
  -- The identity's position in the order in which the publication's identities were added.
  ordinal integer not null default 0 check (ordinal >= 0),
  -- In how many consecutive complete fetches it was missing, and whether its newest version is a withdrawal.
  missed integer not null default 0 check (missed >= 0),
  withdrawn integer not null default 0 check (withdrawn in (0, 1)),
  primary key (source_id, key)
) strict, without rowid;

create index publications_by_external_id on publications (source_id, external_id);
create index publications_by_content on publications (source_id, content_hash);
create index publications_by_text on publications (source_id, text_hash) where text_hash is not null;

-- The official URLs that the versions of a publication have or had, in every language.
create table publication_urls (
  url text not null,
  source_id text not null,
  external_id text not null,
  primary key (url, source_id, external_id)
) strict, without rowid;

-- Hashes of a publication's text in each language, if its source offers several.
create table publication_languages (
  source_id text not null,
  external_id text not null,
  language text not null,
  text_hash text not null,
  primary key (source_id, external_id, language)
) strict, without rowid;
