import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputOptions, rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { FOR_BROWSERS } from '../../rolldown.config.ts';

/** As an application's bundler would take it in. */
async function bundled(
  imports: string,
): Promise<{ readonly code: string; readonly modules: readonly string[] }> {
  const build = await rolldown({
    input: 'page',
    platform: 'browser',
    resolve: { conditionNames: ['longhand-source', 'browser', 'import', 'default'] },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : null),
        load: (id) => (id === 'page' ? `export ${imports} from ${JSON.stringify(CLIENT)};` : null),
      },
    ],
    external: [/^node:/],
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  const [{ code, moduleIds, imports: outside }] = output;
  return { code, modules: [...moduleIds, ...outside] };
}

const CLIENT = `${import.meta.dirname}/index.ts`;
const sizeOf = (code: string): number => gzipSync(code, { level: 9 }).length;

it('takes at most 12 KB of a page, and brings neither React nor zod nor a module of Node', async () => {
  const { code, modules } = await bundled('*');
  expect(sizeOf(code)).toBeLessThanOrEqual(12 * 1_024);
  expect(modules.filter((id) => /node:|\/(?:react|react-dom|zod)\//.test(id))).toEqual([]);
});

it('leaves the outbox and the chat out of a page that only reads', async () => {
  const { code, modules } = await bundled('{ LonghandClient }');
  expect(sizeOf(code)).toBeLessThanOrEqual(4 * 1_024);
  expect(code).not.toMatch(/indexedDB|BroadcastChannel|localStorage/);
  expect(modules.filter((id) => /zustand/.test(id))).toEqual([]);
});

it('is published without anything that only Node has, the panel too', async () => {
  const { output, ...input } = FOR_BROWSERS;
  const build = await rolldown({ ...input, cwd: join(import.meta.dirname, '../..') });
  const files = (await build.generate(output as OutputOptions)).output.filter(
    (file) => file.type === 'chunk',
  );
  const known = new Set(files.map(({ fileName }) => fileName));
  const outside = files.flatMap(({ imports }) => imports).filter((name) => !known.has(name));
  const expected = ['react', 'react/jsx-runtime', 'zustand', 'zustand/vanilla'];
  expect(expected).toEqual(expect.arrayContaining([...new Set(outside)]));
  for (const { code } of files)
    expect(code).not.toMatch(/getBuiltinModule|\bprocess\b|\bBuffer\b|\brequire\b/);
  const panel = files.find(({ name }) => name === 'react/index')!;
  expect(panel.code.startsWith('"use client";')).toBe(true);
});
