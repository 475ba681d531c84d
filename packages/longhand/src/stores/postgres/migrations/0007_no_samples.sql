-- The planner's samples of a column (pg_statistic) hold values as they are, and outlive the rows that they were taken from.
-- None are taken of what people said.
DO $$
DECLARE
  of_column record;
BEGIN
  FOR of_column IN
    SELECT * FROM (VALUES
      ('memory_entries', 'line'), ('recent_conversation_history', 'line'), ('recent_conversation_history', 'message_batch'),
      ('transcript_log', 'line'), ('agent_sessions', 'summary'), ('agent_long_term_memory', 'notes'), ('note_versions', 'line'),
      ('agent_log', 'line'), ('detail_log', 'line'), ('detail_values', 'bytes'), ('erasure_ledger', 'line'), ('documents', 'body'),
      ('quarantined_lines', 'line'), ('recall_manifests', 'manifest'), ('recall_segments', 'bytes')
    ) AS c (in_table, name)
  LOOP
    EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET STATISTICS 0', of_column.in_table, of_column.name);
  END LOOP;
END
$$;

INSERT INTO longhand.schema_versions (version) VALUES ('0007_no_samples');
