-- The first look at a user brings what a search begins with: the heads of the user's logs, and whether there is an index.

DROP FUNCTION longhand.look(text, text[], text[], text[], text[]);

-- @param notes_users, notes_agents of each log of notes whose text is wanted; `change` of its row is its place in the lists
-- @param new_users those of the users whom the caller does not know. Of each: the heads of the logs, those that changed last,
--   in the order of their changes; with the user, the generation when these are all; and whether there is no index, no file
--   of one and no process that makes one
CREATE FUNCTION longhand.look(
  claims text, users text[], agents text[], notes_users text[], notes_agents text[], new_users text[]
) RETURNS TABLE (kind text, id text, change bigint, text text, head jsonb) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  most integer := 200;
BEGIN
  RETURN QUERY SELECT 'user', u.user_id, u.change, CASE WHEN u.user_id = ANY (new_users) AND most >= (
      SELECT count(*) FROM (
        SELECT 1 FROM public.log_heads t WHERE t.user_id = u.user_id AND t.account_id = account AND t.change > 0 LIMIT most + 1
      ) AS newest
    ) THEN u.generation END, NULL::jsonb FROM public.users u
    WHERE u.user_id = ANY (users) AND u.account_id = account;
  RETURN QUERY SELECT 'agent', a.agent_id, a.change, NULL::text, NULL::jsonb FROM public.agents a
    WHERE a.account_id = account AND a.agent_id = ANY (agents);
  RETURN QUERY SELECT 'notes', n.agent_name, w.place, n.notes, NULL::jsonb
    FROM unnest(notes_users, notes_agents) WITH ORDINALITY AS w (user_id, agent_name, place)
    JOIN public.agent_long_term_memory n
      ON n.account_id = account AND n.user_id = w.user_id AND n.agent_name = w.agent_name;
  IF new_users = '{}' THEN RETURN; END IF;
  RETURN QUERY SELECT 'head', h.log_id, h.change, h.kind, jsonb_build_object(
      'user', h.user_id, 'incarnation', h.incarnation, 'generation', h.generation, 'lastSeq', h.last_seq,
      'lines', h.line_count, 'log', h.log_bytes, 'index', h.index_bytes, 'tombstones', h.tombstone_bytes, 'change', u.change)
    FROM public.users u CROSS JOIN LATERAL (
      SELECT * FROM public.log_heads t WHERE t.user_id = u.user_id AND t.account_id = account AND t.change > 0
      ORDER BY t.change DESC LIMIT most
    ) AS h
    WHERE u.user_id = ANY (new_users) AND u.account_id = account ORDER BY h.change;
  RETURN QUERY SELECT 'no index', w.user_id, NULL::bigint, NULL::text, NULL::jsonb FROM unnest(new_users) AS w (user_id)
    WHERE NOT EXISTS (
      SELECT 1 FROM public.recall_manifests m WHERE m.user_id = w.user_id AND m.account_id = account AND m.family = 'index'
    ) AND NOT EXISTS (
      SELECT 1 FROM public.recall_segments s WHERE s.user_id = w.user_id AND s.account_id = account AND s.family = 'index'
    ) AND NOT EXISTS (
      SELECT 1 FROM public.leases l WHERE l.account_id = account AND l.user_id = w.user_id
        AND l.name IN ('index', 'publish index') AND l.expires_at > clock_timestamp()
    );
END
$$;

REVOKE ALL ON FUNCTION longhand.look(text, text[], text[], text[], text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.look(text, text[], text[], text[], text[], text[]) TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0011_first_look');
