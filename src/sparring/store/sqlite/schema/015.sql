-- Every judgement is kept: a judge that is asked again gives another attempt, and people who label give one each.
CREATE TABLE judgements (
    recording INTEGER NOT NULL REFERENCES recordings (key) ON DELETE CASCADE,
    judge TEXT NOT NULL,
    rubric TEXT NOT NULL, -- the hash of what the judge was asked, with its prompt, or empty
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (recording, judge, rubric, attempt)
) WITHOUT ROWID;

INSERT INTO judgements SELECT recording, judge, rubric, 1, outcome, document FROM verdicts;

DROP TABLE verdicts;

ALTER TABLE judgements RENAME TO verdicts;

-- How good a judge is by the labels of people; a calibration holds for batches of its population.
CREATE TABLE calibrations (
    judge TEXT NOT NULL,
    rubric TEXT NOT NULL,
    population TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (judge, rubric, population)
) WITHOUT ROWID;
