-- A ledger of schema 5, written by no program: the rows of the ledger of schema 6 in the tables of
-- version 0827a83, as far as it has them. Never changed: files like it exist.
PRAGMA application_id = 1114403700;
PRAGMA user_version = 5;
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
INSERT INTO autoscalers VALUES(2,'uid-flap','AutoScalePolicy','lab','flap',15000000000,1800000039000000000,0,NULL);
INSERT INTO autoscalers VALUES(3,'uid-api','AutoScalePolicy','shop','api',0,NULL,0,NULL);
CREATE TABLE recommendations (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  replicas   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, replicas)
) STRICT, WITHOUT ROWID;
INSERT INTO recommendations VALUES(1,5,1800000010000000000);
INSERT INTO recommendations VALUES(1,7,1800000000000000000);
INSERT INTO recommendations VALUES(2,5,1800000039000000000);
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
INSERT INTO decisions VALUES(3,2,1800000026000000000,1800000026000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(4,2,1800000027000000000,1800000027000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(5,2,1800000028000000000,1800000028000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(6,2,1800000029000000000,1800000029000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(7,2,1800000030000000000,1800000030000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(8,2,1800000031000000000,1800000031000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(9,2,1800000032000000000,1800000032000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(10,2,1800000033000000000,1800000033000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(11,2,1800000034000000000,1800000034000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(12,2,1800000035000000000,1800000035000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0);
INSERT INTO decisions VALUES(13,2,1800000036000000000,1800000039000000000,4,5,5,'Even','because of Even','none','',NULL,NULL,2);
INSERT INTO decisions VALUES(14,3,1800000090000000000,1800000090000000000,1,3,6,'ReadyForNewScale','because of ReadyForNewScale','intended','',NULL,4,0);
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
INSERT INTO snapshots VALUES(1,X'0128b52ffd200e7100007b226e616d65223a22776562227d');
INSERT INTO snapshots VALUES(2,X'0128b52ffd200e7100007b226e616d65223a22776562227d');
INSERT INTO snapshots VALUES(3,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(4,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(5,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(6,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(7,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(8,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(9,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(10,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(11,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(12,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(13,X'0128b52ffd200f7900007b226e616d65223a22666c6170227d');
INSERT INTO snapshots VALUES(14,X'0128b52ffd200e5500001869227d0100db0c0104');
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions,
  json     BLOB NOT NULL
) STRICT;
INSERT INTO conclusions VALUES(1,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(2,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(3,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(4,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(5,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(6,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(7,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(8,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(9,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(10,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(11,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(12,X'0128b52ffd20021100007b7d');
INSERT INTO conclusions VALUES(13,X'0128b52ffd20021100007b7d');
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
INSERT INTO tracks VALUES(1,2,1800000026000000000,1800000039000000000,14,X'0128b52ffd2053750100e80102044576656e034f6464000e18a0d6e585e368cfc6000e0002010e0a0600321b80053d0bce19c2d995a03401');
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
CREATE TABLE turns (
  decision   INTEGER NOT NULL REFERENCES decisions,
  time       INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  snapshot   BLOB NOT NULL,
  conclusion BLOB NOT NULL
) STRICT;
INSERT INTO turns VALUES(13,1800000037000000000,'Odd','because of Odd',X'0128b52ffd200f7900007b226e616d65223a22666c6170227d',X'0128b52ffd20021100007b7d');
CREATE TABLE journal (
  id   INTEGER PRIMARY KEY,  -- the number of its last entry
  time INTEGER,              -- of its first evaluation; NULL: it has none
  data BLOB NOT NULL
) STRICT;
INSERT INTO journal VALUES(1,1800000010000000000,X'01a0dce385e368030c5363616c6555704c696d69740c5265736f757263652f6370750b5574696c697a6174696f6e16ce19b0477d83fe0a00040a0001010261914e');
INSERT INTO journal VALUES(22,1800000025000000000,X'01d0c6e585e36806124465736972656457697468696e52616e67650c5265736f757263652f6370750b5574696c697a6174696f6e044576656e034f6464105265616479466f724e65775363616c6516ce19b0477d83fe0a000a0a0001010261914e43b4659c41ff4e5d06d00f0a0a030043b4659c41ff4e5d06a01f0a0a040043b4659c41ff4e5d06f02e0a0a030043b4659c41ff4e5d06c03e0a0a040043b4659c41ff4e5d06904e0a0a030043b4659c41ff4e5d06e05d0a0a040043b4659c41ff4e5d06b06d0a0a030043b4659c41ff4e5d06807d0a0a040043b4659c41ff4e5d07d08c010a0a030043b4659c41ff4e5d07a09c010a0a040043b4659c41ff4e5d07f0ab010a0a030043b4659c41ff4e5d07c0bb010a0a040043b4659c41ff4e5d0790cb010a0a030043b4659c41ff4e5d07e0da010a0a040016ce19b0477d83fe0cb0ea010a0a0001010261914e16ce19b0477d83fe0ce0d4030a0a0001010261914e16ce19b0477d83fe0c90bf050a0a0001010261914e16ce19b0477d83fe0cc0a9070a0a0001010261914eb04b514347fef33e0cd0f707060c0501010261914e43b4659c41ff4e5d00');
INSERT INTO journal VALUES(23,1800000100000000000,X'01c0daee85e36803124465736972656457697468696e52616e67650c5265736f757263652f6370750b5574696c697a6174696f6e16ce19b0477d83fe0a000a0a0001010261914e');
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);
CREATE INDEX decisions_by_autoscaler ON decisions (autoscaler, time);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE fate IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE fate = 'written';
CREATE UNIQUE INDEX tracks_by_autoscaler ON tracks (autoscaler, time);
CREATE INDEX foreign_changes_by_autoscaler ON foreign_changes (autoscaler, time);
CREATE INDEX decisions_quiet ON decisions (id) WHERE fate = 'none' AND until IS NOT NULL;
CREATE UNIQUE INDEX turns_by_decision ON turns (decision, reason);
CREATE VIEW history AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       d.evaluations, d.current AS replicas, d.desired AS wanted, d.fate AS outcome, d.reason,
       d.message, d.error, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler;
CREATE VIEW scalings AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       d.current AS before, d.desired AS after, d.fate AS outcome, d.message, d.error,
       (d.time - t.sampled) / 1000000 AS sample_age_ms, (t.seen - d.time) / 1000000 AS answers_ms,
       (t.decided - t.seen) / 1000000 AS decided_ms, (t.written - t.decided) / 1000000 AS written_ms,
       (t.ready - d.time) / 1000000 AS ready_ms, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler LEFT JOIN timelines t ON t.decision = d.id
 WHERE d.desired <> d.current;
CREATE VIEW metric_ranges AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       e.metric, e.target, e.low / 1000.0 AS low, e.high / 1000.0 AS high, d.id AS decision
  FROM extremes e JOIN decisions d ON d.id = e.decision JOIN autoscalers a ON a.id = d.autoscaler;
CREATE VIEW changes_by_others AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(f.time / 1000000000, 'unixepoch') AS noticed, f.before, f.after, f.manager,
       datetime(f.managed / 1000000000, 'unixepoch') AS time
  FROM foreign_changes f JOIN autoscalers a ON a.id = f.autoscaler;
CREATE VIEW leaders AS
SELECT leader, own, datetime(since / 1000000000, 'unixepoch') AS since,
       datetime(until / 1000000000, 'unixepoch') AS until
  FROM terms;
COMMIT;
