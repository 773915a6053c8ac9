-- Every list of events is one query of an index: the words and tags of events, once in the order of publication and
-- once in the order of storing.

-- The order of lists: published_at (ms) times 2^20, plus a number for each event of that millisecond, in the order
-- of ids.
create table event_order (
  position integer primary key,
  event_seq integer not null unique references events (seq)
) strict;

-- Tags are what else events are filtered by (source, severity, topics …), see event_index.ts.
create virtual table events_by_date using fts5 (
  words, tags, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
); -- rowid: event_order.position
create virtual table events_by_seq using fts5 (
  words, tags, content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
); -- rowid: events.seq

drop table event_words;
drop table event_tags;
drop table tags;
drop index events_newest;
