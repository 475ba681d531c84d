-- What lies beside the logs: documents, large values, derived files, leases; and every byte of it all.

CREATE FUNCTION longhand.read_document(claims text, log_kind text, id text, named text, life text, document text)
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, log_kind, id, named);
BEGIN
  IF life IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind
      AND t.log_id = id AND t.incarnation = life
  ) THEN RETURN; END IF;
  IF log_kind = 'notes' AND document = 'notes.md' THEN
    RETURN QUERY SELECT t.notes FROM public.agent_long_term_memory t
      WHERE t.account_id = account AND t.user_id = owner AND t.agent_name = id;
  ELSE
    RETURN QUERY SELECT d.body FROM public.documents d WHERE d.user_id = owner AND d.account_id = account
      AND d.kind = log_kind AND d.log_id = id AND d.name = document;
  END IF;
END
$$;

-- @param conditions {expected: text or null, generation, again: an earlier try may have done it}: each counts when it is there
-- @returns done, refused (a condition does not hold, or there was nothing to remove), missing (there is no such log)
CREATE FUNCTION longhand.write_document(
  claims text, log_kind text, id text, named text, life text, document text, content text, conditions jsonb
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, log_kind, id, named);
  h public.log_heads;
  present text;
BEGIN
  IF owner IS NULL THEN RETURN 'missing'; END IF;
  IF log_kind <> '' THEN
    -- Before the owner's row is taken, so that asking for what is not there makes no owner.
    PERFORM 1 FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
    IF NOT FOUND THEN RETURN 'missing'; END IF;
  END IF;
  PERFORM longhand.touch(account, log_kind, owner, id);
  IF log_kind <> '' THEN
    SELECT * INTO h FROM public.log_heads t
      WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
    IF NOT FOUND OR h.incarnation <> life THEN RETURN 'missing'; END IF;
    IF h.generation <> conditions ->> 'generation' THEN RETURN 'refused'; END IF;
  END IF;
  IF log_kind = 'notes' AND document = 'notes.md' THEN
    SELECT t.notes INTO present FROM public.agent_long_term_memory t
      WHERE t.account_id = account AND t.user_id = owner AND t.agent_name = id;
  ELSE
    SELECT d.body INTO present FROM public.documents d
      WHERE d.user_id = owner AND d.account_id = account AND d.kind = log_kind AND d.log_id = id AND d.name = document;
  END IF;
  IF (conditions ->> 'again')::boolean AND present IS NOT DISTINCT FROM content THEN RETURN 'done'; END IF;
  IF conditions ? 'expected' AND present IS DISTINCT FROM conditions ->> 'expected' THEN RETURN 'refused'; END IF;
  IF content IS NULL AND present IS NULL THEN RETURN 'refused'; END IF;
  IF log_kind = 'notes' AND document = 'notes.md' THEN
    IF content IS NULL THEN
      DELETE FROM public.agent_long_term_memory t WHERE t.account_id = account AND t.user_id = owner AND t.agent_name = id;
    ELSE
      INSERT INTO public.agent_long_term_memory AS t (user_id, account_id, agent_name, notes) VALUES (owner, account, id, content)
      ON CONFLICT (account_id, user_id, agent_name) DO UPDATE SET notes = excluded.notes, updated_at = now();
    END IF;
  ELSIF content IS NULL THEN
    DELETE FROM public.documents d
      WHERE d.user_id = owner AND d.account_id = account AND d.kind = log_kind AND d.log_id = id AND d.name = document;
  ELSE
    INSERT INTO public.documents AS d (user_id, account_id, kind, log_id, name, body)
    VALUES (owner, account, log_kind, id, document, content)
    ON CONFLICT (user_id, account_id, kind, log_id, name) DO UPDATE SET body = excluded.body;
  END IF;
  IF document IN ('index.json', 'tombstones.jsonl') AND log_kind <> '' THEN
    UPDATE public.log_heads t SET
      index_bytes = CASE document WHEN 'index.json' THEN coalesce(octet_length(content), 0) ELSE t.index_bytes END,
      tombstone_bytes = CASE document WHEN 'tombstones.jsonl' THEN coalesce(octet_length(content), 0) ELSE t.tombstone_bytes END
    WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  END IF;
  RETURN 'done';
END
$$;

-- One chunk of a large value; the last one comes with the value's name and size, and makes it one.
-- @returns done, taken (another value has the name), missing (the session, or the draft, is gone)
CREATE FUNCTION longhand.write_value(
  claims text, session text, life text, id uuid, chunk_number integer, chunk_bytes bytea, value_name text, size bigint
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, 'session', session, NULL);
BEGIN
  -- Against a removal at the same time, which takes the owner's row too.
  PERFORM 1 FROM public.users u WHERE u.user_id = owner AND u.account_id = account FOR SHARE;
  PERFORM 1 FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account AND t.kind = 'session'
    AND t.log_id = session AND (life IS NULL OR t.incarnation = life);
  IF NOT FOUND THEN RETURN 'missing'; END IF;
  INSERT INTO public.detail_values (user_id, account_id, session_id, value_id, chunk, written_at, bytes)
  VALUES (owner, account, session, id, chunk_number, clock_timestamp(), chunk_bytes)
  ON CONFLICT DO NOTHING;
  IF value_name IS NULL THEN RETURN 'done'; END IF;
  UPDATE public.detail_values v SET name = value_name, size_bytes = size
    WHERE v.user_id = owner AND v.account_id = account AND v.value_id = id AND v.chunk = 0
      AND chunk_number + 1 = (SELECT count(*) FROM public.detail_values c WHERE c.user_id = owner AND c.account_id = account AND c.value_id = id);
  RETURN CASE WHEN FOUND THEN 'done' ELSE 'missing' END;
EXCEPTION WHEN unique_violation THEN
  RETURN 'taken';
END
$$;

CREATE FUNCTION longhand.remove_values(claims text, session text, life text, names text[], draft uuid) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, 'session', session, NULL);
  gone uuid[];
BEGIN
  SELECT array_agg(v.value_id) INTO gone FROM public.detail_values v
    WHERE v.user_id = owner AND v.account_id = account AND v.session_id = session AND v.chunk = 0
      AND (v.name = ANY (names) OR v.value_id = draft AND v.name IS NULL)
      AND (life IS NULL OR EXISTS (SELECT 1 FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account
        AND t.kind = 'session' AND t.log_id = session AND t.incarnation = life));
  -- Whoever removes a value first counts it.
  WITH taken AS (
    DELETE FROM public.detail_values v WHERE v.user_id = owner AND v.account_id = account AND v.value_id = ANY (gone)
    RETURNING v.chunk
  ) SELECT array_agg(NULL::uuid) INTO gone FROM taken WHERE chunk = 0;
  RETURN coalesce(cardinality(gone), 0);
END
$$;

-- The value's id and size, with its first chunks.
CREATE FUNCTION longhand.open_value(claims text, session text, life text, value_name text, chunks integer)
RETURNS TABLE (user_id text, value_id uuid, size bigint, bytes bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, 'session', session, NULL);
BEGIN
  RETURN QUERY SELECT owner, v.value_id, v.size_bytes, c.bytes
    FROM public.detail_values v JOIN public.detail_values c
      ON c.user_id = v.user_id AND c.account_id = v.account_id AND c.value_id = v.value_id AND c.chunk < chunks
    WHERE v.user_id = owner AND v.account_id = account AND v.session_id = session AND v.name = value_name
      AND (life IS NULL OR EXISTS (SELECT 1 FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account
        AND t.kind = 'session' AND t.log_id = session AND t.incarnation = life))
    ORDER BY c.chunk;
END
$$;

CREATE FUNCTION longhand.read_value(claims text, whose text, id uuid, first integer, last integer)
RETURNS SETOF bytea LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN QUERY SELECT v.bytes FROM public.detail_values v
    WHERE v.user_id = whose AND v.account_id = account AND v.value_id = id AND v.chunk BETWEEN first AND last ORDER BY v.chunk;
END
$$;

-- The manifest, in a row without a name, and the files; of those that the caller knows, no bytes.
CREATE FUNCTION longhand.load_index(claims text, whose text, which text, known text[])
RETURNS TABLE (name text, segment_id text, manifest text, bytes bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  -- Also while a process has claimed to make some.
  RETURN QUERY SELECT NULL::text, NULL::text, m.manifest, NULL::bytea
    FROM (SELECT 1) AS one LEFT JOIN public.recall_manifests m
      ON m.user_id = whose AND m.account_id = account AND m.family = which
    WHERE m.manifest IS NOT NULL OR EXISTS (
      SELECT 1 FROM public.leases l WHERE l.account_id = account AND l.user_id = whose
        AND l.name IN (which, 'publish ' || which) AND l.expires_at > clock_timestamp()
    );
  RETURN QUERY SELECT s.name, s.segment_id, NULL::text, CASE WHEN s.segment_id = ANY (known) THEN NULL ELSE s.bytes END
    FROM public.recall_segments s WHERE s.user_id = whose AND s.account_id = account AND s.family = which;
END
$$;

-- A file that no manifest names yet.
CREATE FUNCTION longhand.write_segment(claims text, whose text, which text, file text, id text, content bytea)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  INSERT INTO public.recall_segments AS s (user_id, account_id, family, name, segment_id, bytes)
  VALUES (whose, account, which, file, id, content)
  ON CONFLICT (user_id, account_id, family, name) DO UPDATE SET segment_id = excluded.segment_id, bytes = excluded.bytes;
END
$$;

-- Begins to publish. @returns busy (another process does), stale (the manifest is another one), done
CREATE FUNCTION longhand.begin_publishing(claims text, whose text, which text, expected text, who text, milliseconds integer)
RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  IF NOT longhand.claim(claims, whose, 'publish ' || which, who, milliseconds) THEN RETURN 'busy'; END IF;
  IF expected IS DISTINCT FROM (
    SELECT m.manifest FROM public.recall_manifests m WHERE m.user_id = whose AND m.account_id = account AND m.family = which
  ) THEN
    PERFORM longhand.release(claims, whose, 'publish ' || which, who);
    RETURN 'stale';
  END IF;
  RETURN 'done';
END
$$;

-- @param kept names of all files that the next manifest counts on
-- @param is_again the lost answer of an earlier try may have done it
CREATE FUNCTION longhand.publish(
  claims text, whose text, which text, expected text, next text, kept text[], who text, is_again boolean
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  present text;
BEGIN
  PERFORM longhand.release(claims, whose, 'publish ' || which, who);
  SELECT m.manifest INTO present FROM public.recall_manifests m
    WHERE m.user_id = whose AND m.account_id = account AND m.family = which FOR UPDATE;
  IF is_again AND present = next THEN RETURN 'done'; END IF;
  -- Files may be gone when the lease ran out and another process has published since.
  IF present IS DISTINCT FROM expected OR cardinality(kept) <> (
    SELECT count(*) FROM public.recall_segments s
    WHERE s.user_id = whose AND s.account_id = account AND s.family = which AND s.name = ANY (kept)
  ) THEN RETURN 'stale'; END IF;
  IF present IS NULL THEN
    INSERT INTO public.recall_manifests (user_id, account_id, family, manifest) VALUES (whose, account, which, next)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'stale'; END IF;
  ELSE
    UPDATE public.recall_manifests m SET manifest = next WHERE m.user_id = whose AND m.account_id = account AND m.family = which;
  END IF;
  DELETE FROM public.recall_segments s
  WHERE s.user_id = whose AND s.account_id = account AND s.family = which AND s.name <> ALL (kept);
  RETURN 'done';
END
$$;

-- Takes a lease, or keeps it. @returns whether the holder has it
CREATE FUNCTION longhand.claim(claims text, whose text, work text, who text, milliseconds integer) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  INSERT INTO public.leases AS l (account_id, user_id, name, holder, expires_at)
  VALUES (account, whose, work, who, clock_timestamp() + milliseconds * interval '1 millisecond')
  ON CONFLICT (account_id, user_id, name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp();
  RETURN FOUND;
END
$$;

CREATE FUNCTION longhand.release(claims text, whose text, work text, who text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  DELETE FROM public.leases l WHERE l.account_id = account AND l.user_id = whose AND l.name = work AND l.holder = who;
END
$$;

-- Every byte that is stored, for checks that something is gone: place, where in it, bytes. Places of lines end as those of
-- logs in files do.
CREATE VIEW longhand.stored_bytes WITH (security_invoker = true) AS
  SELECT 'accounts/' || account_id AS place, 0::bigint AS at, ''::bytea AS bytes FROM public.accounts
  UNION ALL SELECT 'users/' || user_id, 0, ''::bytea FROM public.users WHERE user_id <> ''
  UNION ALL SELECT 'agents/' || agent_id, 0, ''::bytea FROM public.agents
  UNION ALL SELECT 'account_members/' || user_id, 0, ''::bytea FROM public.account_members
  UNION ALL SELECT 'api_keys/' || key_id || coalesce('/' || user_id, '') || coalesce('/' || label, ''), 0, digest FROM public.api_keys
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

CREATE FUNCTION longhand.stored_size(claims text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  PERFORM longhand.enter(claims);
  RETURN (SELECT coalesce(sum(h.log_bytes), 0) FROM public.log_heads h)
    + (SELECT coalesce(sum(octet_length(d.body)), 0) FROM public.documents d)
    + (SELECT coalesce(sum(octet_length(t.notes)), 0) FROM public.agent_long_term_memory t)
    + (SELECT coalesce(sum(octet_length(v.bytes)), 0) FROM public.detail_values v)
    + (SELECT coalesce(sum(octet_length(q.line)), 0) FROM public.quarantined_lines q)
    + (SELECT coalesce(sum(octet_length(s.bytes)), 0) FROM public.recall_segments s);
END
$$;

-- What a store asks before its first call: under which role it serves, and which schema there is.
CREATE FUNCTION longhand.hello(claims text) RETURNS TABLE (role text, is_unsafe boolean, version text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  PERFORM longhand.enter(claims);
  RETURN QUERY SELECT current_user::text, r.rolsuper OR r.rolbypassrls OR EXISTS (
      SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname = 'memory_entries' AND c.relowner = r.oid
    ), (SELECT max(v.version) FROM longhand.schema_versions v)
    FROM pg_roles r WHERE r.rolname = current_user;
END
$$;

-- Only the application sets claims. What policies call is open to every role.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA longhand FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA longhand TO longhand_app;
GRANT EXECUTE ON FUNCTION longhand.claims(), longhand.account(), longhand.principal(), longhand.is_service(), longhand.is_admin(),
  longhand.json_of(text), longhand.time_of(text, timestamptz) TO PUBLIC;
GRANT SELECT ON longhand.stored_bytes, longhand.schema_versions TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0004_beside_logs');
