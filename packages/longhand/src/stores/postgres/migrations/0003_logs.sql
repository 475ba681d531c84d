-- How logs are written and read: each call of the store is one statement, `SELECT … FROM longhand.something(claims, …)`,
-- and so one transaction. Every function runs with the rights of the caller, as longhand_app, under row-level security.

-- Sets the role and the claims for the rest of the transaction. Nothing is left at the level of the session, so that a
-- pooler may hand the connection to another client after each statement.
CREATE FUNCTION longhand.enter(claims text) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  PERFORM set_config('role', 'longhand_app', true), set_config('request.jwt.claims', claims, true);
  RETURN longhand.account();
END
$$;

-- For lines that people wrote: what is no JSON has no columns.
CREATE FUNCTION longhand.json_of(line text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
#variable_conflict use_variable
BEGIN
  RETURN line::jsonb;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

CREATE FUNCTION longhand.time_of(value text, otherwise timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  RETURN coalesce(value::timestamptz, otherwise);
EXCEPTION WHEN OTHERS THEN
  RETURN otherwise;
END
$$;

-- The line of a record: the bytes that a file would hold, without the newline.
CREATE FUNCTION longhand.line_of(body text, seq bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
#variable_conflict use_variable
DECLARE
  covered text := left(body, -1) || ',"seq":' || seq;
BEGIN
  RETURN covered || ',"checksum":"sha256:' || encode(sha256(convert_to(covered, 'UTF8')), 'hex') || '"}';
END
$$;

CREATE FUNCTION longhand.new_token() RETURNS text LANGUAGE sql VOLATILE
RETURN replace(gen_random_uuid()::text, '-', '');

-- Where the change numbers of an owner begin: above every number that an owner of the same name had before.
CREATE FUNCTION longhand.first_change() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

CREATE FUNCTION longhand.is_of_session(kind text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN kind IN ('session', 'transcript', 'details');

-- The user that owns a log; '' for the logs of agents and accounts, and for sessions without a user. NULL when there is no
-- such session.
CREATE FUNCTION longhand.owner_of(account text, log_kind text, id text, named text) RETURNS text LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  IF log_kind = 'notes' THEN RETURN named; END IF;
  IF NOT longhand.is_of_session(log_kind) THEN RETURN ''; END IF;
  RETURN (SELECT d.user_id FROM public.session_directory d WHERE d.account_id = account AND d.session_id = id);
END
$$;

-- Takes the owner's row, which every writer of the owner takes first, and counts its change. Readers wait for nothing.
CREATE FUNCTION longhand.touch(account text, log_kind text, owner text, id text, OUT change bigint, OUT is_new boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  is_new := false;
  IF log_kind = 'agent' THEN
    INSERT INTO public.agents AS a (account_id, agent_id, change) VALUES (account, id, longhand.first_change())
    ON CONFLICT (account_id, agent_id) DO UPDATE SET change = a.change + 1 RETURNING a.change INTO change;
  ELSIF log_kind IN ('ledger', '') THEN
    INSERT INTO public.accounts AS a (account_id, change) VALUES (account, longhand.first_change())
    ON CONFLICT (account_id) DO UPDATE SET change = a.change + 1 RETURNING a.change INTO change;
  ELSE
    UPDATE public.users u SET change = u.change + 1
    WHERE u.user_id = owner AND u.account_id = account RETURNING u.change INTO change;
    IF NOT FOUND THEN
      -- Another transaction may make the row in this moment: a row that was inserted and not updated has no xmax.
      INSERT INTO public.users AS u (user_id, account_id, change, generation)
      VALUES (owner, account, longhand.first_change(), longhand.new_token())
      ON CONFLICT (user_id, account_id) DO UPDATE SET change = u.change + 1 RETURNING u.change, u.xmax = 0 INTO change, is_new;
    END IF;
  END IF;
END
$$;

CREATE FUNCTION longhand.put_lines(
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
    -- A memory belongs to the user of its conversation; everything else of the log is the agent's own.
    INSERT INTO public.agent_log (agent_id, account_id, user_id, is_shared, seq, change, line)
    SELECT id, account, j.fields -> 'provenance' ->> 'user_id',
      CASE WHEN j.fields ->> 'record' = 'agent_memory' THEN coalesce(j.fields -> 'share_memory' = 'true', false) ELSE true END,
      n.seq, at_change, n.line
    FROM unnest(seqs, lines) AS n (seq, line), LATERAL (SELECT longhand.json_of(n.line) AS fields OFFSET 0) AS j;
  ELSIF log_kind = 'ledger' THEN
    INSERT INTO public.erasure_ledger (account_id, ledger_id, seq, change, line)
    SELECT account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line);
  ELSE
    INSERT INTO public.note_versions (user_id, account_id, agent_name, seq, change, line)
    SELECT owner, account, id, n.seq, at_change, n.line FROM unnest(seqs, lines) AS n (seq, line);
  END IF;
END
$$;

-- @param seqs all lines when NULL
CREATE FUNCTION longhand.drop_lines(account text, log_kind text, owner text, id text, seqs bigint[])
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  IF log_kind = 'session' THEN
    DELETE FROM public.memory_entries t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id
      AND (seqs IS NULL OR t.seq = ANY (seqs));
  ELSIF log_kind = 'transcript' THEN
    DELETE FROM public.recent_conversation_history t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id
      AND (seqs IS NULL OR t.seq = ANY (seqs));
    DELETE FROM public.transcript_log t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id
      AND (seqs IS NULL OR t.seq = ANY (seqs));
    PERFORM longhand.project_session(account, owner, id);
  ELSIF log_kind = 'details' THEN
    DELETE FROM public.detail_log t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id
      AND (seqs IS NULL OR t.seq = ANY (seqs));
  ELSIF log_kind = 'agent' THEN
    DELETE FROM public.agent_log t WHERE t.account_id = account AND t.agent_id = id AND (seqs IS NULL OR t.seq = ANY (seqs));
  ELSIF log_kind = 'ledger' THEN
    DELETE FROM public.erasure_ledger t WHERE t.account_id = account AND t.ledger_id = id AND (seqs IS NULL OR t.seq = ANY (seqs));
  ELSE
    DELETE FROM public.note_versions t WHERE t.user_id = owner AND t.account_id = account AND t.agent_name = id
      AND (seqs IS NULL OR t.seq = ANY (seqs));
  END IF;
END
$$;

-- Plans are made for the values at hand: one for any user chooses the wrong index for a large one.
CREATE FUNCTION longhand.lines(
  account text, log_kind text, owner text, id text, after bigint, seqs bigint[], holding text, most bigint
) RETURNS TABLE (seq bigint, line text) LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_variable
BEGIN
  IF log_kind = 'session' THEN
    RETURN QUERY SELECT t.seq, t.line FROM public.memory_entries t
      WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id AND t.seq > after
        AND (seqs IS NULL OR t.seq = ANY (seqs)) AND (holding IS NULL OR strpos(t.line, holding) > 0)
      ORDER BY t.seq LIMIT most;
  ELSIF log_kind = 'transcript' THEN
    RETURN QUERY SELECT u.seq, u.line FROM (
        SELECT t.seq, t.line FROM public.recent_conversation_history t
        WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id AND t.seq > after
        UNION ALL
        SELECT t.seq, t.line FROM public.transcript_log t
        WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id AND t.seq > after
      ) AS u
      WHERE (seqs IS NULL OR u.seq = ANY (seqs)) AND (holding IS NULL OR strpos(u.line, holding) > 0)
      ORDER BY u.seq LIMIT most;
  ELSIF log_kind = 'details' THEN
    RETURN QUERY SELECT t.seq, t.line FROM public.detail_log t
      WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id AND t.seq > after
        AND (seqs IS NULL OR t.seq = ANY (seqs)) AND (holding IS NULL OR strpos(t.line, holding) > 0)
      ORDER BY t.seq LIMIT most;
  ELSIF log_kind = 'agent' THEN
    RETURN QUERY SELECT t.seq, t.line FROM public.agent_log t
      WHERE t.account_id = account AND t.agent_id = id AND t.seq > after
        AND (seqs IS NULL OR t.seq = ANY (seqs)) AND (holding IS NULL OR strpos(t.line, holding) > 0)
      ORDER BY t.seq LIMIT most;
  ELSIF log_kind = 'ledger' THEN
    RETURN QUERY SELECT t.seq, t.line FROM public.erasure_ledger t
      WHERE t.account_id = account AND t.ledger_id = id AND t.seq > after
        AND (seqs IS NULL OR t.seq = ANY (seqs)) AND (holding IS NULL OR strpos(t.line, holding) > 0)
      ORDER BY t.seq LIMIT most;
  ELSE
    RETURN QUERY SELECT t.seq, t.line FROM public.note_versions t
      WHERE t.user_id = owner AND t.account_id = account AND t.agent_name = id AND t.seq > after
        AND (seqs IS NULL OR t.seq = ANY (seqs)) AND (holding IS NULL OR strpos(t.line, holding) > 0)
      ORDER BY t.seq LIMIT most;
  END IF;
END
$$;

-- What a session's row says of its transcript: the newest summary that stands.
CREATE FUNCTION longhand.project_session(account text, owner text, id text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  newest jsonb;
BEGIN
  SELECT longhand.json_of(t.line) INTO newest FROM public.transcript_log t
  WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id
    AND (t.line LIKE '{"schema_version":_,"record":"summary",%' OR t.line LIKE '{"schema_version":_,"record":"summary-dropped",%')
  ORDER BY t.seq DESC LIMIT 1;
  UPDATE public.agent_sessions s SET
    summary = newest ->> 'text',
    summarized_count = CASE WHEN newest ->> 'record' = 'summary' THEN (newest ->> 'summarized_count')::integer ELSE 0 END,
    last_activity_at = now()
  WHERE s.user_id = owner AND s.account_id = account AND s.session_id = id;
END
$$;

-- A session that was made without a user gets one.
CREATE FUNCTION longhand.adopt(account text, id text, new_owner text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  UPDATE public.session_directory t SET user_id = new_owner WHERE t.account_id = account AND t.session_id = id;
  UPDATE public.agent_sessions t SET user_id = new_owner WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.log_heads t SET user_id = new_owner
    WHERE t.user_id = '' AND t.account_id = account AND longhand.is_of_session(t.kind) AND t.log_id = id;
  UPDATE public.memory_entries t SET user_id = new_owner WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.recent_conversation_history t SET user_id = new_owner
    WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.transcript_log t SET user_id = new_owner WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.detail_log t SET user_id = new_owner WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.detail_values t SET user_id = new_owner WHERE t.user_id = '' AND t.account_id = account AND t.session_id = id;
  UPDATE public.documents t SET user_id = new_owner
    WHERE t.user_id = '' AND t.account_id = account AND longhand.is_of_session(t.kind) AND t.log_id = id;
  UPDATE public.quarantined_lines t SET user_id = new_owner
    WHERE t.user_id = '' AND t.account_id = account AND longhand.is_of_session(t.kind) AND t.log_id = id;
END
$$;

CREATE TYPE longhand.outcome AS (
  status text, first_seq bigint, last_seq bigint, wanted bigint,
  log_bytes bigint, index_bytes bigint, tombstone_bytes bigint,
  user_id text, incarnation text, generation text, change bigint, line_count bigint
);

-- One append. Its steps in the one order that cannot deadlock: the owner's row, the head, the lines.
-- @param token of this append; that of a log's making names its incarnation and its generation too
-- @param is_again the answer of an earlier try was lost: its lines may be there
-- @param expected what the log must be at (generation, last_seq, tombstone_bytes), when the records were decided from it
CREATE FUNCTION longhand.append_one(
  account text, log_kind text, id text, named text, life text, making text, token text, is_again boolean,
  expected jsonb, max_bytes bigint, bodies text[], tombstones text[]
) RETURNS longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  o longhand.outcome;
  h public.log_heads;
  owner text;
  is_new_log boolean := false;
  is_new_owner boolean := false;
  n integer := cardinality(bodies);
  lines text[] := '{}';
  added bigint := 0;
  listed text;
BEGIN
  -- The way of most appends: to a log that is there, of the user that is named.
  IF named <> '' THEN
    UPDATE public.users u SET change = u.change + 1 WHERE u.user_id = named AND u.account_id = account RETURNING u.change INTO o.change;
    SELECT * INTO h FROM public.log_heads t
      WHERE t.user_id = named AND t.account_id = account AND t.kind = log_kind AND t.log_id = id AND o.change IS NOT NULL;
    IF FOUND THEN owner := named; END IF;
  END IF;
  IF owner IS NULL THEN
    owner := longhand.owner_of(account, log_kind, id, named);
    IF owner IS NULL THEN
      IF log_kind <> 'session' OR making IS NULL OR life IS NOT NULL THEN
        o.status := 'missing';
        RETURN o;
      END IF;
      owner := coalesce(named, '');
    END IF;
    IF owner = '' AND named <> '' AND longhand.is_of_session(log_kind) THEN
      PERFORM longhand.touch(account, log_kind, '', id);
      PERFORM longhand.adopt(account, id, named);
      owner := named;
    END IF;
    SELECT t.change, t.is_new INTO o.change, is_new_owner FROM longhand.touch(account, log_kind, owner, id) AS t;
    SELECT * INTO h FROM public.log_heads t
      WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  END IF;
  IF h.generation IS NULL THEN
    is_new_log := true;
    h.incarnation := token;
    h.generation := token;
    h.last_seq := 0; h.line_count := 0; h.log_bytes := 0; h.index_bytes := 0; h.tombstone_bytes := 0; h.change := 0;
    IF making IS NULL THEN
      o.status := 'missing';
    ELSIF log_kind IN ('transcript', 'details') THEN
      SELECT t.incarnation INTO h.incarnation FROM public.log_heads t
        WHERE t.user_id = owner AND t.account_id = account AND t.kind = 'session' AND t.log_id = id;
      IF NOT FOUND OR h.incarnation <> life THEN o.status := 'missing'; END IF;
    END IF;
  ELSIF h.incarnation <> life THEN
    o.status := 'missing';
  ELSIF h.last_append = token THEN
    o.status := 'done';
    o.first_seq := h.last_seq - n + 1;
  ELSIF making = 'new' AND h.generation <> token THEN
    o.status := 'exists';
  ELSIF is_again AND n > 0 THEN
    -- Others have written since: the line of a record is known when its number is.
    SELECT l.seq INTO o.first_seq FROM longhand.lines(account, log_kind, owner, id, h.last_seq - 2000, NULL, NULL, NULL) AS l
      WHERE l.line = longhand.line_of(bodies[1], l.seq) LIMIT 1;
    IF FOUND AND n = (SELECT count(*) FROM longhand.lines(account, log_kind, owner, id, o.first_seq - 1, NULL, NULL, n) AS l
      WHERE l.line = longhand.line_of(bodies[(l.seq - o.first_seq + 1)::integer], l.seq))
    THEN
      o.status := 'done';
      -- Of the log as it was then: this says nothing of the log as it is.
      h.last_seq := o.first_seq + n - 1;
      o.change := 0;
    END IF;
  END IF;
  IF o.status IS NULL AND expected IS NOT NULL AND (
    CASE WHEN is_new_log THEN '' ELSE h.generation END <> expected ->> 'generation'
    OR h.last_seq <> (expected ->> 'lastSeq')::bigint OR h.tombstone_bytes <> (expected ->> 'tombstones')::bigint
  ) THEN
    o.status := 'conflict';
  END IF;

  IF o.status IS NULL THEN
    o.first_seq := h.last_seq + 1;
    IF n = 1 THEN
      lines := ARRAY[longhand.line_of(bodies[1], o.first_seq)];
      added := octet_length(lines[1]) + 1;
    ELSIF n > 1 THEN
      SELECT array_agg(l.line ORDER BY l.o), sum(octet_length(l.line) + 1) INTO lines, added
      FROM (SELECT b.o, longhand.line_of(b.body, o.first_seq + b.o - 1) AS line FROM unnest(bodies) WITH ORDINALITY AS b (body, o)) AS l;
    END IF;
    IF added > 0 AND h.log_bytes + h.index_bytes + h.tombstone_bytes + added > max_bytes THEN
      o.status := 'full';
      o.wanted := added;
    END IF;
  END IF;

  IF o.status IS NULL AND is_new_log AND log_kind = 'session' THEN
    INSERT INTO public.session_directory (account_id, session_id, user_id) VALUES (account, id, owner) ON CONFLICT DO NOTHING;
    -- Another user's session has got the id in this very moment.
    IF NOT FOUND THEN o.status := 'exists'; END IF;
  END IF;

  IF o.status IS NULL THEN
    o.status := 'done';
    h.last_seq := h.last_seq + n;
    h.line_count := h.line_count + n;
    h.log_bytes := h.log_bytes + added;
    h.last_append := token;
    IF named IS NOT NULL AND longhand.is_of_session(log_kind) THEN h.change := o.change; END IF;
    IF cardinality(tombstones) > 0 THEN
      listed := array_to_string(tombstones, E'\n') || E'\n';
      h.tombstone_bytes := h.tombstone_bytes + octet_length(listed);
      INSERT INTO public.documents AS d (user_id, account_id, kind, log_id, name, body)
      VALUES (owner, account, log_kind, id, 'tombstones.jsonl', listed)
      ON CONFLICT (user_id, account_id, kind, log_id, name) DO UPDATE SET body = d.body || excluded.body;
    END IF;
    IF NOT is_new_log THEN
      UPDATE public.log_heads t SET last_seq = h.last_seq, line_count = h.line_count, log_bytes = h.log_bytes,
        tombstone_bytes = h.tombstone_bytes, change = h.change, last_append = h.last_append
      WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
    ELSE
      IF log_kind = 'session' THEN
        PERFORM longhand.put_session(account, owner, id, h.incarnation, bodies[1]);
      END IF;
      INSERT INTO public.log_heads (user_id, account_id, kind, log_id, incarnation, generation, last_seq, line_count,
        log_bytes, index_bytes, tombstone_bytes, change, last_append)
      VALUES (owner, account, log_kind, id, h.incarnation, h.generation, h.last_seq, h.line_count, h.log_bytes, 0,
        h.tombstone_bytes, h.change, token);
    END IF;
    IF n > 0 THEN
      PERFORM longhand.put_lines(account, log_kind, owner, id, o.change,
        CASE WHEN n = 1 THEN ARRAY[o.first_seq] ELSE (SELECT array_agg(s) FROM generate_series(o.first_seq, h.last_seq) AS s) END,
        lines);
    END IF;
  ELSIF is_new_owner AND o.status <> 'done' THEN
    DELETE FROM public.users u WHERE u.user_id = owner AND u.account_id = account;
  END IF;
  o.last_seq := h.last_seq;
  o.log_bytes := h.log_bytes; o.index_bytes := h.index_bytes; o.tombstone_bytes := h.tombstone_bytes;
  o.user_id := owner; o.incarnation := h.incarnation; o.generation := h.generation; o.line_count := h.line_count;
  RETURN o;
END
$$;

CREATE FUNCTION longhand.put_session(account text, owner text, id text, life text, opening text)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  fields jsonb := longhand.json_of(opening);
  made_at timestamptz := longhand.time_of(coalesce(fields ->> 'created_at', fields ->> 'timestamp'), now());
BEGIN
  INSERT INTO public.agent_sessions (user_id, account_id, session_id, incarnation, agent_name, created_at, last_activity_at)
  VALUES (owner, account, id, life, CASE WHEN fields ->> 'record' = 'session' THEN fields -> 'agents' ->> 0 END,
    made_at, made_at);
END
$$;

-- Appends that wait together, in their order; each is answered for itself.
-- @param items {kind, id, user, incarnation, create, token, again, expected, maxBytes, bodies, tombstones (how many of each)}
CREATE FUNCTION longhand.append(claims text, items jsonb, bodies text[], tombstones text[])
RETURNS SETOF longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  item record;
  body_at integer := 0;
  tombstone_at integer := 0;
BEGIN
  IF jsonb_array_length(items) > 1 THEN
    -- All owners first and in one order, or two groups could wait for one another.
    PERFORM 1 FROM public.users u WHERE u.account_id = account AND u.user_id IN (
      SELECT longhand.owner_of(account, i.kind, i.id, i."user") FROM jsonb_to_recordset(items) AS i (kind text, id text, "user" text)
    ) ORDER BY u.user_id FOR NO KEY UPDATE;
  END IF;
  FOR item IN SELECT * FROM jsonb_to_recordset(items) AS i (
    kind text, id text, "user" text, incarnation text, "create" text, token text, again boolean, expected jsonb,
    "maxBytes" bigint, bodies integer, tombstones integer
  ) LOOP
    RETURN NEXT longhand.append_one(
      account, item.kind, item.id, item."user", item.incarnation, item."create", item.token, item.again, item.expected,
      item."maxBytes", bodies[body_at + 1 : body_at + item.bodies], tombstones[tombstone_at + 1 : tombstone_at + item.tombstones]
    );
    body_at := body_at + item.bodies;
    tombstone_at := tombstone_at + item.tombstones;
  END LOOP;
END
$$;

-- The change number of an owner; 0 while there is none.
CREATE FUNCTION longhand.change_of(account text, log_kind text, owner text, id text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
BEGIN
  IF log_kind = 'ledger' THEN RETURN 0; END IF;
  IF log_kind = 'agent' THEN
    RETURN coalesce((SELECT a.change FROM public.agents a WHERE a.account_id = account AND a.agent_id = id), 0);
  END IF;
  RETURN coalesce((SELECT u.change FROM public.users u WHERE u.user_id = owner AND u.account_id = account), 0);
END
$$;

-- Logs, many at once, all as of one moment: a function that is STABLE sees what the statement saw at its start.
-- `what` is: head (fields of the log), line, aside (a damaged line that was set aside), listed (the list of deletions).
-- A log that is not there has a row `none`. A head alone: nothing is new, or nothing was asked for.
-- @param wanted {kind, id, user, incarnation, generation, at, seqs, holding, most, aside, listed}
CREATE FUNCTION longhand.read(claims text, wanted jsonb)
RETURNS TABLE (i integer, what text, seq bigint, line text, raw bytea, head jsonb) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  w record;
  h public.log_heads;
  owner text;
  is_same boolean;
BEGIN
  FOR w IN SELECT (o - 1)::integer AS i, r.* FROM jsonb_array_elements(wanted) WITH ORDINALITY AS e (each, o),
    jsonb_to_record(each) AS r (kind text, id text, "user" text, incarnation text, generation text, at bigint, seqs bigint[],
      holding text, most bigint, aside boolean, listed boolean)
  LOOP
    owner := longhand.owner_of(account, w.kind, w.id, w."user");
    SELECT * INTO h FROM public.log_heads t
      WHERE t.user_id = owner AND t.account_id = account AND t.kind = w.kind AND t.log_id = w.id;
    IF NOT FOUND OR h.incarnation <> w.incarnation THEN
      RETURN QUERY SELECT w.i, 'none', NULL::bigint, NULL::text, NULL::bytea, jsonb_build_object(
        'user', coalesce(owner, w."user"), 'change', longhand.change_of(account, w.kind, coalesce(owner, w."user"), w.id));
      CONTINUE;
    END IF;
    is_same := h.generation IS NOT DISTINCT FROM w.generation;
    RETURN QUERY SELECT w.i, 'head', h.last_seq, NULL::text, NULL::bytea, jsonb_build_object(
      'user', h.user_id, 'incarnation', h.incarnation, 'generation', h.generation, 'lastSeq', h.last_seq,
      'lines', h.line_count, 'log', h.log_bytes, 'index', h.index_bytes, 'tombstones', h.tombstone_bytes,
      'change', longhand.change_of(account, w.kind, owner, w.id));
    IF w.seqs IS NULL OR (is_same AND w.seqs <> '{}') THEN
      IF NOT is_same OR w.seqs IS NOT NULL OR w.at <> h.last_seq THEN
        RETURN QUERY SELECT w.i, 'line', l.seq, l.line, NULL::bytea, NULL::jsonb
        FROM longhand.lines(account, w.kind, owner, w.id, CASE WHEN is_same AND w.seqs IS NULL THEN w.at ELSE 0 END,
          w.seqs, w.holding, w.most) AS l;
      END IF;
    END IF;
    IF w.aside THEN
      RETURN QUERY SELECT w.i, 'aside', NULL::bigint, q.name, q.line, NULL::jsonb FROM public.quarantined_lines q
      WHERE q.user_id = owner AND q.account_id = account AND q.kind = w.kind AND q.log_id = w.id ORDER BY q.name;
    END IF;
    IF w.listed THEN
      RETURN QUERY SELECT w.i, 'listed', NULL::bigint, d.body, NULL::bytea, NULL::jsonb FROM public.documents d
      WHERE d.user_id = owner AND d.account_id = account AND d.kind = w.kind AND d.log_id = w.id AND d.name = 'tombstones.jsonl';
    END IF;
  END LOOP;
END
$$;

-- @param log {kind, id, user, incarnation}
-- @param expected as in append_one
-- @param next {generation, lastSeq, lines, bytes}
-- @param drops numbers of the lines that go or change
-- @param listed the list of deletions as it should be; stays when NULL
CREATE FUNCTION longhand.rewrite(
  claims text, log jsonb, expected jsonb, next jsonb, drops bigint[], seqs bigint[], lines text[], listed text,
  aside_names text[], aside_lines bytea[], forgotten text[]
) RETURNS SETOF longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  log_kind text := log ->> 'kind';
  id text := log ->> 'id';
  owner text := longhand.owner_of(account, log_kind, id, log ->> 'user');
  o longhand.outcome;
  h public.log_heads;
BEGIN
  IF owner IS NOT NULL THEN
    o.change := (SELECT t.change FROM longhand.touch(account, log_kind, owner, id) AS t);
    SELECT * INTO h FROM public.log_heads t
      WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  END IF;
  IF h.generation IS NULL OR h.incarnation <> log ->> 'incarnation' THEN
    o.status := 'missing';
  ELSIF h.generation = next ->> 'generation' THEN
    o.status := 'done';
  ELSIF h.generation <> expected ->> 'generation' OR h.last_seq <> (expected ->> 'lastSeq')::bigint
    OR h.tombstone_bytes <> (expected ->> 'tombstones')::bigint
  THEN
    o.status := 'conflict';
  ELSE
    o.status := 'done';
    PERFORM longhand.drop_lines(account, log_kind, owner, id, drops);
    PERFORM longhand.put_lines(account, log_kind, owner, id, o.change, seqs, lines);
    IF listed IS NOT NULL THEN
      h.tombstone_bytes := octet_length(listed);
      DELETE FROM public.documents d WHERE d.user_id = owner AND d.account_id = account AND d.kind = log_kind
        AND d.log_id = id AND d.name = 'tombstones.jsonl';
      IF listed <> '' THEN
        INSERT INTO public.documents (user_id, account_id, kind, log_id, name, body)
        VALUES (owner, account, log_kind, id, 'tombstones.jsonl', listed);
      END IF;
    END IF;
    DELETE FROM public.quarantined_lines q WHERE q.user_id = owner AND q.account_id = account AND q.kind = log_kind
      AND q.log_id = id AND q.name = ANY (forgotten);
    INSERT INTO public.quarantined_lines (user_id, account_id, kind, log_id, name, line)
    SELECT owner, account, log_kind, id, n.name, n.line FROM unnest(aside_names, aside_lines) AS n (name, line);
    h.generation := next ->> 'generation';
    h.last_seq := (next ->> 'lastSeq')::bigint;
    h.line_count := (next ->> 'lines')::bigint;
    h.log_bytes := (next ->> 'bytes')::bigint;
    UPDATE public.log_heads t SET generation = h.generation, last_seq = h.last_seq, line_count = h.line_count,
      log_bytes = h.log_bytes, tombstone_bytes = h.tombstone_bytes, last_append = ''
    WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  END IF;
  o.last_seq := h.last_seq;
  o.log_bytes := h.log_bytes; o.index_bytes := h.index_bytes; o.tombstone_bytes := h.tombstone_bytes;
  o.user_id := owner; o.incarnation := h.incarnation; o.generation := h.generation; o.line_count := h.line_count;
  RETURN NEXT o;
END
$$;

CREATE FUNCTION longhand.remove_log(account text, log_kind text, owner text, id text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  PERFORM longhand.drop_lines(account, log_kind, owner, id, NULL);
  DELETE FROM public.documents t WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  DELETE FROM public.quarantined_lines t WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  DELETE FROM public.log_heads t WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
END
$$;

CREATE FUNCTION longhand.remove(claims text, log_kind text, id text, named text, life text) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  owner text := longhand.owner_of(account, log_kind, id, named);
BEGIN
  IF log_kind = 'user' THEN
    DELETE FROM public.recall_segments t WHERE t.user_id = id AND t.account_id = account;
    DELETE FROM public.recall_manifests t WHERE t.user_id = id AND t.account_id = account;
    DELETE FROM public.leases t WHERE t.user_id = id AND t.account_id = account;
    DELETE FROM public.users t WHERE t.user_id = id AND t.account_id = account;
    RETURN FOUND;
  END IF;
  IF owner IS NULL THEN RETURN false; END IF;
  PERFORM 1 FROM public.log_heads t
  WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM longhand.touch(account, log_kind, owner, id);
  PERFORM 1 FROM public.log_heads t
  WHERE t.user_id = owner AND t.account_id = account AND t.kind = log_kind AND t.log_id = id
    AND (life IS NULL OR t.incarnation = life);
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM longhand.remove_log(account, log_kind, owner, id);
  IF log_kind = 'session' THEN
    PERFORM longhand.remove_log(account, 'transcript', owner, id);
    PERFORM longhand.remove_log(account, 'details', owner, id);
    DELETE FROM public.detail_values t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id;
    DELETE FROM public.agent_sessions t WHERE t.user_id = owner AND t.account_id = account AND t.session_id = id;
    DELETE FROM public.session_directory t WHERE t.account_id = account AND t.session_id = id;
    UPDATE public.users u SET generation = longhand.new_token() WHERE u.user_id = owner AND u.account_id = account;
    -- The user without a name is there as long as there are sessions without a user.
    DELETE FROM public.users u WHERE u.user_id = '' AND u.account_id = account AND owner = ''
      AND NOT EXISTS (SELECT 1 FROM public.log_heads t WHERE t.user_id = '' AND t.account_id = account AND longhand.is_of_session(t.kind));
  ELSIF log_kind = 'notes' THEN
    DELETE FROM public.agent_long_term_memory t WHERE t.user_id = owner AND t.account_id = account AND t.agent_name = id;
  ELSIF log_kind = 'agent' THEN
    DELETE FROM public.agents t WHERE t.account_id = account AND t.agent_id = id;
  END IF;
  RETURN true;
END
$$;

CREATE FUNCTION longhand.list(claims text, what text, whose text, after_name text, most bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  IF what = 'session' AND whose IS NULL THEN
    RETURN QUERY SELECT d.session_id FROM public.session_directory d
      WHERE d.account_id = account AND (after_name IS NULL OR d.session_id COLLATE "C" > after_name)
      ORDER BY d.session_id COLLATE "C" LIMIT most;
  ELSIF what = 'session' THEN
    RETURN QUERY SELECT s.session_id FROM public.agent_sessions s
      WHERE s.user_id = whose AND s.account_id = account AND (after_name IS NULL OR s.session_id COLLATE "C" > after_name)
      ORDER BY s.session_id COLLATE "C" LIMIT most;
  ELSIF what = 'agent' THEN
    RETURN QUERY SELECT h.log_id FROM public.log_heads h WHERE h.account_id = account AND h.kind = 'agent';
  ELSIF what = 'user' THEN
    RETURN QUERY SELECT u.user_id FROM public.users u WHERE u.account_id = account AND u.user_id <> ''
      UNION SELECT h.user_id FROM public.log_heads h WHERE h.account_id = account AND h.kind = 'notes';
  ELSIF what = 'notes' THEN
    RETURN QUERY SELECT h.log_id FROM public.log_heads h WHERE h.user_id = whose AND h.account_id = account AND h.kind = 'notes';
  ELSE
    -- Drafts of values that no writer has added to for an hour: it was killed.
    DELETE FROM public.detail_values v USING (
      SELECT d.value_id FROM public.detail_values d
      WHERE d.user_id = longhand.owner_of(account, 'session', whose, NULL) AND d.account_id = account AND d.session_id = whose
      GROUP BY d.value_id HAVING count(d.name) = 0 AND max(d.written_at) < clock_timestamp() - interval '1 hour'
    ) AS left_over
    WHERE v.user_id = longhand.owner_of(account, 'session', whose, NULL) AND v.account_id = account AND v.value_id = left_over.value_id;
    RETURN QUERY SELECT v.name FROM public.detail_values v
      WHERE v.user_id = longhand.owner_of(account, 'session', whose, NULL) AND v.account_id = account AND v.session_id = whose
        AND v.name IS NOT NULL;
  END IF;
END
$$;

-- The change numbers of owners, for one look at all of them.
CREATE FUNCTION longhand.look(claims text, users text[], agents text[])
RETURNS TABLE (kind text, id text, change bigint, generation text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN QUERY SELECT 'user', u.user_id, u.change, u.generation FROM public.users u
    WHERE u.user_id = ANY (users) AND u.account_id = account;
  RETURN QUERY SELECT 'agent', a.agent_id, a.change, '' FROM public.agents a
    WHERE a.account_id = account AND a.agent_id = ANY (agents);
END
$$;

-- The sessions of a user that were written to at a change or after it; all of them when the generation is another one.
-- The first row has no session: it tells of the user.
CREATE FUNCTION longhand.follow(claims text, whose text, since_generation text, since bigint)
RETURNS TABLE (session_id text, change bigint, generation text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  now_at text;
BEGIN
  SELECT u.generation INTO now_at FROM public.users u WHERE u.user_id = whose AND u.account_id = account;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT NULL::text, u.change, u.generation FROM public.users u WHERE u.user_id = whose AND u.account_id = account;
  RETURN QUERY SELECT h.log_id, h.change, NULL::text FROM public.log_heads h
    WHERE h.user_id = whose AND h.account_id = account AND h.change > 0
      AND h.change >= CASE WHEN since_generation = now_at THEN since ELSE 1 END
    ORDER BY h.change;
END
$$;

INSERT INTO longhand.schema_versions (version) VALUES ('0003_logs');
