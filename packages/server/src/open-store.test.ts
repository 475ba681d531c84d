import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from './config/load-config.ts';
import { openManager } from './open-store.ts';

it('tells the store what the server was told, and leaves the rest to the store', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-open-'));
  writeFileSync(join(root, 'config.json'), JSON.stringify({ context: { budget_tokens: 64 } }));
  const open = (flags: Record<string, unknown>) =>
    openManager(loadConfig({ env: {}, cwd: root, flags: { 'storage-root': root, ...flags } }));
  const manager = open({ 'max-session-size-mb': 0.5 });
  await manager.createSession('me', { session_id: 's' });
  expect((await manager.getSessionStats('s')).limit_bytes).toBe(0.5 * 1_024 * 1_024);
  const ask = { session: 's', user: 'me', messages: [{ role: 'user' as const, content: 'hi' }] };
  expect((await manager.assembleContext(ask)).manifest.budget).toBe(64);
  await manager.close();
  const other = open({ 'context-budget-tokens': 500 });
  expect((await other.assembleContext(ask)).manifest.budget).toBe(500);
  await other.close();
  rmSync(root, { recursive: true });
});
