-- What several servers of one account share: API keys and members, whose turn it is in a session, forgettings that are
-- under way, and the names of requests that were carried out. Sessions, users and agents stand here as hashes.

ALTER TABLE public.api_keys ADD COLUMN IF NOT EXISTS agent_id text;
ALTER TABLE public.api_keys ADD COLUMN IF NOT EXISTS expires_at timestamptz;
ALTER TABLE public.api_keys ADD COLUMN IF NOT EXISTS last_used_at timestamptz;
-- A member who was removed stays known, so that an old token does not bring them back.
ALTER TABLE public.account_members ADD COLUMN IF NOT EXISTS removed_at timestamptz;

-- A server that holds turns, or forgets. One that has not renewed its row in time may be buried by another.
CREATE TABLE public.servers (
  account_id text NOT NULL,
  server_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, server_id)
);

-- `concerns`: the user, the session and the agents whose forgetting calls the turns off. `wanted`: what another server asks
-- of the holder: to archive (gather …), to let go of the session (turn), or to call its turns off and let go (forget).
CREATE TABLE public.turn_leases (
  account_id text NOT NULL,
  session_key text NOT NULL,
  server_id text NOT NULL,
  concerns text[] NOT NULL,
  wanted text,
  PRIMARY KEY (account_id, session_key)
);
CREATE INDEX turn_leases_by_server ON public.turn_leases (account_id, server_id);

CREATE TABLE public.forgettings (
  account_id text NOT NULL,
  forgetting_id text NOT NULL,
  server_id text NOT NULL,
  concerned text NOT NULL,
  PRIMARY KEY (account_id, forgetting_id)
);

-- Another text after each forgetting, for servers that keep answers; `concerned` is '' in the row that counts all of them.
CREATE TABLE public.forget_notices (
  account_id text NOT NULL,
  concerned text NOT NULL,
  notice text NOT NULL,
  PRIMARY KEY (account_id, concerned)
);

-- Requests with an Idempotency-Key. The answer is kept by the server that gave it, and nowhere else.
CREATE TABLE public.request_keys (
  account_id text NOT NULL,
  token text NOT NULL,
  request_hash text NOT NULL,
  is_done boolean NOT NULL DEFAULT false,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, token)
);
CREATE INDEX request_keys_by_age ON public.request_keys (account_id, noted_at);

DO $$
DECLARE
  rule constant text := 'account_id = (SELECT longhand.account()) AND (SELECT longhand.is_service())';
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['servers', 'turn_leases', 'forgettings', 'forget_notices', 'request_keys'] LOOP
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('REVOKE ALL ON public.%I FROM PUBLIC', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON public.%I TO longhand_app', name);
    EXECUTE format('CREATE POLICY reading ON public.%I FOR SELECT USING (%s)', name, rule);
    EXECUTE format('CREATE POLICY adding ON public.%I FOR INSERT WITH CHECK (%s)', name, rule);
    EXECUTE format('CREATE POLICY changing ON public.%I FOR UPDATE USING (%s) WITH CHECK (%s)', name, rule, rule);
    EXECUTE format('CREATE POLICY removing ON public.%I FOR DELETE USING (%s)', name, rule);
  END LOOP;
END
$$;

-- @param key {id, label, access, user_id, agent_id, created_at, expires_at, revoked_at, last_used_at, sha256}
-- @returns whether it is there
CREATE FUNCTION longhand.add_key(claims text, key jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  INSERT INTO public.api_keys (account_id, key_id, user_id, role, digest, label, created_at, revoked_at, agent_id, expires_at,
    last_used_at)
  VALUES (account, key ->> 'id', key ->> 'user_id', key ->> 'access', decode(key ->> 'sha256', 'hex'), key ->> 'label',
    (key ->> 'created_at')::timestamptz, (key ->> 'revoked_at')::timestamptz, key ->> 'agent_id',
    (key ->> 'expires_at')::timestamptz, (key ->> 'last_used_at')::timestamptz)
  ON CONFLICT DO NOTHING;
  RETURN EXISTS (
    SELECT 1 FROM public.api_keys k
    WHERE k.account_id = account AND k.key_id = key ->> 'id' AND k.digest = decode(key ->> 'sha256', 'hex')
  );
END
$$;

-- @param id of one key; NULL: all, oldest first
CREATE FUNCTION longhand.find_keys(claims text, id text) RETURNS SETOF public.api_keys LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN QUERY SELECT * FROM public.api_keys k WHERE k.account_id = account AND (id IS NULL OR k.key_id = id)
    ORDER BY k.created_at, k.key_id;
END
$$;

CREATE FUNCTION longhand.revoke_key(claims text, id text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  UPDATE public.api_keys k SET revoked_at = coalesce(k.revoked_at, at) WHERE k.account_id = account AND k.key_id = id;
  RETURN FOUND;
END
$$;

CREATE FUNCTION longhand.note_key_use(claims text, id text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  UPDATE public.api_keys k SET last_used_at = greatest(k.last_used_at, at)
  WHERE k.account_id = account AND k.key_id = id;
END
$$;

-- Those who were removed too, by user id. @param whose of one; NULL: all
CREATE FUNCTION longhand.find_members(claims text, whose text) RETURNS SETOF public.account_members LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN QUERY SELECT * FROM public.account_members m
    WHERE m.account_id = account AND (whose IS NULL OR m.user_id = whose)
    ORDER BY m.user_id COLLATE "C";
END
$$;

-- Changes of members are one after another: of two that each take one of the last two admins away, one is refused.
-- @param next the role; NULL removes the member
-- @returns done, missing, last_admin
CREATE FUNCTION longhand.set_member(claims text, whose text, next text, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  present text;
BEGIN
  PERFORM longhand.touch(account, 'ledger', '', '');
  SELECT m.role INTO present FROM public.account_members m
    WHERE m.account_id = account AND m.user_id = whose AND m.removed_at IS NULL;
  IF next IS NULL AND present IS NULL THEN RETURN 'missing'; END IF;
  IF present = 'admin' AND next IS DISTINCT FROM 'admin' AND NOT EXISTS (
    SELECT 1 FROM public.account_members m
    WHERE m.account_id = account AND m.role = 'admin' AND m.removed_at IS NULL AND m.user_id <> whose
  ) THEN RETURN 'last_admin'; END IF;
  IF next IS NULL THEN
    UPDATE public.account_members m SET removed_at = at WHERE m.account_id = account AND m.user_id = whose;
  ELSE
    INSERT INTO public.account_members AS m (account_id, user_id, role, created_at) VALUES (account, whose, next, at)
    ON CONFLICT (account_id, user_id) DO UPDATE SET role = next, removed_at = NULL,
      created_at = CASE WHEN m.removed_at IS NULL THEN m.created_at ELSE at END;
  END IF;
  RETURN 'done';
END
$$;

-- Whether a server holds what it holds. It does so beyond its time until another one buries it.
CREATE FUNCTION longhand.is_alive(account text, server text) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (
  SELECT 1 FROM public.servers s WHERE s.account_id = account AND s.server_id = server AND s.expires_at > clock_timestamp()
);

-- What a server held that is gone. It learns so by its next call, if it lives after all.
CREATE FUNCTION longhand.bury(claims text, gone text[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  DELETE FROM public.servers s WHERE s.account_id = account AND s.server_id = ANY (gone);
  DELETE FROM public.turn_leases t WHERE t.account_id = account AND t.server_id = ANY (gone);
  DELETE FROM public.forgettings f WHERE f.account_id = account AND f.server_id = ANY (gone);
END
$$;

-- Buries all servers of the account that have not renewed their rows in time.
CREATE FUNCTION longhand.bury_expired(claims text, account text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  gone text[];
BEGIN
  SELECT array_agg(s.server_id) INTO gone FROM public.servers s
    WHERE s.account_id = account AND s.expires_at <= clock_timestamp();
  IF gone IS NOT NULL THEN PERFORM longhand.bury(claims, gone); END IF;
END
$$;

-- Renews a server’s row, or makes it. @param is_new whether it has none yet @returns false when it was buried
CREATE FUNCTION longhand.stay(account text, server text, is_new boolean, milliseconds integer) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  until constant timestamptz := clock_timestamp() + milliseconds * interval '1 millisecond';
BEGIN
  IF is_new THEN
    INSERT INTO public.servers (account_id, server_id, expires_at) VALUES (account, server, until)
    ON CONFLICT (account_id, server_id) DO UPDATE SET expires_at = until;
    RETURN true;
  END IF;
  UPDATE public.servers s SET expires_at = until WHERE s.account_id = account AND s.server_id = server;
  RETURN FOUND;
END
$$;

-- Turns of a session, for one server at a time. Against forgettings that begin in this moment, both take one lock.
-- @returns taken; held (another server was asked to let go); forgetting (wait until it is over); lost (the server was buried)
CREATE FUNCTION longhand.take_turns(
  claims text, session text, parties text[], server text, is_new boolean, milliseconds integer
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  holder text;
BEGIN
  IF NOT longhand.stay(account, server, is_new, milliseconds) THEN RETURN 'lost'; END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('longhand forgettings ' || account, 0));
  IF EXISTS (SELECT 1 FROM public.forgettings f WHERE f.account_id = account AND f.concerned = ANY (parties)
      AND longhand.is_alive(account, f.server_id)) THEN RETURN 'forgetting'; END IF;
  SELECT t.server_id INTO holder FROM public.turn_leases t WHERE t.account_id = account AND t.session_key = session;
  IF holder <> server AND NOT longhand.is_alive(account, holder) THEN PERFORM longhand.bury(claims, ARRAY[holder]); END IF;
  INSERT INTO public.turn_leases AS t (account_id, session_key, server_id, concerns) VALUES (account, session, server, parties)
  ON CONFLICT (account_id, session_key) DO UPDATE SET concerns = excluded.concerns
    WHERE t.server_id = excluded.server_id;
  IF FOUND THEN RETURN 'taken'; END IF;
  UPDATE public.turn_leases t SET wanted = coalesce(t.wanted, 'turn') WHERE t.account_id = account AND t.session_key = session;
  RETURN 'held';
END
$$;

-- What others want of a server that holds turns; a row without a session when it was buried.
CREATE FUNCTION longhand.pulse(claims text, server text, renews boolean, milliseconds integer)
RETURNS TABLE (session text, wanted text) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  IF NOT (CASE WHEN renews THEN longhand.stay(account, server, false, milliseconds)
      ELSE EXISTS (SELECT 1 FROM public.servers s WHERE s.account_id = account AND s.server_id = server) END) THEN
    RETURN QUERY SELECT NULL::text, 'lost';
    RETURN;
  END IF;
  RETURN QUERY SELECT t.session_key, t.wanted FROM public.turn_leases t
    WHERE t.account_id = account AND t.server_id = server AND t.wanted IS NOT NULL;
END
$$;

CREATE FUNCTION longhand.let_go(claims text, sessions text[], server text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  DELETE FROM public.turn_leases t
  WHERE t.account_id = account AND t.session_key = ANY (sessions) AND t.server_id = server;
END
$$;

-- The holder has done what it was asked; what was asked since stays.
CREATE FUNCTION longhand.have_gathered(claims text, session text, asked text, server text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  UPDATE public.turn_leases t SET wanted = NULL
  WHERE t.account_id = account AND t.session_key = session AND t.server_id = server AND t.wanted = asked;
END
$$;

-- Asks the other servers to archive what waits of sessions that something concerns. @returns how many sessions
CREATE FUNCTION longhand.gather(claims text, what text, asked text, server text) RETURNS integer LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  many integer;
BEGIN
  PERFORM longhand.bury_expired(claims, account);
  UPDATE public.turn_leases t SET wanted = CASE WHEN t.wanted IN ('turn', 'forget') THEN t.wanted ELSE asked END
  WHERE t.account_id = account AND t.server_id <> server AND what = ANY (t.concerns);
  GET DIAGNOSTICS many = ROW_COUNT;
  RETURN many;
END
$$;

-- Sessions of other servers that something concerns. @param unanswered those alone of which something is still wanted
CREATE FUNCTION longhand.held_elsewhere(claims text, what text, server text, unanswered boolean) RETURNS integer LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  PERFORM longhand.bury_expired(claims, account);
  RETURN (SELECT count(*) FROM public.turn_leases t WHERE t.account_id = account AND t.server_id <> server
    AND what = ANY (t.concerns) AND (t.wanted IS NOT NULL OR NOT unanswered));
END
$$;

-- From here on no server takes turns that it concerns, and those that have some are asked to call them off.
-- @returns how many sessions of others it concerns; NULL when the server was buried
CREATE FUNCTION longhand.begin_forgetting(
  claims text, id text, what text, server text, is_new boolean, milliseconds integer
) RETURNS integer LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  many integer;
BEGIN
  IF NOT longhand.stay(account, server, is_new, milliseconds) THEN RETURN NULL; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('longhand forgettings ' || account, 0));
  PERFORM longhand.bury_expired(claims, account);
  INSERT INTO public.forgettings (account_id, forgetting_id, server_id, concerned) VALUES (account, id, server, what)
  ON CONFLICT DO NOTHING;
  UPDATE public.turn_leases t SET wanted = 'forget'
  WHERE t.account_id = account AND t.server_id <> server AND what = ANY (t.concerns);
  GET DIAGNOSTICS many = ROW_COUNT;
  RETURN many;
END
$$;

CREATE FUNCTION longhand.end_forgetting(claims text, id text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  DELETE FROM public.forgettings f WHERE f.account_id = account AND f.forgetting_id = id;
END
$$;

CREATE FUNCTION longhand.leave_notice(claims text, what text, text_of_it text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  INSERT INTO public.forget_notices (account_id, concerned, notice) VALUES (account, '', text_of_it), (account, what, text_of_it)
  ON CONFLICT (account_id, concerned) DO UPDATE SET notice = excluded.notice;
END
$$;

-- @param what NULL: anything
CREATE FUNCTION longhand.notices(claims text, what text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN (SELECT coalesce(string_agg(n.notice, ' ' ORDER BY n.concerned), '') FROM public.forget_notices n
    WHERE n.account_id = account AND n.concerned = ANY (coalesce(what, ARRAY[''])));
END
$$;

-- Notes a request before it is carried out. One that was begun and not ended in time may be begun again.
-- @returns new, running, done, other (the key was used for another request)
CREATE FUNCTION longhand.begin_request(claims text, named text, hash text, milliseconds integer, keep interval)
RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  present public.request_keys;
BEGIN
  DELETE FROM public.request_keys r WHERE r.account_id = account AND r.token IN (
    SELECT o.token FROM public.request_keys o WHERE o.account_id = account AND o.noted_at < clock_timestamp() - keep LIMIT 10
    FOR UPDATE SKIP LOCKED
  );
  INSERT INTO public.request_keys (account_id, token, request_hash) VALUES (account, named, hash) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN 'new'; END IF;
  SELECT * INTO present FROM public.request_keys r WHERE r.account_id = account AND r.token = named FOR UPDATE;
  IF NOT FOUND THEN RETURN 'running'; END IF;
  IF present.request_hash <> hash THEN RETURN 'other'; END IF;
  IF present.is_done THEN RETURN 'done'; END IF;
  IF present.noted_at > clock_timestamp() - milliseconds * interval '1 millisecond' THEN RETURN 'running'; END IF;
  UPDATE public.request_keys r SET noted_at = clock_timestamp() WHERE r.account_id = account AND r.token = named;
  RETURN 'new';
END
$$;

-- @param was_done false: nothing was done, and the key is free again
CREATE FUNCTION longhand.end_request(claims text, named text, was_done boolean) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  IF was_done THEN
    UPDATE public.request_keys r SET is_done = true WHERE r.account_id = account AND r.token = named;
  ELSE
    DELETE FROM public.request_keys r WHERE r.account_id = account AND r.token = named;
  END IF;
END
$$;

-- Only the application sets claims. What policies and views call is open to every role.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA longhand FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA longhand TO longhand_app;
GRANT EXECUTE ON FUNCTION longhand.claims(), longhand.account(), longhand.principal(), longhand.is_service(), longhand.is_admin(),
  longhand.json_of(text), longhand.time_of(text, timestamptz), longhand.whole_characters(bytea) TO PUBLIC;

INSERT INTO longhand.schema_versions (version) VALUES ('0006_servers');
