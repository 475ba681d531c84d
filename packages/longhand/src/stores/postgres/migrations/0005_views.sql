-- The tables that people expect, as views over the logs. `security_invoker`: policies count as if the logs were asked.

-- Without what is left of a character at the end: a page of a long text may end inside one.
CREATE FUNCTION longhand.whole_characters(bytes bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  byte integer;
BEGIN
  FOR behind IN 1..least(4, length(bytes)) LOOP
    byte := get_byte(bytes, length(bytes) - behind);
    IF byte < 128 THEN RETURN bytes; END IF;
    IF byte >= 192 THEN
      RETURN CASE WHEN behind < (CASE WHEN byte >= 240 THEN 4 WHEN byte >= 224 THEN 3 ELSE 2 END)
        THEN substr(bytes, 1, length(bytes) - behind) ELSE bytes END;
    END IF;
  END LOOP;
  RETURN bytes;
END
$$;

CREATE VIEW public.chat_sessions WITH (security_invoker = true) AS
SELECT session_id, user_id, agent_name, summary, summarized_count, created_at, last_activity_at FROM public.agent_sessions;

CREATE VIEW public.chat_messages WITH (security_invoker = true) AS
SELECT m ->> 'id' AS id, h.session_id, h.user_id,
  CASE m ->> 'sender' WHEN 'ai' THEN 'assistant' ELSE m ->> 'sender' END AS role,
  m ->> 'text' AS content, longhand.time_of(m ->> 'timestamp', h.archived_at) AS created_at
FROM public.recent_conversation_history h, jsonb_array_elements(h.message_batch) AS m;

-- The newest line of each memory that no later record deletes.
CREATE VIEW public.memories WITH (security_invoker = true) AS
WITH records AS (
  SELECT e.user_id, e.account_id, e.session_id, e.seq, longhand.json_of(e.line) AS fields FROM public.memory_entries e
), written AS (
  SELECT DISTINCT ON (r.user_id, r.account_id, r.session_id, r.fields ->> 'id') r.* FROM records r
  WHERE r.fields ? 'id' AND NOT r.fields ? 'record'
  ORDER BY r.user_id, r.account_id, r.session_id, r.fields ->> 'id', r.seq DESC
)
SELECT w.fields ->> 'id' AS id, w.session_id, w.user_id, w.fields ->> 'type' AS type, w.fields -> 'content' AS content,
  coalesce((
    SELECT (i.fields ->> 'importance')::double precision FROM records i
    WHERE i.user_id = w.user_id AND i.account_id = w.account_id AND i.session_id = w.session_id AND i.seq > w.seq
      AND i.fields ->> 'record' = 'importance' AND i.fields ->> 'id' = w.fields ->> 'id' ORDER BY i.seq DESC LIMIT 1
  ), (w.fields ->> 'importance')::double precision) AS importance,
  w.fields -> 'tags' AS tags, longhand.time_of(w.fields ->> 'timestamp', NULL) AS created_at, w.account_id,
  longhand.time_of(w.fields ->> 'updated_at', NULL) AS updated_at, w.fields -> 'references' AS "references",
  w.fields -> 'replaces' AS replaces, w.fields -> 'provenance' AS provenance
FROM written w
WHERE NOT EXISTS (
  SELECT 1 FROM records d WHERE d.user_id = w.user_id AND d.account_id = w.account_id AND d.session_id = w.session_id
    AND d.seq > w.seq AND d.fields ->> 'record' = 'delete' AND d.fields -> 'ids' ? (w.fields ->> 'id')
);

-- Journal and core of agents, details, and short memories.
CREATE VIEW public.agent_memories WITH (security_invoker = true) AS
WITH agent_records AS (
  SELECT a.account_id, a.agent_id, a.user_id, a.seq, longhand.json_of(a.line) AS fields FROM public.agent_log a
), agent_written AS (
  SELECT DISTINCT ON (r.account_id, r.agent_id, r.fields ->> 'id') r.* FROM agent_records r
  WHERE r.fields ->> 'record' = 'agent_memory'
  ORDER BY r.account_id, r.agent_id, r.fields ->> 'id', r.seq DESC
)
SELECT a.fields ->> 'id' AS id, a.account_id, a.user_id, a.agent_id, a.fields -> 'provenance' ->> 'session_id' AS thread_id,
  a.fields ->> 'id' AS memory_key, a.fields ->> 'memory_type' AS memory_type, NULL::text AS summary,
  a.fields ->> 'content' AS content, '{}'::jsonb AS content_metadata,
  longhand.time_of(a.fields ->> 'created_at', NULL) AS created_at, longhand.time_of(a.fields ->> 'timestamp', NULL) AS updated_at,
  true AS is_active
FROM agent_written a
WHERE NOT EXISTS (
  SELECT 1 FROM agent_records d WHERE d.account_id = a.account_id AND d.agent_id = a.agent_id AND d.seq > a.seq
    AND d.fields ->> 'record' = 'delete' AND d.fields -> 'ids' ? (a.fields ->> 'id')
)
UNION ALL
SELECT d.memory_key, d.account_id, d.user_id, f.fields ->> 'agent_id', d.session_id, d.memory_key, f.fields ->> 'memory_type',
  f.fields ->> 'summary',
  -- The whole text up to 1 MB, else its first page.
  (SELECT CASE WHEN (f.fields ->> 'is_utf8')::boolean IS FALSE THEN NULL
      ELSE convert_from(longhand.whole_characters(string_agg(c.bytes, ''::bytea ORDER BY c.chunk)), 'UTF8') END
    FROM public.detail_values v JOIN public.detail_values c
      ON c.user_id = v.user_id AND c.account_id = v.account_id AND c.value_id = v.value_id
      AND (v.size_bytes <= 1048576 OR c.chunk = 0)
    WHERE v.user_id = d.user_id AND v.account_id = d.account_id AND v.session_id = d.session_id AND v.name = f.fields ->> 'blob'),
  coalesce(f.fields -> 'content_metadata', '{}'), longhand.time_of(f.fields ->> 'timestamp', NULL),
  longhand.time_of(f.fields ->> 'timestamp', NULL),
  coalesce((
    SELECT (longhand.json_of(s.line) ->> 'is_active')::boolean FROM public.detail_log s
    WHERE s.user_id = d.user_id AND s.account_id = d.account_id AND s.memory_key = d.memory_key AND s.session_id = d.session_id
      AND s.seq > d.seq AND longhand.json_of(s.line) ->> 'record' = 'active' ORDER BY s.seq DESC LIMIT 1
  ), true)
FROM public.detail_log d, LATERAL (SELECT longhand.json_of(d.line) AS fields OFFSET 0) AS f
WHERE d.memory_key IS NOT NULL AND f.fields ->> 'record' = 'detail' AND NOT EXISTS (
  SELECT 1 FROM public.detail_log g WHERE g.user_id = d.user_id AND g.account_id = d.account_id AND g.session_id = d.session_id
    AND g.seq > d.seq AND (
      g.memory_key = d.memory_key AND longhand.json_of(g.line) ->> 'record' = 'detail'
      OR g.memory_key IS NULL AND longhand.json_of(g.line) ->> 'record' IN ('remove', 'sweep')
        AND longhand.json_of(g.line) -> 'blobs' ? (f.fields ->> 'blob'))
)
UNION ALL
SELECT m.id, m.account_id, m.user_id, m.provenance ->> 'agent_id', m.session_id, m.id, coalesce(m.content ->> 'kind', m.type),
  m.content ->> 'text', m.content ->> 'text', m.content - 'text', m.created_at, coalesce(m.updated_at, m.created_at), true
FROM public.memories m WHERE m.type <> 'conversation';

GRANT SELECT ON public.chat_sessions, public.chat_messages, public.memories, public.agent_memories TO longhand_app;

INSERT INTO longhand.schema_versions (version) VALUES ('0005_views');
