-- Appends of many users that wait together, each to a session that is there, are written by four statements in place of
-- four for each. Anything else among them is left to append_one.

-- @returns no rows when they are not of that kind, or one of them is to be refused; nothing is written then
CREATE OR REPLACE FUNCTION longhand.append_together(account text, items jsonb, bodies text[])
RETURNS SETOF longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  n integer := jsonb_array_length(items);
  named text[];
  is_plain boolean;
  is_full boolean;
  owners text[];
  ids text[];
  tokens text[];
  counts integer[];
  added bigint[];
  changes bigint[];
  line_items integer[];
  seqs bigint[];
  lines text[];
BEGIN
  SELECT array_agg(DISTINCT i."user"), bool_and(i.kind = 'session' AND i."user" <> '' AND i."create" IS DISTINCT FROM 'new'
      AND NOT i.again AND i.expected IS NULL AND i.bodies > 0 AND i.tombstones = 0)
    INTO named, is_plain
    FROM jsonb_to_recordset(items) AS i (kind text, "user" text, "create" text, again boolean, expected jsonb, bodies integer, tombstones integer);
  -- Each user once: a change number stands for one change.
  IF is_plain IS NOT TRUE OR cardinality(named) <> n THEN RETURN; END IF;
  -- All owners in one order, or two groups could wait for one another.
  PERFORM 1 FROM public.users u WHERE u.account_id = account AND u.user_id = ANY (named) ORDER BY u.user_id FOR NO KEY UPDATE;

  WITH item AS (
    SELECT e.o, r.*, (sum(r.bodies) OVER (ORDER BY e.o) - r.bodies)::integer AS bodies_before
    FROM jsonb_array_elements(items) WITH ORDINALITY AS e (each, o),
      jsonb_to_record(e.each) AS r (id text, "user" text, incarnation text, token text, "maxBytes" bigint, bodies integer)
  ), head AS (
    SELECT i.*, h.user_id, h.log_id, h.last_seq, h.log_bytes + h.index_bytes + h.tombstone_bytes AS size, u.change + 1 AS next_change
    FROM item i
    JOIN public.log_heads h ON h.user_id = i."user" AND h.account_id = account AND h.kind = 'session' AND h.log_id = i.id
    JOIN public.users u ON u.user_id = i."user" AND u.account_id = account
    WHERE coalesce(i.incarnation, h.incarnation) = h.incarnation
  ), line AS (
    -- As line_of makes them.
    SELECT h.o, h.last_seq + k AS seq, c.covered || ',"checksum":"sha256:' || encode(sha256(convert_to(c.covered, 'UTF8')), 'hex') || '"}' AS line
    FROM head h, generate_series(1, h.bodies) AS k,
      LATERAL (SELECT left(bodies[h.bodies_before + k], -1) || ',"seq":' || (h.last_seq + k) AS covered OFFSET 0) AS c
  ), weighed AS (
    SELECT h.*, (SELECT sum(octet_length(l.line) + 1) FROM line l WHERE l.o = h.o) AS added FROM head h
  ), all_items AS (
    SELECT array_agg(w.user_id ORDER BY w.o) AS owners, array_agg(w.log_id ORDER BY w.o) AS ids, array_agg(w.token ORDER BY w.o) AS tokens,
      array_agg(w.bodies ORDER BY w.o) AS counts, array_agg(w.added ORDER BY w.o) AS added,
      array_agg(w.next_change ORDER BY w.o) AS changes, bool_or(w.size + w.added > w."maxBytes") AS is_full
    FROM weighed w
  )
  SELECT a.owners, a.ids, a.tokens, a.counts, a.added, a.changes, a.is_full,
      (SELECT array_agg(l.o::integer ORDER BY l.o, l.seq) FROM line l), (SELECT array_agg(l.seq ORDER BY l.o, l.seq) FROM line l),
      (SELECT array_agg(l.line ORDER BY l.o, l.seq) FROM line l)
    INTO owners, ids, tokens, counts, added, changes, is_full, line_items, seqs, lines FROM all_items a;
  IF cardinality(owners) IS DISTINCT FROM n OR is_full THEN RETURN; END IF;

  UPDATE public.users u SET change = u.change + 1 WHERE u.account_id = account AND u.user_id = ANY (owners);
  UPDATE public.log_heads t SET last_seq = t.last_seq + i.bodies, line_count = t.line_count + i.bodies,
      log_bytes = t.log_bytes + i.added, change = i.change, last_append = i.token
    FROM unnest(owners, ids, counts, added, changes, tokens) AS i (owner, id, bodies, added, change, token)
    WHERE t.user_id = i.owner AND t.account_id = account AND t.kind = 'session' AND t.log_id = i.id;
  INSERT INTO public.memory_entries (user_id, account_id, session_id, seq, change, line)
    SELECT owners[l.item], account, ids[l.item], l.seq, changes[l.item], l.line FROM unnest(line_items, seqs, lines) AS l (item, seq, line);
  RETURN QUERY SELECT 'done', t.last_seq - i.bodies + 1, t.last_seq, NULL::bigint, t.log_bytes, t.index_bytes, t.tombstone_bytes,
      t.user_id, t.incarnation, t.generation, t.change, t.line_count
    FROM unnest(owners, ids, counts) WITH ORDINALITY AS i (owner, id, bodies, o)
    JOIN public.log_heads t ON t.user_id = i.owner AND t.account_id = account AND t.kind = 'session' AND t.log_id = i.id
    ORDER BY i.o;
END
$$;
REVOKE ALL ON FUNCTION longhand.append_together(text, jsonb, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longhand.append_together(text, jsonb, text[]) TO longhand_app;

CREATE OR REPLACE FUNCTION longhand.append(claims text, items jsonb, bodies text[], tombstones text[])
RETURNS SETOF longhand.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  account text := longhand.enter(claims);
  item record;
  body_at integer := 0;
  tombstone_at integer := 0;
BEGIN
  IF jsonb_array_length(items) > 1 THEN
    RETURN QUERY SELECT * FROM longhand.append_together(account, items, bodies);
    IF FOUND THEN RETURN; END IF;
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

INSERT INTO longhand.schema_versions (version) VALUES ('0009_append_together');
