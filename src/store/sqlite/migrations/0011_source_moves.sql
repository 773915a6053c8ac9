-- Where a source's addresses have moved to: a source may have one for each language.

alter table sources add column moves text not null default '[]' check (json_valid(moves));
update sources set moves = json_array(json_object(
  'from', moved_from, 'url', moved_to, 'sinceMs', moved_since, 'adoptedAtMs', moved_adopted_at))
where moved_to is not null;
alter table sources drop column moved_from;
alter table sources drop column moved_to;
alter table sources drop column moved_since;
alter table sources drop column moved_adopted_at;
