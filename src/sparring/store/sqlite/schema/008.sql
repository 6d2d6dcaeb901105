-- Which run has consumed it: one that goes on notes what is under way here, in place of what it noted before, and one
-- that was killed has left it. Null where it was noted once and for all.
ALTER TABLE dropped ADD COLUMN run TEXT;

CREATE UNIQUE INDEX dropped_by_run ON dropped (run);
