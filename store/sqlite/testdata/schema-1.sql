-- A ledger of schema 1 as a program left it when it was killed, with what each_schema_test.cc records.
-- Made anew until the first release, then never changed: files like it exist.
PRAGMA application_id = 1113681012;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE autoscalers (
  id             INTEGER PRIMARY KEY,
  uid            TEXT NOT NULL UNIQUE,
  kind           TEXT NOT NULL,
  namespace      TEXT NOT NULL,
  name           TEXT NOT NULL,
  period         INTEGER NOT NULL DEFAULT 0,  -- how often it is evaluated
  evaluated      INTEGER,  -- the evaluation that left this memory; NULL: no memory
  live           INTEGER NOT NULL DEFAULT 0,  -- 1: evaluated every period since, until the heartbeat
  held           INTEGER,  -- if live: the count recommended by every evaluation since
  -- When a metric last gave a value; NULL: at the last evaluation, or there is no fallback.
  no_value_since INTEGER,
  suspect_since  INTEGER,  -- since when a source of its metrics is suspect; NULL: none is
  target         TEXT NOT NULL DEFAULT '',  -- the uid of the target that the memory is of; empty: not known
  -- 1: the memory lacks what happened before, and no evaluation has accounted for that yet.
  incomplete     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO autoscalers VALUES(1,'uid-web','AutoScalePolicy','shop','web',15000000000,1800000025000000000,1,5,1800000050000000000,1800000060000000000,'d1',1);
INSERT INTO autoscalers VALUES(2,'uid-flap','AutoScalePolicy','lab','flap',15000000000,1800000039000000000,0,NULL,NULL,NULL,'',0);
INSERT INTO autoscalers VALUES(3,'uid-old','HorizontalPodAutoscaler','shop','old',15000000000,1800000060100000000,0,NULL,NULL,NULL,'',0);
INSERT INTO autoscalers VALUES(4,'uid-api','AutoScalePolicy','shop','api',0,NULL,0,NULL,NULL,NULL,'',0);
CREATE TABLE recommendations (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  replicas   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  PRIMARY KEY (autoscaler, replicas)
) STRICT, WITHOUT ROWID;
INSERT INTO recommendations VALUES(1,5,1800000025000000000);
INSERT INTO recommendations VALUES(1,7,1800000000000000000);
INSERT INTO recommendations VALUES(2,5,1800000039000000000);
CREATE TABLE scale_events (
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  slot       INTEGER NOT NULL,  -- the order in which the engine keeps them
  time       INTEGER NOT NULL,
  change     INTEGER NOT NULL,  -- replicas added; negative: removed
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
  id          INTEGER NOT NULL,  -- grows with time
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,
  until       INTEGER,  -- the last evaluation of the run; NULL: the run is open
  evaluations INTEGER,  -- in the run; NULL: it is open, or a crash ended it
  current     INTEGER NOT NULL,
  desired     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  message     TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  error       TEXT NOT NULL DEFAULT '',
  settled     INTEGER,  -- when the outcome of a write was recorded
  generation  INTEGER,  -- of the autoscaler's spec; of an HPA a hash of it (stable_hash.h)
  -- How many evaluations of a run had another reason than the first; `series` has every reason.
  others      INTEGER NOT NULL DEFAULT 0,
  made_by     TEXT NOT NULL,  -- the record: evaluated, refused, observed or attempted
  engine      INTEGER NOT NULL,  -- the version of the engine of the process that recorded it
  -- The outcome and error that the conclusion is about, if others were found out later; NULL: the same.
  concluded       TEXT,
  concluded_error TEXT,
  PRIMARY KEY (autoscaler, time, id)
) STRICT, WITHOUT ROWID;
INSERT INTO decisions VALUES(1,1,1800000010000000000,1800000010000000000,1,2,5,'ScaleUpLimit','because of ScaleUpLimit','written','',1800000011000000000,4,0,'attempted',1,NULL,NULL);
INSERT INTO decisions VALUES(2,1,1800000025000000000,NULL,NULL,5,5,'DesiredWithinRange','because of DesiredWithinRange','none','',NULL,4,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(3,2,1800000026000000000,1800000026000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(4,2,1800000027000000000,1800000027000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(5,2,1800000028000000000,1800000028000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(6,2,1800000029000000000,1800000029000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(7,2,1800000030000000000,1800000030000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(8,2,1800000031000000000,1800000031000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(9,2,1800000032000000000,1800000032000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(10,2,1800000033000000000,1800000033000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(11,2,1800000034000000000,1800000034000000000,1,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(12,2,1800000035000000000,1800000035000000000,1,5,5,'Odd','because of Odd','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(13,2,1800000036000000000,NULL,NULL,5,5,'Even','because of Even','none','',NULL,NULL,0,'evaluated',1,NULL,NULL);
INSERT INTO decisions VALUES(14,3,1800000060000000000,1800000060000000000,1,3,4,'ObservedChange','because of ObservedChange','observed','',NULL,4,0,'observed',1,NULL,NULL);
INSERT INTO decisions VALUES(15,4,1800000090000000000,1800000090000000000,1,3,6,'ReadyForNewScale','because of ReadyForNewScale','intended','',NULL,4,0,'attempted',1,NULL,NULL);
CREATE TABLE snapshots (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  json     BLOB NOT NULL
) STRICT;
INSERT INTO snapshots VALUES(1,X'0128b52ffd6004013d03000402303030312d546d6178566965774167653132223030306572724573223a5b5d7d1700d3a1129849b76c46743800b5f91a8ef3712061e2c1d908080f3e243c932a8426e10652c20c76093d40918d63285c4203096f146a081a2824000394b1ab6b5ad0170601');
INSERT INTO snapshots VALUES(2,X'0128b52ffd6004013d03000402303030312d546d6178566965774167653132223030306572724573223a5b5d7d1700d3a1129849b76c46743800b5f91a8ef3712061e2c1d908080f3e243c932a8426e10652c20c76093d40918d63285c4203096f146a081a2824000394b1ab6b5ad0170601');
INSERT INTO snapshots VALUES(13,X'0128b52ffd6005015d03004402303030312d546d6178566965774167653132666c6170223030306572724573223a5b5d7d1700d4a1129849c76c46743840b5f99a8ef37120e1e2c1d90a080f46243c932ac426e18652c20c78093d88221bca50a8840612de28d4103450480006286357d7b4a02f0c02');
INSERT INTO snapshots VALUES(15,X'0128b52ffd6004015503003402303030312d546d6178566965774167653132617069223030306572724573223a5b5d7d1700d3a1129849b76c46743800b5f91a8ef3712061e2c1d908080f3e243c932a8426e10652c20c76093d80221bc450a8800612de28d4103450480006286357d7b4a02f0c02');
CREATE TABLE conclusions (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  json     BLOB NOT NULL
) STRICT;
INSERT INTO conclusions VALUES(1,X'0128b52ffd2093c5000010307d0600c9713878ac063af77030c08706d01c75252708');
INSERT INTO conclusions VALUES(2,X'0128b52ffd2093c5000010307d0600c9713878ac063af77030c08706d01c75252708');
CREATE TABLE reasons (
  decision   INTEGER NOT NULL REFERENCES decisions (id),
  time       INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  snapshot   BLOB NOT NULL,
  conclusion BLOB NOT NULL
) STRICT;
INSERT INTO reasons VALUES(13,1800000037000000000,'Odd','because of Odd',X'0128b52ffd6005015d03004402303030312d546d6178566965774167653132666c6170223030306572724573223a5b5d7d1700d4a1129849c76c46743840b5f99a8ef37120e1e2c1d90a080f46243c932ac426e18652c20c78093d88221bca50a8840612de28d4103450480006286357d7b4a02f0c02',X'');
CREATE TABLE ranges (
  decision INTEGER NOT NULL REFERENCES decisions (id),
  position INTEGER NOT NULL,
  metric   TEXT NOT NULL,     -- "Resource/cpu"
  target   TEXT NOT NULL,     -- the type of target: Utilization, AverageValue, Value
  low      INTEGER NOT NULL,  -- in thousandths (of a percent for Utilization)
  high     INTEGER NOT NULL,
  PRIMARY KEY (decision, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE timelines (
  decision INTEGER PRIMARY KEY REFERENCES decisions (id),
  sampled  INTEGER,           -- the newest sample that it was made from; NULL: unknown
  seen     INTEGER NOT NULL,  -- all answers had arrived
  decided  INTEGER NOT NULL,
  written  INTEGER,           -- the API server confirmed it
  ready    INTEGER            -- as many pods were ready as it asked for
) STRICT;
INSERT INTO timelines VALUES(1,1800000005000000000,1800000010100000000,1800000010200000000,1800000011000000000,1800000014000000000);
INSERT INTO timelines VALUES(15,1800000085000000000,1800000090100000000,1800000090200000000,NULL,NULL);
CREATE TABLE series (
  id          INTEGER PRIMARY KEY,
  autoscaler  INTEGER NOT NULL REFERENCES autoscalers,
  time        INTEGER NOT NULL,  -- of the first evaluation
  until       INTEGER NOT NULL,  -- of the last one
  evaluations INTEGER NOT NULL,
  data        BLOB NOT NULL
) STRICT;
CREATE TABLE journal (
  id   INTEGER PRIMARY KEY,  -- the number of its last entry
  time INTEGER,              -- of its earliest evaluation; NULL: it has none
  data BLOB NOT NULL
) STRICT;
INSERT INTO journal VALUES(1,1800000010000000000,X'01a0dce385e368030c5363616c6555704c696d69740c5265736f757263652f6370750b5574696c697a6174696f6e16ce19b0477d83fe0a00040a0001010261914e');
INSERT INTO journal VALUES(22,1800000025000000000,X'01d0c6e585e36807124465736972656457697468696e52616e67650c5265736f757263652f6370750b5574696c697a6174696f6e044576656e034f64640e4f627365727665644368616e6765105265616479466f724e65775363616c6516ce19b0477d83fe0a000a0a0001010261914e43b4659c41ff4e5d06d00f0a0a030043b4659c41ff4e5d06a01f0a0a040043b4659c41ff4e5d06f02e0a0a030043b4659c41ff4e5d06c03e0a0a040043b4659c41ff4e5d06904e0a0a030043b4659c41ff4e5d06e05d0a0a040043b4659c41ff4e5d06b06d0a0a030043b4659c41ff4e5d06807d0a0a040043b4659c41ff4e5d07d08c010a0a030043b4659c41ff4e5d07a09c010a0a040043b4659c41ff4e5d07f0ab010a0a030043b4659c41ff4e5d07c0bb010a0a040043b4659c41ff4e5d0790cb010a0a030043b4659c41ff4e5d07e0da010a0a040016ce19b0477d83fe0cb0ea010a0a0001010261914e16ce19b0477d83fe0ce0d4030a0a0001010261914e85b67f89471dfab90cb8a40406080501010261d94f16ce19b0477d83fe0c90bf050a0a0001010261914e16ce19b0477d83fe0cc0a9070a0a0001010261914eb04b514347fef33e0cd0f707060c0601010261914e');
INSERT INTO journal VALUES(23,1800000100000000000,X'01c0daee85e36803124465736972656457697468696e52616e67650c5265736f757263652f6370750b5574696c697a6174696f6e16ce19b0477d83fe0a000a0a0001010261914e');
CREATE TABLE foreign_changes (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  before     INTEGER NOT NULL,  -- replicas
  after      INTEGER NOT NULL,
  manager    TEXT NOT NULL,     -- according to the scale's managedFields; empty: unknown
  managed    INTEGER            -- when it happened, according to them; NULL: unknown
) STRICT;
INSERT INTO foreign_changes VALUES(1,4,1800000080000000000,2,3,'kubectl',1800000079000000000);
CREATE TABLE edits (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  time       INTEGER NOT NULL,  -- when it was noticed
  field      TEXT NOT NULL,     -- 'spec.maxReplicas'
  before     TEXT NOT NULL,     -- JSON, but strings without quotes; empty: the field was absent
  after      TEXT NOT NULL,     -- both empty: not known
  manager    TEXT NOT NULL,     -- according to managedFields; empty: unknown
  managed    INTEGER            -- when it happened, according to them; NULL: unknown
) STRICT;
INSERT INTO edits VALUES(1,1,1800000024000000000,'spec.maxReplicas','10','20','kubectl',1800000023000000000);
CREATE TABLE specs (
  autoscaler INTEGER PRIMARY KEY REFERENCES autoscalers,
  json       BLOB NOT NULL  -- compressed
) STRICT;
INSERT INTO specs VALUES(1,X'0128b52ffd20124d0000107b7d0100fa42a010');
CREATE TABLE delays (
  id         INTEGER PRIMARY KEY,
  autoscaler INTEGER NOT NULL REFERENCES autoscalers,
  since      INTEGER NOT NULL,  -- the previous evaluation
  time       INTEGER NOT NULL,
  took       INTEGER NOT NULL,  -- until all answers of the previous one had arrived
  slowest    TEXT NOT NULL      -- the previous one's metric whose answer took longest; empty: none
) STRICT;
CREATE TABLE terms (
  id     INTEGER PRIMARY KEY,
  leader TEXT NOT NULL,
  own    INTEGER NOT NULL,  -- 1: this leader wrote this file
  since  INTEGER NOT NULL,
  until  INTEGER            -- NULL: the term is open; if own is 1, until the heartbeat
) STRICT;
INSERT INTO terms VALUES(1,'ballast-0',1,1800000000000000000,NULL);
CREATE TABLE processes (
  id         INTEGER PRIMARY KEY,
  started    INTEGER NOT NULL,
  found      INTEGER,           -- the heartbeat that it found when it started; NULL: none
  engine     INTEGER NOT NULL,  -- the version of its engine
  namespaces TEXT NOT NULL      -- that it served, separated by commas; empty: all
) STRICT;
INSERT INTO processes VALUES(1,1799999995000000000,NULL,1,'shop');
CREATE TABLE namespaces (
  name  TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL DEFAULT 0,  -- what its history takes, about
  -- Of what ended before, something was deleted: the rest is complete from then on. NULL: nothing.
  since INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO namespaces VALUES('lab',3306,NULL);
INSERT INTO namespaces VALUES('shop',1815,NULL);
CREATE INDEX autoscalers_by_name ON autoscalers (namespace, name);
CREATE UNIQUE INDEX decisions_by_id ON decisions (id);
CREATE INDEX decisions_unsettled ON decisions (id) WHERE outcome IN ('intended', 'unknown');
CREATE INDEX decisions_open ON decisions (id) WHERE until IS NULL;
CREATE INDEX decisions_written ON decisions (autoscaler, id) WHERE outcome = 'written';
CREATE UNIQUE INDEX reasons_by_decision ON reasons (decision, reason);
CREATE UNIQUE INDEX series_by_autoscaler ON series (autoscaler, time);
CREATE INDEX foreign_changes_by_autoscaler ON foreign_changes (autoscaler, time);
CREATE INDEX edits_by_autoscaler ON edits (autoscaler, time);
CREATE INDEX delays_by_autoscaler ON delays (autoscaler, time);
CREATE INDEX processes_by_found ON processes (found);
CREATE INDEX namespaces_by_bytes ON namespaces (bytes);
CREATE INDEX namespaces_by_since ON namespaces (since);
CREATE INDEX decisions_quiet ON decisions (autoscaler, time)
 WHERE outcome = 'none' AND until IS NOT NULL;
CREATE TRIGGER autoscalers_added AFTER INSERT ON autoscalers
 BEGIN INSERT OR IGNORE INTO namespaces (name) VALUES (NEW.namespace); END;
CREATE TRIGGER decisions_added AFTER INSERT ON decisions BEGIN UPDATE namespaces SET bytes = bytes + 256 + length(CAST(NEW.message AS BLOB)) + length(CAST(NEW.error AS BLOB)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER decisions_deleted AFTER DELETE ON decisions BEGIN UPDATE namespaces SET bytes = bytes - (256 + length(CAST(OLD.message AS BLOB)) + length(CAST(OLD.error AS BLOB))) WHERE name = (SELECT namespace FROM autoscalers WHERE id = OLD.autoscaler); END;
CREATE TRIGGER decisions_changed AFTER UPDATE OF error ON decisions WHEN 256 + length(CAST(NEW.message AS BLOB)) + length(CAST(NEW.error AS BLOB)) <> 256 + length(CAST(OLD.message AS BLOB)) + length(CAST(OLD.error AS BLOB)) BEGIN UPDATE namespaces SET bytes = bytes + 256 + length(CAST(NEW.message AS BLOB)) + length(CAST(NEW.error AS BLOB)) - (256 + length(CAST(OLD.message AS BLOB)) + length(CAST(OLD.error AS BLOB))) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER snapshots_added AFTER INSERT ON snapshots BEGIN UPDATE namespaces SET bytes = bytes + 16 + length(NEW.json) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = NEW.decision); END;
CREATE TRIGGER snapshots_deleted AFTER DELETE ON snapshots BEGIN UPDATE namespaces SET bytes = bytes - (16 + length(OLD.json)) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = OLD.decision); END;
CREATE TRIGGER conclusions_added AFTER INSERT ON conclusions BEGIN UPDATE namespaces SET bytes = bytes + 16 + length(NEW.json) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = NEW.decision); END;
CREATE TRIGGER conclusions_deleted AFTER DELETE ON conclusions BEGIN UPDATE namespaces SET bytes = bytes - (16 + length(OLD.json)) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = OLD.decision); END;
CREATE TRIGGER conclusions_changed AFTER UPDATE OF json ON conclusions WHEN 16 + length(NEW.json) <> 16 + length(OLD.json) BEGIN UPDATE namespaces SET bytes = bytes + 16 + length(NEW.json) - (16 + length(OLD.json)) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = NEW.decision); END;
CREATE TRIGGER reasons_added AFTER INSERT ON reasons BEGIN UPDATE namespaces SET bytes = bytes + 64 + length(NEW.snapshot) + length(NEW.conclusion) + length(CAST(NEW.message AS BLOB)) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = NEW.decision); END;
CREATE TRIGGER reasons_deleted AFTER DELETE ON reasons BEGIN UPDATE namespaces SET bytes = bytes - (64 + length(OLD.snapshot) + length(OLD.conclusion) + length(CAST(OLD.message AS BLOB))) WHERE name = (SELECT a.namespace FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler WHERE d.id = OLD.decision); END;
CREATE TRIGGER series_added AFTER INSERT ON series BEGIN UPDATE namespaces SET bytes = bytes + 64 + length(NEW.data) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER series_deleted AFTER DELETE ON series BEGIN UPDATE namespaces SET bytes = bytes - (64 + length(OLD.data)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = OLD.autoscaler); END;
CREATE TRIGGER series_changed AFTER UPDATE OF data ON series WHEN 64 + length(NEW.data) <> 64 + length(OLD.data) BEGIN UPDATE namespaces SET bytes = bytes + 64 + length(NEW.data) - (64 + length(OLD.data)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER foreign_changes_added AFTER INSERT ON foreign_changes BEGIN UPDATE namespaces SET bytes = bytes + 80 + length(CAST(NEW.manager AS BLOB)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER foreign_changes_deleted AFTER DELETE ON foreign_changes BEGIN UPDATE namespaces SET bytes = bytes - (80 + length(CAST(OLD.manager AS BLOB))) WHERE name = (SELECT namespace FROM autoscalers WHERE id = OLD.autoscaler); END;
CREATE TRIGGER edits_added AFTER INSERT ON edits BEGIN UPDATE namespaces SET bytes = bytes + 80 + length(CAST(NEW.field AS BLOB)) + length(CAST(NEW.before AS BLOB)) + length(CAST(NEW.after AS BLOB)) + length(CAST(NEW.manager AS BLOB)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER edits_deleted AFTER DELETE ON edits BEGIN UPDATE namespaces SET bytes = bytes - (80 + length(CAST(OLD.field AS BLOB)) + length(CAST(OLD.before AS BLOB)) + length(CAST(OLD.after AS BLOB)) + length(CAST(OLD.manager AS BLOB))) WHERE name = (SELECT namespace FROM autoscalers WHERE id = OLD.autoscaler); END;
CREATE TRIGGER delays_added AFTER INSERT ON delays BEGIN UPDATE namespaces SET bytes = bytes + 80 + length(CAST(NEW.slowest AS BLOB)) WHERE name = (SELECT namespace FROM autoscalers WHERE id = NEW.autoscaler); END;
CREATE TRIGGER delays_deleted AFTER DELETE ON delays BEGIN UPDATE namespaces SET bytes = bytes - (80 + length(CAST(OLD.slowest AS BLOB))) WHERE name = (SELECT namespace FROM autoscalers WHERE id = OLD.autoscaler); END;
CREATE VIEW decisions_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       d.evaluations, d.current, d.desired, d.made_by, d.outcome, d.reason, d.message, d.error,
       d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler;
CREATE VIEW timelines_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       d.current, d.desired, d.outcome, d.message, d.error,
       (d.time - t.sampled) / 1000000 AS sample_age_ms, (t.seen - d.time) / 1000000 AS answers_ms,
       (t.decided - t.seen) / 1000000 AS decided_ms, (t.written - t.decided) / 1000000 AS written_ms,
       (t.ready - d.time) / 1000000 AS ready_ms, d.id AS decision
  FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler LEFT JOIN timelines t ON t.decision = d.id
 WHERE d.desired <> d.current;
CREATE VIEW ranges_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(d.time / 1000000000, 'unixepoch') AS time,
       datetime(d.until / 1000000000, 'unixepoch') AS until,
       r.metric, r.target, r.low / 1000.0 AS low, r.high / 1000.0 AS high, d.id AS decision
  FROM ranges r JOIN decisions d ON d.id = r.decision JOIN autoscalers a ON a.id = d.autoscaler;
CREATE VIEW foreign_changes_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(f.time / 1000000000, 'unixepoch') AS noticed, f.before, f.after, f.manager,
       datetime(f.managed / 1000000000, 'unixepoch') AS time
  FROM foreign_changes f JOIN autoscalers a ON a.id = f.autoscaler;
CREATE VIEW edits_utc AS
SELECT a.kind, a.namespace || '/' || a.name AS autoscaler,
       datetime(e.time / 1000000000, 'unixepoch') AS noticed, e.field, e.before, e.after, e.manager,
       datetime(e.managed / 1000000000, 'unixepoch') AS time
  FROM edits e JOIN autoscalers a ON a.id = e.autoscaler;
CREATE VIEW terms_utc AS
SELECT leader, own, datetime(since / 1000000000, 'unixepoch') AS since,
       datetime(until / 1000000000, 'unixepoch') AS until
  FROM terms;
CREATE VIEW namespaces_utc AS
SELECT name, bytes, datetime(since / 1000000000, 'unixepoch') AS since
  FROM namespaces;
COMMIT;
