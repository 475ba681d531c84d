-- Secrets out of reach of searches, sharing that ends, and roles that may see more than they should.

-- What an account signs sessions and archive tickets with. It is no content: no search of bytes, no copy and no export reads
-- it, and no service that shows the tables of `public` knows it.
CREATE TABLE longhand.account_secrets (account_id text NOT NULL PRIMARY KEY, secret bytea NOT NULL);
DO $$
DECLARE
  rule constant text := 'account_id = (SELECT longhand.account()) AND (SELECT longhand.is_service())';
BEGIN
  ALTER TABLE longhand.account_secrets ENABLE ROW LEVEL SECURITY;
  ALTER TABLE longhand.account_secrets FORCE ROW LEVEL SECURITY;
  REVOKE ALL ON longhand.account_secrets FROM PUBLIC;
  GRANT SELECT, INSERT, DELETE ON longhand.account_secrets TO longhand_app;
  EXECUTE format('CREATE POLICY reading ON longhand.account_secrets FOR SELECT USING (%s)', rule);
  EXECUTE format('CREATE POLICY adding ON longhand.account_secrets FOR INSERT WITH CHECK (%s)', rule);
  EXECUTE format('CREATE POLICY removing ON longhand.account_secrets FOR DELETE USING (%s)', rule);
END
$$;

-- @param proposed is kept when there is none yet; with NULL none is made
CREATE FUNCTION longhand.session_secret(claims text, proposed bytea) RETURNS bytea LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  IF proposed IS NOT NULL THEN
    INSERT INTO longhand.account_secrets (account_id, secret) VALUES (account, proposed) ON CONFLICT DO NOTHING;
  END IF;
  RETURN (SELECT s.secret FROM longhand.account_secrets s WHERE s.account_id = account);
END
$$;

CREATE FUNCTION longhand.remove_session_secret(claims text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  DELETE FROM longhand.account_secrets s WHERE s.account_id = account;
END
$$;

-- The secret was a document that searches could spell out: sessions that were signed with it have ended.
ALTER TABLE public.documents NO FORCE ROW LEVEL SECURITY;
DELETE FROM public.documents WHERE user_id = '' AND kind = '' AND log_id = '' AND name = 'session-secret';
ALTER TABLE public.documents FORCE ROW LEVEL SECURITY;

-- As it was, without the digests of keys.
CREATE OR REPLACE VIEW longhand.stored_bytes WITH (security_invoker = true) AS
  SELECT 'accounts/' || account_id AS place, 0::bigint AS at, ''::bytea AS bytes FROM public.accounts
  UNION ALL SELECT 'users/' || user_id, 0, ''::bytea FROM public.users WHERE user_id <> ''
  UNION ALL SELECT 'agents/' || agent_id, 0, ''::bytea FROM public.agents
  UNION ALL SELECT 'account_members/' || user_id, 0, ''::bytea FROM public.account_members
  UNION ALL SELECT 'api_keys/' || key_id || coalesce('/' || user_id, '') || coalesce('/' || label, ''), 0, ''::bytea FROM public.api_keys
  UNION ALL SELECT 'session_directory/' || session_id || '/' || user_id, 0, ''::bytea FROM public.session_directory
  UNION ALL SELECT 'agent_sessions/' || session_id || '/' || user_id, 0,
    convert_to(coalesce(agent_name, '') || ' ' || coalesce(summary, ''), 'UTF8') FROM public.agent_sessions
  UNION ALL SELECT 'log_heads/' || kind || '/' || log_id || '/' || user_id, 0, ''::bytea FROM public.log_heads
  UNION ALL SELECT 'memory_entries/' || user_id || '/' || session_id || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.memory_entries
  UNION ALL SELECT 'recent_conversation_history/' || user_id || '/' || session_id || '/' || seq || '.jsonl', 0,
    convert_to(line || message_batch, 'UTF8') FROM public.recent_conversation_history
  UNION ALL SELECT 'transcript_log/' || user_id || '/' || session_id || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.transcript_log
  UNION ALL SELECT 'agent_long_term_memory/' || user_id || '/' || agent_name, 0, convert_to(notes, 'UTF8') FROM public.agent_long_term_memory
  UNION ALL SELECT 'note_versions/' || user_id || '/' || agent_name || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.note_versions
  UNION ALL SELECT 'agent_log/' || agent_id || '/' || coalesce(user_id, '') || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.agent_log
  UNION ALL SELECT 'detail_log/' || user_id || '/' || session_id || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.detail_log
  UNION ALL (SELECT 'detail_values/' || user_id || '/' || session_id || '/' || coalesce(name, '') || value_id,
    sum(octet_length(bytes)) OVER (PARTITION BY user_id, value_id ORDER BY chunk) - octet_length(bytes), bytes
    FROM public.detail_values ORDER BY user_id, value_id, chunk)
  UNION ALL SELECT 'erasure_ledger/' || ledger_id || '/' || seq || '.jsonl', 0, convert_to(line, 'UTF8') FROM public.erasure_ledger
  UNION ALL SELECT 'documents/' || user_id || '/' || kind || '/' || log_id || '/' || name, 0, convert_to(body, 'UTF8') FROM public.documents
  UNION ALL SELECT 'quarantined_lines/' || user_id || '/' || kind || '/' || log_id || '/' || name, 0, line FROM public.quarantined_lines
  UNION ALL SELECT 'recall_manifests/' || user_id || '/' || family, 0, convert_to(manifest, 'UTF8') FROM public.recall_manifests
  UNION ALL SELECT 'recall_segments/' || user_id || '/' || family || '/' || name, 0, bytes FROM public.recall_segments
  UNION ALL SELECT 'leases/' || user_id || '/' || name, 0, ''::bytea FROM public.leases;


-- Whether every user of the account may read a line of an agent's log, whosever it is.
CREATE FUNCTION longhand.is_shared_record(fields jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(
  fields ->> 'record' IN ('agent', 'delete', 'compaction')
    OR fields ->> 'record' = 'agent_memory' AND fields -> 'share_memory' = 'true',
  false
);

CREATE INDEX agent_log_by_id ON public.agent_log (account_id, agent_id, (longhand.json_of(line) ->> 'id'));

-- Sharing has ended: members must not read the lines from when it had not.
CREATE FUNCTION longhand.unshare(account text, agent text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  UPDATE public.agent_log t SET is_shared = false
  WHERE t.account_id = account AND t.agent_id = agent AND longhand.json_of(t.line) ->> 'id' = ANY (ids) AND t.is_shared
    AND longhand.json_of(t.line) ->> 'record' = 'agent_memory' AND EXISTS (
      SELECT FROM public.agent_log n WHERE n.account_id = account AND n.agent_id = agent AND n.seq > t.seq AND NOT n.is_shared
        AND longhand.json_of(n.line) ->> 'id' = longhand.json_of(t.line) ->> 'id'
        AND longhand.json_of(n.line) ->> 'record' = 'agent_memory'
    );
END
$$;

CREATE OR REPLACE FUNCTION longhand.put_lines(
  account text, log_kind text, owner text, id text, at_change bigint, seqs bigint[], lines text[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  IF log_kind = 'session' THEN
    INSERT INTO public.memory_entries (user_id, account_id, session_id, seq, change, line)
    SELECT owner, account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line);
  ELSIF log_kind = 'transcript' THEN
    INSERT INTO public.recent_conversation_history
      (session_id, user_id, account_id, message_batch, archived_at, start_timestamp, end_timestamp, seq, change, line)
    SELECT id, owner, account,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'id', m ->> 'id', 'text', m ->> 'content', 'timestamp', m ->> 'timestamp',
          'sender', CASE m ->> 'role' WHEN 'assistant' THEN 'ai' ELSE m ->> 'role' END
        ) ORDER BY o), '[]')
        FROM jsonb_array_elements(CASE jsonb_typeof(j.fields -> 'messages') WHEN 'array' THEN j.fields -> 'messages' ELSE '[]' END)
          WITH ORDINALITY AS all_of (m, o)
        WHERE jsonb_typeof(m) = 'object'),
      longhand.time_of(j.fields ->> 'timestamp', now()), longhand.time_of(j.fields ->> 'start_timestamp', now()),
      longhand.time_of(j.fields ->> 'end_timestamp', now()), n.seq, at_change, n.line
    FROM unnest(seqs, lines) AS n (seq, line), LATERAL (SELECT longhand.json_of(n.line) AS fields OFFSET 0) AS j
    WHERE j.fields ->> 'record' = 'batch';
    INSERT INTO public.transcript_log (user_id, account_id, session_id, seq, change, line)
    SELECT owner, account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line)
    WHERE longhand.json_of(n.line) ->> 'record' IS DISTINCT FROM 'batch';
    PERFORM longhand.project_session(account, owner, id);
  ELSIF log_kind = 'details' THEN
    INSERT INTO public.detail_log (user_id, account_id, session_id, memory_key, seq, change, line)
    SELECT owner, account, id, longhand.json_of(n.line) ->> 'memory_key', n.seq, at_change, n.line
    FROM unnest(seqs, lines) AS n (seq, line);
  ELSIF log_kind = 'agent' THEN
    -- A memory belongs to the user of its conversation; settings and the like are the agent's own, and read by all. Whatever
    -- else stands in the log may hold anything: admins alone see it.
    INSERT INTO public.agent_log (agent_id, account_id, user_id, is_shared, seq, change, line)
    SELECT id, account, j.fields -> 'provenance' ->> 'user_id', longhand.is_shared_record(j.fields), n.seq, at_change, n.line
    FROM unnest(seqs, lines) AS n (seq, line), LATERAL (SELECT longhand.json_of(n.line) AS fields OFFSET 0) AS j;
    PERFORM longhand.unshare(account, id, ARRAY(SELECT longhand.json_of(n.line) ->> 'id' FROM unnest(lines) AS n (line)));
  ELSIF log_kind = 'ledger' THEN
    INSERT INTO public.erasure_ledger (account_id, ledger_id, seq, change, line)
    SELECT account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line);
  ELSE
    INSERT INTO public.note_versions (user_id, account_id, agent_name, seq, change, line)
    SELECT owner, account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line);
  END IF;
END
$$;

-- Lines that were stamped before by other rules.
ALTER TABLE public.agent_log NO FORCE ROW LEVEL SECURITY;
UPDATE public.agent_log SET is_shared = false WHERE is_shared AND NOT longhand.is_shared_record(longhand.json_of(line));
DO $$
DECLARE
  log record;
BEGIN
  FOR log IN SELECT account_id, agent_id, array_agg(DISTINCT longhand.json_of(line) ->> 'id') AS ids FROM public.agent_log GROUP BY 1, 2 LOOP
    PERFORM longhand.unshare(log.account_id, log.agent_id, log.ids);
  END LOOP;
END
$$;
ALTER TABLE public.agent_log FORCE ROW LEVEL SECURITY;

-- Only admins share.
DO $$
DECLARE
  rule constant text := 'account_id = (SELECT longhand.account()) AND ((SELECT longhand.is_admin()) OR user_id = (SELECT longhand.principal())';
BEGIN
  DROP POLICY adding ON public.agent_log;
  DROP POLICY changing ON public.agent_log;
  EXECUTE format('CREATE POLICY adding ON public.agent_log FOR INSERT WITH CHECK (%s AND NOT is_shared))', rule);
  EXECUTE format('CREATE POLICY changing ON public.agent_log FOR UPDATE USING (%s)) WITH CHECK (%s AND NOT is_shared))', rule, rule);
END
$$;

-- Row-level security holds for a role that owns nothing of this, by itself or as a member of another role, and may not
-- pass over it.
CREATE OR REPLACE FUNCTION longhand.hello(claims text) RETURNS TABLE (role text, is_unsafe boolean, version text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  PERFORM longhand.enter(claims);
  RETURN QUERY SELECT current_user::text, EXISTS (
      SELECT FROM pg_roles r WHERE (r.rolsuper OR r.rolbypassrls) AND pg_has_role(current_user, r.oid, 'MEMBER')
    ) OR EXISTS (
      SELECT FROM (
        SELECT c.relowner AS owner FROM pg_class c WHERE c.relnamespace IN ('public'::regnamespace, 'longhand'::regnamespace)
        UNION SELECT p.proowner FROM pg_proc p WHERE p.pronamespace = 'longhand'::regnamespace
        UNION SELECT n.nspowner FROM pg_namespace n WHERE n.nspname IN ('public', 'longhand')
        UNION SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()
      ) AS o WHERE pg_has_role(current_user, o.owner, 'MEMBER')
    ), (SELECT max(v.version) FROM longhand.schema_versions v);
END
$$;

REVOKE ALL ON FUNCTION longhand.session_secret(text, bytea), longhand.remove_session_secret(text),
  longhand.is_shared_record(jsonb), longhand.unshare(text, text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.session_secret(text, bytea), longhand.remove_session_secret(text),
  longhand.is_shared_record(jsonb), longhand.unshare(text, text, text[]) TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0012_security');
