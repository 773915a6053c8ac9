-- What of a source its last fetch could not have, and until when nothing but AI regulation was taken of it.

alter table sources add column gaps text not null default '[]' check (json_valid(gaps));
-- Null once everything that was passed over then has been looked at anew.
alter table sources add column narrow_until integer;
-- A cursor names the settings that it was written under.
update sources set narrow_until = last_success_at where cursor like '% ai %';
