-- Every judgement is kept: a judge that is asked again gives another attempt, and people who label give one each.
ALTER TABLE verdicts ADD COLUMN attempt BIGINT NOT NULL DEFAULT 1;
ALTER TABLE verdicts DROP CONSTRAINT verdicts_pkey;
ALTER TABLE verdicts ADD PRIMARY KEY (recording, judge, rubric, attempt);

-- How good a judge is by the labels of people; a calibration holds for batches of its population.
CREATE TABLE calibrations (
    judge TEXT NOT NULL,
    rubric TEXT NOT NULL,
    population TEXT NOT NULL,
    document BYTEA NOT NULL,
    PRIMARY KEY (judge, rubric, population)
);
