-- A server that starts where another one was killed goes on with the sessions of which messages wait on its disk, so that no
-- other server makes a turn of them before these are archived. What else the killed one held is free.
-- @returns the sessions; what others want of them stands
CREATE FUNCTION longhand.inherit(claims text, gone text[], sessions text[], server text, milliseconds integer)
RETURNS SETOF text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
BEGIN
  PERFORM longhand.stay(account, server, true, milliseconds);
  RETURN QUERY UPDATE public.turn_leases t SET server_id = server
    WHERE t.account_id = account AND t.server_id = ANY (gone) AND t.session_key = ANY (sessions) RETURNING t.session_key;
  PERFORM longhand.bury(claims, gone);
END
$$;
REVOKE ALL ON FUNCTION longhand.inherit(text, text[], text[], text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.inherit(text, text[], text[], text, integer) TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0013_inherit');
