import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesIn, importsOf, sourceFiles } from './source-tree.ts';

/**
 * The tree is the architecture: a room imports only what lies below it. Each room lists the rooms of the
 * library and the packages that it may import; the files at the top of `src` are rooms of their own.
 */
const SOURCE = resolve(import.meta.dirname, '../packages/longhand/src');

/** Recall and its four rooms. */
const RECALL = ['recall/analysis', 'recall/index', 'recall/vectors', 'recall/ranking'] as const;

/** The layers: what all of them share, and a room each. A layer that another one imports stands before it. */
const LAYERS = [
  'layers',
  'layers/memories',
  'layers/search',
  'layers/users',
  'layers/journal',
  'layers/notes',
  'layers/details',
  'layers/transcript',
  'layers/summary',
  'layers/window',
  'layers/proposals',
  'layers/retention.ts',
] as const;

/**
 * What rooms without an `index.ts` show to others: with one, a program that only adds memories would load all of the
 * search. Of `layers/memories` others may import every file (docs/decisions/0013).
 */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  'layers/search': [
    'asked-request.ts',
    'index-verification.ts',
    'memory-search.ts',
    'text-search.ts',
    'time-in-words.ts',
    'vectors/meaning-search.ts',
    'vectors/user-vectors.ts',
  ],
  'layers/users': [
    'add-memories.ts',
    'projections-layer.ts',
    'remember.ts',
    'session-removal.ts',
    'user-memories.ts',
    'user-parts.ts',
  ],
  'layers/proposals': ['review-list.ts'],
};

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
  layers: { rooms: ['core', 'time', 'recall/vectors'], packages: [] },
  'layers/memories': { rooms: ['core', 'time', 'recall/index', 'recall/ranking', 'layers'], packages: [] },
  'layers/search': { rooms: ['core', 'time', ...RECALL, 'layers', 'layers/memories'], packages: [] },
  'layers/users': { rooms: ['core', 'layers', 'layers/memories', 'layers/search'], packages: [] },
  'layers/journal': { rooms: ['core', 'layers', 'layers/memories', 'layers/search'], packages: [] },
  'layers/notes': { rooms: ['core', 'layers', 'layers/search'], packages: [] },
  'layers/details': {
    rooms: ['core', 'time', ...RECALL, 'layers', 'layers/memories', 'layers/search'],
    packages: [],
  },
  'layers/transcript': { rooms: ['core', 'layers'], packages: [] },
  'layers/summary': { rooms: ['core', 'layers', 'layers/transcript'], packages: [] },
  'layers/window': { rooms: ['core', 'layers', 'layers/memories', 'layers/transcript'], packages: [] },
  'layers/proposals': { rooms: ['core', 'layers'], packages: [] },
  'layers/retention.ts': {
    rooms: ['core', 'layers', 'layers/memories', 'layers/details', 'layers/transcript'],
    packages: [],
  },
  context: { rooms: ['core', 'time', ...RECALL, ...LAYERS], packages: ['node:crypto'] },
  privacy: { rooms: ['core', ...RECALL, ...LAYERS], packages: [] },
  tools: { rooms: ['core', 'recall/analysis', ...LAYERS], packages: ['zod'] },
  adapters: {
    rooms: ['core', 'recall/vectors', 'tools'],
    packages: [
      'ai',
      'gpt-tokenizer/encoding/o200k_base',
      'longhand-vectors',
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
  'stores/redis': { rooms: ['core'], packages: [] },
  'stores/postgres': {
    rooms: ['core'],
    packages: [
      'node:async_hooks',
      'node:crypto',
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:timers/promises',
    ],
  },
  client: { rooms: ['core'], packages: ['zustand/vanilla'] },
  react: { rooms: ['core', 'client'], packages: ['react', 'zustand'] },
  testing: {
    rooms: [
      'core',
      ...LAYERS,
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
  'layers.ts': { rooms: ['adapters', 'core', ...LAYERS, 'context', 'privacy', 'tools'], packages: [] },
  'scoped-layers.ts': { rooms: [...LAYERS, 'layers.ts'], packages: [] },
  'session-memory.ts': { rooms: ['core', ...LAYERS, 'open-manager.ts', 'store-lifecycle.ts'], packages: [] },
  'scoped-memory.ts': {
    rooms: [
      'core',
      ...LAYERS,
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
  'manager-options.ts': { rooms: ['adapters', 'core', ...LAYERS, 'layers.ts'], packages: [] },
  'open-manager.ts': {
    rooms: ['adapters', 'core', ...RECALL, ...LAYERS, 'manager-options.ts', 'layers.ts', 'stores/file'],
    packages: [],
  },
  'store-lifecycle.ts': {
    rooms: ['core', ...LAYERS, 'layers.ts', 'manager-options.ts', 'open-manager.ts'],
    packages: [],
  },
  'memory-manager.ts': {
    rooms: [
      'core',
      ...LAYERS,
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
      ...LAYERS,
      'context',
      'privacy',
      'tools',
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

/** Files at the top of the layers that stand above some of them are rooms of their own. */
function roomOf(path: string): string {
  const [first = '', second = ''] = relative(SOURCE, path).split('/');
  const inside = `${first}/${second}`;
  if (first === 'stores' || (first === 'recall' && !second.endsWith('.ts'))) return inside;
  return first === 'layers' && inside in ROOMS ? inside : first;
}

/** The front door `index.ts` names files itself, so that a program that imports it loads no room for one function. */
function hasDoor(room: string): boolean {
  return /^(?:time$|recall\/|layers\/)/.test(room) && existsSync(resolve(SOURCE, room, 'index.ts'));
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
        if (hasDoor(target) && room !== 'index.ts')
          expect(specifier, `${target} has one door`).toMatch(/\/index\.ts$/);
        const doors = DOORS[target];
        const file = relative(resolve(SOURCE, target), resolve(dirname(path), specifier));
        if (doors) expect(doors, `${file} is a file of ${target} alone`).toContain(file);
      }
    });
  }

  // The parts of the conformance suites and the scene that they share name each other.
  const untangled = (path: string): boolean => roomOf(path) !== 'testing';

  it('let no files import each other in a circle, for their types either', () => {
    const files = sourceFiles(SOURCE).filter(untangled);
    const imports = files.map((path) => {
      const local = importsOf(path).filter((specifier) => specifier.startsWith('.'));
      const targets = local.map((specifier) => resolve(dirname(path), specifier));
      return [path, targets.filter(untangled)] as const;
    });
    expect(circlesIn(new Map(imports)).map((path) => relative(SOURCE, path))).toEqual([]);
  });

  it('let no rooms import each other in a circle', () => {
    const rooms = Object.entries(ROOMS).map(([room, allowed]) => [room, allowed.rooms] as const);
    expect(circlesIn(new Map(rooms))).toEqual([]);
  });

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
