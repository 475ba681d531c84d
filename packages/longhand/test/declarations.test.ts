import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './campaign.ts';

/** What is published has types of its own: a program that knows no types of Node can be checked with them. */
const PACKAGE = join(import.meta.dirname, '..');
const TSC = join(PACKAGE, '../../node_modules/typescript/bin/tsc');

function compile(...args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [TSC, ...args], { encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

test('a program is checked strictly, libraries too, with nothing installed beside Longhand', () => {
  const folder = temporaryFolder(false);
  const installed = join(folder, 'node_modules/longhand');
  mkdirSync(installed, { recursive: true });
  expect(compile('-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', join(installed, 'dist'))).toBe('');
  symlinkSync(join(PACKAGE, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(PACKAGE, '../../node_modules/zod'), join(folder, 'node_modules/zod'));
  writeFileSync(
    join(folder, 'program.mts'),
    `import { MemoryManager } from 'longhand';
import { openAIEmbedder } from 'longhand/embedders';
import * as tools from 'longhand/tools';

await using memory = new MemoryManager({ storageRoot: './memory' });
const { id } = await memory.createSession('ada');
const [best] = await memory.queryMemories(id, { text: 'tea', explain: true });
export const relevance: number | undefined = best?.explanation?.importance;
const { messages } = await memory.context('ada', [{ role: 'user', content: 'tea?' }]);
// As functions and clients of models take them.
export const sent: { role: string; content: string }[] = messages;
export const used: readonly unknown[] = [openAIEmbedder, tools];
// @ts-expect-error the types are there, and are not any
await memory.createSession(1);
`,
  );
  // Without `types`, and without `skipLibCheck`.
  const compilerOptions = { noEmit: true, strict: true, target: 'es2022', module: 'nodenext', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  expect(compile('-p', folder)).toBe('');
});
