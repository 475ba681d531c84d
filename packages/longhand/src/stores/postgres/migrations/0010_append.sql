-- Appends, faster: the texts come as one text, and most go a way of three statements.

-- Found by nothing: readers ask for numbers of lines.
DROP INDEX public.memory_entries_by_change;

-- How many digits all numbers from one to another have.
CREATE FUNCTION longhand.digits(low bigint, high bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT AS $$
#variable_conflict use_variable
DECLARE
  total bigint := 0;
  most bigint;
BEGIN
  WHILE low <= high LOOP
    most := least(high, (10 ^ length(low::text))::bigint - 1);
    total := total + (most - low + 1) * length(low::text);
    low := most + 1;
  END LOOP;
  RETURN total;
END
$$;

DROP FUNCTION longhand.append(text, jsonb, text[], text[]);

-- Appends that wait together; each is answered for itself, in their order.
-- @param items {kind, id, user, incarnation, create, token, again, expected, maxBytes, bodies, tombstones (how many of each),
--   at (the place of the first body), octets (of all its bodies), is_plain (adds memories to the session of a user and
--   nothing else)}
-- @param texts the bodies of all, a line each
CREATE FUNCTION longhand.append(claims text, items jsonb, texts text, tombstones text[])
RETURNS SETOF longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  bodies text[] := string_to_array(texts, E'\n');
  item record;
  o longhand.outcome;
  outcomes longhand.outcome[];
  tombstone_at integer := 0;
BEGIN
  IF jsonb_array_length(items) > 1 THEN
    -- All owners first and in one order, or two groups could wait for one another.
    PERFORM 1 FROM public.users u WHERE u.account_id = account AND u.user_id IN (
      SELECT CASE WHEN i.is_plain THEN i."user" ELSE longhand.owner_of(account, i.kind, i.id, i."user") END
      FROM jsonb_to_recordset(items) AS i (kind text, id text, "user" text, is_plain boolean)
    ) ORDER BY u.user_id FOR NO KEY UPDATE;
  END IF;
  outcomes := longhand.append_plain(account, items, bodies);
  FOR item IN SELECT * FROM ROWS FROM (jsonb_to_recordset(items) AS (
    kind text, id text, "user" text, incarnation text, "create" text, token text, again boolean, expected jsonb,
    "maxBytes" bigint, at integer, bodies integer, tombstones integer
  )) WITH ORDINALITY AS i (kind, id, "user", incarnation, "create", token, again, expected, "maxBytes", at, bodies, tombstones, place)
  LOOP
    o := outcomes[item.place];
    IF o.status IS NULL THEN
      o := longhand.append_one(
        account, item.kind, item.id, item."user", item.incarnation, item."create", item.token, item.again, item.expected,
        item."maxBytes", bodies[item.at + 1 : item.at + item.bodies],
        tombstones[tombstone_at + 1 : tombstone_at + item.tombstones]
      );
    END IF;
    tombstone_at := tombstone_at + item.tombstones;
    RETURN NEXT o;
  END LOOP;
END
$$;

-- The plain ones of a group in one statement: the owners' rows, the heads, the lines. An outcome that is NULL was not
-- met with here (no such log, no room, a conflict): append_one tells.
CREATE FUNCTION longhand.append_plain(account text, items jsonb, bodies text[]) RETURNS longhand.outcome[] LANGUAGE plpgsql
-- Every row is found by its key, however many the planner expects.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_variable
DECLARE
  item record;
  outcomes longhand.outcome[];
BEGIN
  FOR item IN
    WITH told AS MATERIALIZED (
      SELECT i.*, row_number() OVER (PARTITION BY i."user" ORDER BY i.place) AS nth,
        -- Those to one log keep their order: all of them come here, or none does.
        bool_and(i.is_plain) OVER (PARTITION BY i.id) AS is_met,
        sum(i.bodies) OVER so_far AS bodies_so_far, sum(i.octets) OVER so_far AS octets_so_far
      FROM ROWS FROM (jsonb_to_recordset(items) AS (id text, "user" text, incarnation text, token text, expected jsonb,
        "maxBytes" bigint, at integer, bodies integer, octets bigint, is_plain boolean)) WITH ORDINALITY
        AS i (id, "user", incarnation, token, expected, "maxBytes", at, bodies, octets, is_plain, place)
      WINDOW so_far AS (PARTITION BY i.id ORDER BY i.place)
    ), asked AS (
      SELECT t."user", t.id, sum(t.bodies) AS bodies, sum(t.octets) AS octets, max(t.nth) AS nth, min(t."maxBytes") AS max_bytes,
        min(t.incarnation) AS life, (array_agg(t.token ORDER BY t.place DESC))[1] AS token,
        (array_agg(t.expected ORDER BY t.place))[1] AS expected
      FROM told t WHERE t.is_met GROUP BY t."user", t.id
      HAVING count(t.incarnation) IN (0, count(*)) AND count(DISTINCT t.incarnation) < 2
    ), owner AS (
      UPDATE public.users u SET change = u.change + a.number
      FROM (SELECT "user" AS id, max(nth) AS number FROM asked GROUP BY 1) AS a
      WHERE u.user_id = a.id AND u.account_id = account
      RETURNING u.user_id, u.change - a.number AS before
    ), head AS (
      UPDATE public.log_heads t SET last_seq = t.last_seq + a.bodies, line_count = t.line_count + a.bodies,
        log_bytes = t.log_bytes + a.octets + 93 * a.bodies + longhand.digits(t.last_seq + 1, t.last_seq + a.bodies::bigint),
        change = w.before + a.nth, last_append = a.token
      FROM asked a JOIN owner w ON w.user_id = a."user"
      WHERE t.user_id = a."user" AND t.account_id = account AND t.kind = 'session' AND t.log_id = a.id
        AND (a.life IS NULL OR t.incarnation = a.life)
        AND (a.expected IS NULL OR t.generation = a.expected ->> 'generation'
          AND t.last_seq = (a.expected ->> 'lastSeq')::bigint AND t.tombstone_bytes = (a.expected ->> 'tombstones')::bigint)
        -- A number has 16 digits at most.
        AND (a.max_bytes IS NULL OR t.log_bytes + t.index_bytes + t.tombstone_bytes + a.octets + a.bodies * 109 <= a.max_bytes)
      RETURNING a.bodies, a.octets, t.*
    ), done AS (
      SELECT i.place, i.at, i.bodies, h.user_id, h.log_id, h.last_seq - h.bodies + i.bodies_so_far AS last_seq,
        h.line_count - h.bodies + i.bodies_so_far AS line_count, h.change, h.incarnation, h.generation, h.index_bytes, h.tombstone_bytes,
        h.log_bytes - (h.octets - i.octets_so_far) - 93 * (h.bodies - i.bodies_so_far)
          - longhand.digits((h.last_seq - h.bodies + i.bodies_so_far)::bigint + 1, h.last_seq) AS log_bytes
      FROM head h JOIN told i ON i."user" = h.user_id AND i.id = h.log_id
    ), added AS (
      INSERT INTO public.memory_entries (user_id, account_id, session_id, seq, change, line)
      SELECT d.user_id, account, d.log_id, l.seq, d.change,
        l.covered || ',"checksum":"sha256:' || encode(sha256(convert_to(l.covered, 'UTF8')), 'hex') || '"}'
      FROM done d, LATERAL (
        SELECT d.last_seq - d.bodies + b.o AS seq, left(b.body, -1) || ',"seq":' || (d.last_seq - d.bodies + b.o) AS covered
        FROM unnest(bodies[d.at + 1 : d.at + d.bodies]) WITH ORDINALITY AS b (body, o) OFFSET 0
      ) AS l
    )
    SELECT * FROM done
  LOOP
    outcomes[item.place] := ROW('done', item.last_seq - item.bodies + 1, item.last_seq, NULL, item.log_bytes, item.index_bytes,
      item.tombstone_bytes, item.user_id, item.incarnation, item.generation, item.change, item.line_count)::longhand.outcome;
  END LOOP;
  RETURN outcomes;
END
$$;

-- One memory for the session of a user: what happens most has a way of its own, in three short statements.
-- @returns without a status when this was not met with here, as above: `append` tells
CREATE FUNCTION longhand.add(claims text, named text, id text, life text, token text, max_bytes bigint, body text)
RETURNS longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  octets integer := octet_length(body);
  own_change bigint;
  h public.log_heads;
BEGIN
  UPDATE public.users u SET change = u.change + 1 WHERE u.user_id = named AND u.account_id = account
    RETURNING u.change INTO own_change;
  UPDATE public.log_heads t SET last_seq = t.last_seq + 1, line_count = t.line_count + 1,
    log_bytes = t.log_bytes + octets + 93 + length((t.last_seq + 1)::text), change = own_change, last_append = token
  WHERE t.user_id = named AND t.account_id = account AND t.kind = 'session' AND t.log_id = id
    AND (life IS NULL OR t.incarnation = life)
    AND (max_bytes IS NULL OR t.log_bytes + t.index_bytes + t.tombstone_bytes + octets + 109 <= max_bytes)
  RETURNING t.* INTO h;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO public.memory_entries (user_id, account_id, session_id, seq, change, line)
  VALUES (named, account, id, h.last_seq, own_change, longhand.line_of(body, h.last_seq));
  RETURN ('done', h.last_seq, h.last_seq, NULL, h.log_bytes, h.index_bytes, h.tombstone_bytes,
    h.user_id, h.incarnation, h.generation, own_change, h.line_count)::longhand.outcome;
END
$$;

REVOKE ALL ON FUNCTION longhand.add(text, text, text, text, text, bigint, text), longhand.append(text, jsonb, text, text[]), 
  longhand.append_plain(text, jsonb, text[]), longhand.digits(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.add(text, text, text, text, text, bigint, text), longhand.append(text, jsonb, text, text[]), 
  longhand.append_plain(text, jsonb, text[]), longhand.digits(bigint, bigint) TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0010_append');
