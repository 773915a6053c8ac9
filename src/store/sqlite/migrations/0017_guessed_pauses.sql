-- Since when a host is left alone that refused without saying for how long: its pause is a guess, and ends when it answers.
-- Null where the host said it, and without a pause.

alter table hosts add column guessed_at integer;
