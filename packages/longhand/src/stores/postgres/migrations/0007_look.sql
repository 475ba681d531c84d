-- A look at the beginning of a request: change numbers of owners, and the notes that the request will read.

-- @param notes_users, notes_agents of each log of notes whose text is wanted; `change` of its row is its place in the lists
CREATE FUNCTION longhand.look(claims text, users text[], agents text[], notes_users text[], notes_agents text[])
RETURNS TABLE (kind text, id text, change bigint, text text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  RETURN QUERY SELECT 'user', u.user_id, u.change, NULL::text FROM public.users u
    WHERE u.user_id = ANY (users) AND u.account_id = account;
  RETURN QUERY SELECT 'agent', a.agent_id, a.change, NULL::text FROM public.agents a
    WHERE a.account_id = account AND a.agent_id = ANY (agents);
  RETURN QUERY SELECT 'notes', n.agent_name, w.place, n.notes
    FROM unnest(notes_users, notes_agents) WITH ORDINALITY AS w (user_id, agent_name, place)
    JOIN public.agent_long_term_memory n
      ON n.account_id = account AND n.user_id = w.user_id AND n.agent_name = w.agent_name;
END
$$;

REVOKE ALL ON FUNCTION longhand.look(text, text[], text[], text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.look(text, text[], text[], text[], text[]) TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0007_look');
