-- A ledger of schema 3, written by no program: the rows of the ledger of schema 6 in the tables of
-- version 72350c7, as far as it has them. Never changed: files like it exist.
PRAGMA application_id = 1114403700;
PRAGMA user_version = 3;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE autoscalers (
  id        INTEGER PRIMARY KEY,
  uid       TEXT NOT NULL UNIQUE,
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  period    INTEGER NOT NULL DEFAULT 0,  -- how often it is evaluated
  evaluated INTEGER,                     -- the evaluation that this memory is from; NULL: no memory
  live      INTEGER NOT NULL DEFAULT 0,  -- 1: evaluated every period since; the heartbeat says until when
  held      INTEGER                      -- live: the recommendation that each evaluation since has repeated
) STRICT;
INSERT INTO autoscalers VALUES(1,'uid-web','AutoScalePolicy','shop','web',15000000000,1800000010000000000,1,5);
INSERT INTO autoscalers VALUES(3,'uid-api','AutoScalePolicy','shop','api',0,NULL,0,NULL);
CREATE TABLE recommendations (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  replicas   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, replicas)
) STRICT, WITHOUT ROWID;
INSERT INTO recommendations VALUES(1,5,1800000010000000000);
INSERT INTO recommendations VALUES(1,7,1800000000000000000);
CREATE TABLE scale_events (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  slot       INTEGER NOT NULL,  -- the order in which the engine keeps them
  time       INTEGER NOT NULL,
  change     INTEGER NOT NULL,  -- negative: scaled down
  PRIMARY KEY (autoscaler, slot)
) STRICT, WITHOUT ROWID;
INSERT INTO scale_events VALUES(1,0,1800000010000000000,3);
CREATE TABLE used_samples (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  metric     TEXT NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, metric)
) STRICT, WITHOUT ROWID;
INSERT INTO used_samples VALUES(1,'Resource/cpu',1800000005000000000);
CREATE TABLE heartbeat (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  evaluated INTEGER NOT NULL
) STRICT;
INSERT INTO heartbeat VALUES(1,1800000100000000000);
CREATE TABLE decisions (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,
  until       INTEGER,  -- the run's last evaluation; NULL: it goes on
  evaluations INTEGER,  -- in the run; NULL: it goes on, or a crash ended it
  current     INTEGER NOT NULL,
  desired     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  message     TEXT NOT NULL,
  fate        TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER  -- when the fate of an attempt was recorded
, generation INTEGER, others INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO decisions VALUES(1,1,1800000010000000000,1800000010000000000,1,2,5,'ScaleUpLimit','because of ScaleUpLimit','written','',1800000011000000000,4,0);
INSERT INTO decisions VALUES(2,1,1800000025000000000,NULL,NULL,5,5,'DesiredWithinRange','because of DesiredWithinRange','none','',NULL,4,0);
INSERT INTO decisions VALUES(14,3,1800000090000000000,1800000090000000000,1,3,6,'ReadyForNewScale','because of ReadyForNewScale','intended','',NULL,4,0);
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
INSERT INTO snapshots VALUES(1,X'28b52ffd200e7100007b226e616d65223a22776562227d');
INSERT INTO snapshots VALUES(2,X'28b52ffd200e7100007b226e616d65223a22776562227d');
INSERT INTO snapshots VALUES(14,X'28b52ffd200e7100007b226e616d65223a22617069227d');
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
INSERT INTO conclusions VALUES(1,X'28b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(2,X'28b52ffd20021100007b7d');
CREATE TABLE extremes (
  decision INTEGER NOT NULL REFERENCES decisions,
  position INTEGER NOT NULL,
  metric   TEXT NOT NULL,     -- "Resource/cpu"
  target   TEXT NOT NULL,     -- what it is compared with: Utilization, AverageValue, Value
  low      INTEGER NOT NULL,  -- in thousandths (of a percent for Utilization)
  high     INTEGER NOT NULL,
  PRIMARY KEY (decision, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE tracks (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,  -- of the first
  until       INTEGER NOT NULL,  -- of the last
  evaluations INTEGER NOT NULL,
  data        BLOB NOT NULL
) STRICT;
CREATE TABLE timelines (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  sampled  INTEGER,           -- the newest sample it was made from; NULL: no metric told
  seen     INTEGER NOT NULL,  -- all answers were there
  decided  INTEGER NOT NULL,
  written  INTEGER,           -- the API server confirmed it
  ready    INTEGER            -- as many pods were ready as had been asked for
) STRICT;
INSERT INTO timelines VALUES(1,1800000005000000000,1800000010100000000,1800000010200000000,1800000011000000000,1800000014000000000);
INSERT INTO timelines VALUES(14,1800000085000000000,1800000090100000000,1800000090200000000,NULL,NULL);
CREATE TABLE foreign_changes (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  before     INTEGER NOT NULL,  -- replicas
  after      INTEGER NOT NULL,
  manager    TEXT NOT NULL,     -- by the scale's managedFields; empty: they do not tell
  managed    INTEGER            -- when, by the same
) STRICT;
INSERT INTO foreign_changes VALUES(1,3,1800000080000000000,2,3,'kubectl',1800000079000000000);
CREATE TABLE terms (
  id     INTEGER PRIMARY KEY,
  leader TEXT NOT NULL,
  own    INTEGER NOT NULL,  -- 1: it wrote this file
  since  INTEGER NOT NULL,
  until  INTEGER            -- NULL: it goes on; the heartbeat says until when, if it is its own
) STRICT;
INSERT INTO terms VALUES(1,'ballast-0',1,1800000000000000000,NULL);
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);
CREATE INDEX decisions_by_autoscaler ON decisions (autoscaler, time);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE fate = 'written';
CREATE UNIQUE INDEX tracks_by_autoscaler ON tracks (autoscaler, time);
CREATE INDEX foreign_changes_by_autoscaler ON foreign_changes (autoscaler, time);
CREATE INDEX decisions_quiet ON decisions (id) WHERE fate = 'none' AND until IS NOT NULL;
COMMIT;
