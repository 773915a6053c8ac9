-- Attempts are counted through a mail's whole life, so that one that is queued again has none twice; by the tries since
-- then the next is put off.
alter table mails add column tries integer not null default 0 check (tries between 0 and attempts);

update mails set tries = attempts;
