-- How often the players of a shard failed. Attempts of its job also count workers that stopped or were lost.
ALTER TABLE shards ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
