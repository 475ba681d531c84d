import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

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
