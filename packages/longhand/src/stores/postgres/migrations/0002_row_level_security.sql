-- Row-level security. Policies read `request.jwt.claims`: { account_id, sub, role }, where the role is member, admin or
-- service. Without claims there are no rows. After a transaction that set the claims the setting is '' and not NULL.

CREATE FUNCTION longhand.claims() RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('request.jwt.claims', true), '')::jsonb;

-- Supabase keeps what users cannot change about themselves in app_metadata.
CREATE FUNCTION longhand.account() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(longhand.claims() ->> 'account_id', longhand.claims() -> 'app_metadata' ->> 'account_id');

CREATE FUNCTION longhand.principal() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(longhand.claims() ->> 'sub', '');

-- A trusted server reaches all users of its account.
CREATE FUNCTION longhand.is_service() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(longhand.claims() ->> 'role' = 'service', false);

CREATE FUNCTION longhand.is_admin() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(longhand.claims() ->> 'role' IN ('service', 'admin'), false);

-- Forced, so that the owner of the tables sees no rows either. The functions stand in sub-selects: evaluated once a
-- statement and not once a row.
DO $$
DECLARE
  of_account constant text := 'account_id = (SELECT longhand.account())';
  of_user constant text := of_account || ' AND ((SELECT longhand.is_service()) OR user_id = (SELECT longhand.principal()))';
  of_agent constant text := of_account || ' AND ((SELECT longhand.is_admin()) OR user_id = (SELECT longhand.principal())';
  rule text;
  name text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname = ANY (ARRAY[
      'accounts', 'users', 'agents', 'account_members', 'api_keys', 'session_directory', 'agent_sessions', 'log_heads',
      'memory_entries', 'recent_conversation_history', 'transcript_log', 'agent_long_term_memory', 'note_versions',
      'agent_log', 'detail_log', 'detail_values', 'erasure_ledger', 'documents', 'quarantined_lines',
      'recall_manifests', 'recall_segments', 'leases'
    ]) OR c.relnamespace = 'public'::regnamespace AND c.relispartition AND c.relname ~ '^memory_entries_\d+$'
  LOOP
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('REVOKE ALL ON public.%I FROM PUBLIC', name);
    -- Partitions get neither a grant nor a policy: nothing is reached through them directly.
    CONTINUE WHEN name ~ '^memory_entries_\d+$';
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON public.%I TO longhand_app', name);
    IF name = 'agent_log' THEN
      -- Own rows, and those that are agent-wide; admins see and write all.
      EXECUTE format('CREATE POLICY reading ON public.agent_log FOR SELECT USING (%s OR is_shared))', of_agent);
      EXECUTE format('CREATE POLICY adding ON public.agent_log FOR INSERT WITH CHECK (%s))', of_agent);
      EXECUTE format('CREATE POLICY changing ON public.agent_log FOR UPDATE USING (%s)) WITH CHECK (%s))', of_agent, of_agent);
      EXECUTE format('CREATE POLICY removing ON public.agent_log FOR DELETE USING (%s))', of_agent);
      CONTINUE;
    END IF;
    rule := CASE
      WHEN name IN ('accounts', 'agents') THEN of_account
      WHEN name IN ('account_members', 'api_keys') THEN
        of_account || ' AND ((SELECT longhand.is_admin()) OR user_id = (SELECT longhand.principal()))'
      WHEN name = 'erasure_ledger' THEN of_account || ' AND (SELECT longhand.is_admin())'
      ELSE of_user
    END;
    EXECUTE format('CREATE POLICY reading ON public.%I FOR SELECT USING (%s)', name, rule);
    IF name IN ('accounts', 'agents', 'account_members', 'api_keys') THEN
      rule := of_account || ' AND (SELECT longhand.is_admin())';
    END IF;
    EXECUTE format('CREATE POLICY adding ON public.%I FOR INSERT WITH CHECK (%s)', name, rule);
    EXECUTE format('CREATE POLICY changing ON public.%I FOR UPDATE USING (%s) WITH CHECK (%s)', name, rule, rule);
    EXECUTE format('CREATE POLICY removing ON public.%I FOR DELETE USING (%s)', name, rule);
  END LOOP;
END
$$;

-- Policies call these functions as the role that asks.
GRANT USAGE ON SCHEMA longhand TO PUBLIC;
GRANT USAGE ON SCHEMA public TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0002_row_level_security');
