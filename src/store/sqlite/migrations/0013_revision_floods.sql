-- Floods of revisions are held back as those of new publications are.

-- How many revisions a fetch of this source brings at most, as far as is remembered.
alter table sources add column usual_revised integer not null default 0 check (usual_revised >= 0);
