-- Supabase grants everything in `public` to its roles by default. Writers must go through the functions, which keep numbers
-- and checksums: these roles get nothing until they are granted what to read (docs/supabase.md).
DO $$
DECLARE
  relation regclass;
  name text;
BEGIN
  FOR name IN SELECT rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated') LOOP
    FOR relation IN
      SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        AND (has_table_privilege('longhand_app', c.oid, 'SELECT') OR c.relispartition AND c.relname ~ '^memory_entries_\d+$')
    LOOP
      EXECUTE format('REVOKE ALL ON %s FROM %I', relation, name);
    END LOOP;
  END LOOP;
END
$$;

-- Since Postgres 16, who makes a role is a member that may grant it, and may not use it yet.
DO $$
BEGIN
  EXECUTE format('GRANT longhand_app TO %I', current_user);
EXCEPTION WHEN insufficient_privilege THEN
  -- An administrator has made the role, and this login a member.
  NULL;
END
$$;

INSERT INTO longhand.schema_versions (version) VALUES ('0008_roles');
