import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-tree.ts';

/**
 * Simplicity is a feature: every room has a budget of lines (TypeScript without tests). A budget is raised only with a
 * page in docs/decisions. Rooms that are still above their budget keep the size that they have now as their ceiling,
 * so that they can only shrink.
 */
const PACKAGES = join(import.meta.dirname, '../packages');

interface Budget {
  readonly lines: number;
  /** Of a room that is above its budget: the size that it may not exceed until it has shrunk. */
  readonly ceiling?: number;
}

const BUDGETS: Readonly<Record<string, Budget>> = {
  // What rooms above their budgets take, and why: docs/decisions/0013, 0014 for several servers on one database,
  // and 0016 for what the console asks of the server.
  'longhand/src/core': { lines: 3_800 },
  'longhand/src/time': { lines: 1_800 },
  'longhand/src/recall': { lines: 9_000 },
  'longhand/src/layers': { lines: 15_000, ceiling: 19_130 },
  'longhand/src/context': { lines: 3_000 },
  'longhand/src/privacy': { lines: 1_700, ceiling: 2_440 },
  'longhand/src/stores/file': { lines: 6_300, ceiling: 6_660 },
  'longhand/src/stores/memory': { lines: 400 },
  'longhand/src/stores/postgres longhand/src/stores/redis': { lines: 2_000, ceiling: 2_470 },
  'longhand/src/tools longhand/src/adapters': { lines: 3_000 },
  'longhand/src/*.ts': { lines: 1_200, ceiling: 1_810 },
  'longhand/src/client longhand/src/react': { lines: 2_000 },
  'longhand/src/testing': { lines: 7_500 },
  'server/src': { lines: 22_000, ceiling: 23_412 },
  // Eight pages in the formatter's lines: docs/decisions/0015.
  'console/src': { lines: 8_000, ceiling: 10_245 },
};

/** @param rooms folders, or `FOLDER/*.ts` for the files of a folder alone */
function linesOf(rooms: string): number {
  const files = rooms.split(' ').flatMap((room) => {
    const found = sourceFiles(join(PACKAGES, room.replace('/*.ts', '')));
    const all = found.filter((path) => !path.endsWith('.generated.ts'));
    return room.endsWith('*.ts') ? all.filter((path) => dirname(path).endsWith('/src')) : all;
  });
  return files.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0);
}

describe('the budgets of lines', () => {
  it.each(Object.entries(BUDGETS))('hold for %s', (room, { lines, ceiling = lines }) => {
    expect(linesOf(room)).toBeLessThanOrEqual(ceiling);
  });

  it('have a ceiling only for rooms that are above their budget', () => {
    for (const [room, { lines, ceiling }] of Object.entries(BUDGETS)) {
      if (ceiling !== undefined)
        expect(linesOf(room), `${room} needs no ceiling any more`).toBeGreaterThan(lines);
    }
  });
});
