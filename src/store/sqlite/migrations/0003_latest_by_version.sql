-- The newest versions are found along the versions of each publication, also as they were some time ago: nothing asks
-- which events are the newest now.
drop index publications_latest;
