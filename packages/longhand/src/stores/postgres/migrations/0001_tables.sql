-- Longhand's tables. Plain SQL: `applySchema` and Supabase's CLI both take this file as it is.
--
-- The tables that hold a `line` are the logs, byte for byte. Every other text column beside them is derived from the line
-- in the same transaction, for people who use SQL. Every key begins with or holds the owner, so that a distributed engine
-- can place rows by it.

CREATE SCHEMA IF NOT EXISTS longhand;
-- Which of these files were applied, by whatever tool.
CREATE TABLE IF NOT EXISTS longhand.schema_versions (version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());

-- Roles belong to the whole server: another database's migration may make the role at the same moment.
DO $$
BEGIN
  -- An owner that may not create roles can do without, where an administrator has made this one.
  IF to_regrole('longhand_app') IS NULL THEN
    CREATE ROLE longhand_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;
-- The login that applies the schema may then serve as the role, for one transaction at a time.
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'longhand_app', 'MEMBER') THEN
    EXECUTE format('GRANT longhand_app TO %I', current_user);
  END IF;
  ALTER ROLE longhand_app SET plan_cache_mode = force_custom_plan;
EXCEPTION WHEN insufficient_privilege THEN
  -- Needed is membership alone.
  IF NOT pg_has_role(current_user, 'longhand_app', 'MEMBER') THEN RAISE; END IF;
END
$$;

CREATE TABLE public.accounts (
  account_id text NOT NULL PRIMARY KEY,
  change bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- `change` rises with every write of the user: whoever writes holds this row first. `generation` changes when something of
-- the user was removed. The user '' owns the sessions that name no user.
CREATE TABLE public.users (
  user_id text NOT NULL,
  account_id text NOT NULL,
  change bigint NOT NULL DEFAULT 0,
  generation text NOT NULL,
  PRIMARY KEY (user_id, account_id)
) WITH (fillfactor = 70);
CREATE INDEX users_by_account ON public.users (account_id, user_id);

CREATE TABLE public.agents (
  account_id text NOT NULL,
  agent_id text NOT NULL,
  change bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, agent_id)
) WITH (fillfactor = 70);

CREATE TABLE public.account_members (
  account_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL CHECK (role IN ('member', 'admin')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, user_id)
);

CREATE TABLE public.api_keys (
  account_id text NOT NULL,
  key_id text NOT NULL,
  user_id text,
  role text NOT NULL,
  digest bytea NOT NULL,
  label text,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (account_id, key_id)
);

-- Whose a session is, for those who know its id alone.
CREATE TABLE public.session_directory (
  account_id text NOT NULL,
  session_id text NOT NULL,
  user_id text NOT NULL,
  PRIMARY KEY (account_id, session_id)
);

CREATE TABLE public.agent_sessions (
  user_id text NOT NULL,
  account_id text NOT NULL,
  session_id text NOT NULL,
  incarnation text NOT NULL,
  agent_name text,
  summary text,
  summarized_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_activity_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, account_id, session_id)
) WITH (fillfactor = 70);

-- One row a log: where it ends, and what it weighs. `change` is the user's at the last write that readers of the user
-- should hear of. `last_append` names the append that came last: a writer whose answer was lost finds its own there.
CREATE TABLE public.log_heads (
  user_id text NOT NULL,
  account_id text NOT NULL,
  kind text NOT NULL,
  log_id text NOT NULL,
  incarnation text NOT NULL,
  generation text NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  line_count bigint NOT NULL DEFAULT 0,
  log_bytes bigint NOT NULL DEFAULT 0,
  index_bytes bigint NOT NULL DEFAULT 0,
  tombstone_bytes bigint NOT NULL DEFAULT 0,
  change bigint NOT NULL DEFAULT 0,
  last_append text NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, account_id, kind, log_id)
) WITH (fillfactor = 70);
CREATE INDEX log_heads_by_change ON public.log_heads (user_id, account_id, change) WHERE change > 0;
CREATE INDEX log_heads_by_kind ON public.log_heads (account_id, kind, log_id);

CREATE TABLE public.memory_entries (
  user_id text NOT NULL,
  account_id text NOT NULL,
  session_id text NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (user_id, account_id, session_id, seq)
) PARTITION BY HASH (user_id);
CREATE INDEX memory_entries_by_change ON public.memory_entries (user_id, account_id, change);
DO $$
BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE public.memory_entries_%s PARTITION OF public.memory_entries FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      part, part
    );
  END LOOP;
END
$$;

-- The batches of a transcript, and everything of a transcript that is no batch.
CREATE TABLE public.recent_conversation_history (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  session_id text NOT NULL,
  user_id text NOT NULL,
  account_id text NOT NULL,
  message_batch jsonb NOT NULL,
  archived_at timestamptz NOT NULL,
  start_timestamp timestamptz NOT NULL,
  end_timestamp timestamptz NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (user_id, account_id, session_id, seq)
);
CREATE TABLE public.transcript_log (
  user_id text NOT NULL,
  account_id text NOT NULL,
  session_id text NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (user_id, account_id, session_id, seq)
);

-- Not partitioned: a publication names the partition, and realtime services would miss the policy.
CREATE TABLE public.agent_long_term_memory (
  id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id text NOT NULL,
  account_id text NOT NULL,
  agent_name text NOT NULL,
  notes text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, user_id, agent_name)
);
CREATE TABLE public.note_versions (
  user_id text NOT NULL,
  account_id text NOT NULL,
  agent_name text NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (user_id, account_id, agent_name, seq)
);

CREATE TABLE public.agent_log (
  agent_id text NOT NULL,
  account_id text NOT NULL,
  user_id text,
  is_shared boolean NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (account_id, agent_id, seq)
);

CREATE TABLE public.detail_log (
  user_id text NOT NULL,
  account_id text NOT NULL,
  session_id text NOT NULL,
  memory_key text,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (user_id, account_id, session_id, seq)
);
CREATE INDEX detail_log_by_key ON public.detail_log (user_id, account_id, memory_key) WHERE memory_key IS NOT NULL;

-- Large values in chunks. The first chunk carries the name once the value is whole; until then it is a writer's draft.
CREATE TABLE public.detail_values (
  user_id text NOT NULL,
  account_id text NOT NULL,
  session_id text NOT NULL,
  value_id uuid NOT NULL,
  chunk integer NOT NULL,
  name text,
  size_bytes bigint,
  written_at timestamptz NOT NULL DEFAULT now(),
  bytes bytea NOT NULL,
  PRIMARY KEY (user_id, account_id, value_id, chunk)
);
ALTER TABLE public.detail_values ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX detail_values_by_name ON public.detail_values (user_id, account_id, session_id, name)
  WHERE name IS NOT NULL;
CREATE INDEX detail_values_of_session ON public.detail_values (user_id, account_id, session_id);

CREATE TABLE public.erasure_ledger (
  account_id text NOT NULL,
  ledger_id text NOT NULL,
  seq bigint NOT NULL,
  change bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (account_id, ledger_id, seq)
);

-- Documents beside a log; at the root, kind and log_id are ''. Notes have a table of their own.
CREATE TABLE public.documents (
  user_id text NOT NULL,
  account_id text NOT NULL,
  kind text NOT NULL,
  log_id text NOT NULL,
  name text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (user_id, account_id, kind, log_id, name)
);

CREATE TABLE public.quarantined_lines (
  user_id text NOT NULL,
  account_id text NOT NULL,
  kind text NOT NULL,
  log_id text NOT NULL,
  name text NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (user_id, account_id, kind, log_id, name)
);

CREATE TABLE public.recall_manifests (
  user_id text NOT NULL,
  account_id text NOT NULL,
  family text NOT NULL,
  manifest text NOT NULL,
  PRIMARY KEY (user_id, account_id, family)
);
CREATE TABLE public.recall_segments (
  user_id text NOT NULL,
  account_id text NOT NULL,
  family text NOT NULL,
  name text NOT NULL,
  segment_id text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (user_id, account_id, family, name)
);
ALTER TABLE public.recall_segments ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Work that one process does at a time.
CREATE TABLE public.leases (
  account_id text NOT NULL,
  user_id text NOT NULL DEFAULT '',
  name text NOT NULL,
  holder text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, user_id, name)
);

INSERT INTO longhand.schema_versions (version) VALUES ('0001_tables');
