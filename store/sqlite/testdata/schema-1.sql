-- A ledger as the first version of Ballast left it when it was killed: schema 1, and a few rows.
-- Times are seconds after 1800000000 (2027-01-15T08:00:00Z). Never changed: files like it exist.
PRAGMA application_id = 1114403700;
PRAGMA user_version = 1;
-- One row per uid; its memory too: what later evaluations need of the earlier ones.
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
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);

-- For each replica count the latest time that it was recommended: all that stabilization can see.
CREATE TABLE recommendations (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  replicas   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, replicas)
) STRICT, WITHOUT ROWID;

CREATE TABLE scale_events (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  slot       INTEGER NOT NULL,  -- the order in which the engine keeps them
  time       INTEGER NOT NULL,
  change     INTEGER NOT NULL,  -- negative: scaled down
  PRIMARY KEY (autoscaler, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE used_samples (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  metric     TEXT NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, metric)
) STRICT, WITHOUT ROWID;

-- The newest evaluation of the whole fleet.
CREATE TABLE heartbeat (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  evaluated INTEGER NOT NULL
) STRICT;
INSERT INTO heartbeat VALUES (1, 0);

-- A decision, or a run of evaluations that all came to the same.
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
) STRICT;
CREATE INDEX decisions_by_autoscaler ON decisions (autoscaler, time);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;

-- What a decision was made from, and what it was: JSON, compressed with zstd.
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;

-- shop/web was scaled from 2 to 5, and has stayed there since; shop/api was about to be scaled.
INSERT INTO autoscalers VALUES
  (1, 'uid-web', 'AutoScalePolicy', 'shop', 'web', 15000000000, 1800000060000000000, 1, 5),
  (2, 'uid-api', 'AutoScalePolicy', 'shop', 'api', 15000000000, NULL, 0, NULL);
INSERT INTO recommendations VALUES
  (1, 5, 1800000060000000000),
  (1, 7, 1800000000000000000);
INSERT INTO scale_events VALUES (1, 0, 1800000010000000000, 3);
INSERT INTO used_samples VALUES (1, 'Resource/cpu', 1800000005000000000);
UPDATE heartbeat SET evaluated = 1800000100000000000;
INSERT INTO decisions VALUES
  (1, 1, 1800000010000000000, 1800000010000000000, 1, 2, 5, 'ScaleUpLimit', 'cpu above target',
   'written', '', 1800000011000000000),
  (2, 1, 1800000025000000000, NULL, NULL, 5, 5, 'DesiredWithinRange', 'as many as needed',
   'none', '', NULL),
  (3, 2, 1800000090000000000, 1800000090000000000, 1, 3, 6, 'ReadyForNewScale', 'cpu above target',
   'intended', '', NULL);
-- {"name":"web"}, {"name":"api"} and {}, compressed.
INSERT INTO snapshots VALUES
  (1, x'28b52ffd200e7100007b226e616d65223a22776562227d'),
  (3, x'28b52ffd200e7100007b226e616d65223a22617069227d');
INSERT INTO conclusions VALUES (1, x'28b52ffd20021100007b7d');
