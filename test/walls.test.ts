import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFiles } from './source-tree.ts';

/**
 * The tree is the architecture: a room imports only what lies below it. Each room lists the rooms of the
 * library and the packages that it may import; the files at the top of `src` are rooms of their own.
 */
const SOURCE = resolve(import.meta.dirname, '../packages/longhand/src');

/** Recall and its four rooms. */
const RECALL = ['recall/analysis', 'recall/index', 'recall/vectors', 'recall/ranking'] as const;

const ROOMS: Record<string, { rooms: readonly string[]; packages: readonly string[] }> = {
  core: { rooms: [], packages: ['node:crypto'] },
  time: { rooms: ['core'], packages: [] },
  'recall/analysis': { rooms: ['core', 'time'], packages: [] },
  'recall/index': { rooms: ['core', 'recall/analysis'], packages: [] },
  'recall/vectors': { rooms: ['core', 'recall/analysis', 'recall/index'], packages: [] },
  'recall/ranking': {
    rooms: ['core', 'time', 'recall/analysis', 'recall/index', 'recall/vectors'],
    packages: [],
  },
  layers: { rooms: ['core', 'time', ...RECALL], packages: [] },
  context: { rooms: ['core', 'time', ...RECALL, 'layers'], packages: ['node:crypto'] },
  privacy: { rooms: ['core', ...RECALL, 'layers'], packages: [] },
  tools: { rooms: ['core', 'layers'], packages: ['zod'] },
  adapters: {
    rooms: ['core', 'tools'],
    packages: [
      'ai',
      'gpt-tokenizer/encoding/o200k_base',
      'node:crypto',
      'node:fs',
      'node:fs/promises',
      'node:module',
      'node:path',
      'onnxruntime-node',
    ],
  },
  'stores/memory': { rooms: ['core'], packages: [] },
  'stores/file': {
    rooms: ['core'],
    packages: [
      'node:crypto',
      'node:fs',
      'node:module',
      'node:os',
      'node:path',
      'node:util',
      'fs-native-extensions',
      'koffi',
    ],
  },
  'stores/postgres': { rooms: ['core'], packages: ['node:async_hooks', 'node:crypto', 'node:fs'] },
  testing: {
    rooms: [
      'core',
      'layers',
      'context',
      'privacy',
      'tools',
      'layers.ts',
      'manager-options.ts',
      'memory-manager.ts',
      'stores/file',
      'stores/memory',
    ],
    packages: ['node:assert', 'node:assert/strict', 'node:path', 'node:fs', 'node:crypto'],
  },
  'layers.ts': { rooms: ['adapters', 'core', 'layers', 'context', 'privacy', 'tools'], packages: [] },
  'scoped-layers.ts': { rooms: ['layers', 'layers.ts'], packages: [] },
  'session-memory.ts': { rooms: ['core', 'layers', 'open-manager.ts', 'store-lifecycle.ts'], packages: [] },
  'scoped-memory.ts': {
    rooms: [
      'core',
      'layers',
      'context',
      'privacy',
      'tools',
      'layers.ts',
      'scoped-layers.ts',
      'session-memory.ts',
      'store-lifecycle.ts',
    ],
    packages: [],
  },
  'word-table.ts': { rooms: ['core', ...RECALL], packages: ['longhand-vectors'] },
  'manager-options.ts': { rooms: ['core', 'layers', 'layers.ts', 'word-table.ts'], packages: [] },
  'open-manager.ts': {
    rooms: ['core', ...RECALL, 'layers', 'manager-options.ts', 'layers.ts', 'word-table.ts', 'stores/file'],
    packages: [],
  },
  'store-lifecycle.ts': {
    rooms: ['core', 'layers', 'layers.ts', 'manager-options.ts', 'open-manager.ts'],
    packages: [],
  },
  'memory-manager.ts': {
    rooms: [
      'core',
      'layers',
      'context',
      'privacy',
      'layers.ts',
      'manager-options.ts',
      'session-memory.ts',
      'store-lifecycle.ts',
      'scoped-memory.ts',
    ],
    packages: [],
  },
  'index.ts': {
    rooms: [
      'core',
      'layers',
      'context',
      'privacy',
      'layers.ts',
      'scoped-memory.ts',
      'manager-options.ts',
      'memory-manager.ts',
      'stores/file',
      'stores/memory',
    ],
    packages: [],
  },
};

function roomOf(path: string): string {
  const [first = '', second = ''] = relative(SOURCE, path).split('/');
  const hasRooms = first === 'stores' || (first === 'recall' && !second.endsWith('.ts'));
  return hasRooms ? `${first}/${second}` : first;
}

describe('the walls', () => {
  for (const path of sourceFiles(SOURCE)) {
    it(`hold for ${relative(SOURCE, path)}`, () => {
      const room = roomOf(path);
      const allowed = ROOMS[room];
      expect(allowed, `${room} is a room without a rule`).toBeDefined();
      for (const specifier of importsOf(path)) {
        if (!specifier.startsWith('.')) {
          expect(allowed!.packages, `${room} imports a package`).toContain(specifier);
          continue;
        }
        const target = roomOf(resolve(dirname(path), specifier));
        if (target === room) continue;
        expect(allowed!.rooms, `${room} imports another room`).toContain(target);
        if (target === 'time' || target.startsWith('recall'))
          expect(specifier, `${target} has one door`).toMatch(/\/index\.ts$/);
      }
    });
  }

  it.each(['time', ...RECALL])(
    'let no files of %s import each other in a circle, for their types either',
    (room) => {
      const inside = sourceFiles(SOURCE).filter((path) => roomOf(path) === room);
      const importedBy = new Map(
        inside.map((path) => {
          const local = importsOf(path).filter((specifier) => specifier.startsWith('.'));
          const targets = local.map((specifier) => resolve(dirname(path), specifier));
          return [path, targets.filter((target) => roomOf(target) === room)];
        }),
      );
      // What is left when all are taken away, again and again, that import nothing that is left or that nothing left imports.
      let left = inside;
      for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
        before = left.length;
        const importing = new Set(left);
        const imported = new Set(left.flatMap((path) => importedBy.get(path)!));
        left = left.filter(
          (path) => imported.has(path) && importedBy.get(path)!.some((target) => importing.has(target)),
        );
      }
      expect(left.map((path) => relative(SOURCE, path))).toEqual([]);
    },
  );

  it('are complete: every room has a rule, every rule a room', () => {
    expect([...new Set(sourceFiles(SOURCE).map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
  });
});

describe('the house style', () => {
  const files = sourceFiles(SOURCE);

  it('has no default exports and no folder for leftovers', () => {
    for (const path of files) {
      expect(readFileSync(path, 'utf8'), path).not.toMatch(/^export default/m);
      expect(path).not.toMatch(/\/(utils|helpers|common)\//);
    }
  });

  it('never prints from the library and never reads the environment there', () => {
    for (const path of files)
      expect(readFileSync(path, 'utf8'), path).not.toMatch(/\bconsole\.|process\.env/);
  });
});
