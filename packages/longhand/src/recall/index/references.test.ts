import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReferenceGraph, referenceClosure, reverseReferences } from './references.ts';

function graphOf(references: Readonly<Record<string, readonly string[]>>): ReferenceGraph {
  const forward = new Map(Object.entries(references));
  const backward = reverseReferences([...forward].map(([id, targets]) => ({ id, references: targets })));
  return { referencesOf: (id) => forward.get(id), referencedBy: (id) => backward.get(id) ?? [] };
}

describe('referenceClosure', () => {
  const graph = graphOf({ a: ['b', 'gone'], b: ['c'], c: ['a'], d: ['b'], lonely: [] });
  const ids = (start: string[], maxDepth?: number): string[] => {
    const options = maxDepth === undefined ? {} : { maxDepth };
    return referenceClosure(start, graph, options).reached.map(({ id, depth }) => `${id}${depth}`);
  };

  it('follows references in both directions as deep as it is told, through cycles', () => {
    expect(ids(['a'], 0)).toEqual(['a0']);
    expect(ids(['a'], 1)).toEqual(['a0', 'b1', 'c1']);
    expect(ids(['b'])).toEqual(['b0', 'a1', 'c1', 'd1']);
    expect(ids(['a'], Number.POSITIVE_INFINITY)).toEqual(['a0', 'b1', 'c1', 'd2']);
  });

  it('names what dangles, and finds what referenced it', () => {
    expect(referenceClosure(['a'], graph).dangling).toEqual(['gone']);
    expect(referenceClosure(['gone'], graph)).toEqual({
      reached: [{ id: 'a', depth: 1 }],
      dangling: ['gone'],
    });
    expect(referenceClosure(['nowhere'], graph)).toEqual({ reached: [], dangling: ['nowhere'] });
  });

  it('starts from nothing, from one id twice, from an id that references itself', () => {
    expect(referenceClosure([], graph)).toEqual({ reached: [], dangling: [] });
    expect(ids(['lonely', 'lonely'])).toEqual(['lonely0']);
    expect(referenceClosure(['x'], graphOf({ x: ['x'] })).reached).toEqual([{ id: 'x', depth: 0 }]);
  });

  it('walks a chain longer than any call stack', () => {
    const chain = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`m${at}`, [`m${at + 1}`]]));
    const { reached, dangling } = referenceClosure(['m0'], graphOf(chain), {
      maxDepth: Number.POSITIVE_INFINITY,
    });
    expect(reached).toHaveLength(50_000);
    expect(dangling).toEqual(['m50000']);
  });

  it('refuses a depth that is none', () => {
    expect(() => referenceClosure(['a'], graph, { maxDepth: -1 })).toThrow('maxDepth');
    expect(() => referenceClosure(['a'], graph, { maxDepth: Number.NaN })).toThrow('maxDepth');
  });
});

describe('properties', () => {
  const anyId: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const anyGraph = fc.dictionary(anyId, fc.array(anyId, { maxLength: 3 }));
  const anyStart = fc.array(anyId, { maxLength: 3 });

  it('agree with taking one step at a time from all that is reached', () => {
    fc.assert(
      fc.property(anyGraph, anyStart, fc.nat({ max: 8 }), (references, start, maxDepth) => {
        const isStep = (from: string, to: string): boolean =>
          (references[from] ?? []).includes(to) || (references[to] ?? []).includes(from);
        const depths = new Map<string, number>(start.map((id) => [id, 0]));
        for (let depth = 1; depth <= maxDepth; depth++) {
          for (const from of [...depths.keys()]) {
            for (const to of 'abcdefg') if (isStep(from, to) && !depths.has(to)) depths.set(to, depth);
          }
        }
        const all = [...depths].map(([id, depth]) => ({ id, depth }));
        const inOrder = all.sort((a, b) => a.depth - b.depth || (a.id < b.id ? -1 : 1));
        const closure = referenceClosure(start, graphOf(references), { maxDepth });
        expect(closure.reached).toEqual(inOrder.filter(({ id }) => Object.hasOwn(references, id)));
        const dangling = inOrder.filter(({ id }) => !Object.hasOwn(references, id)).map(({ id }) => id);
        expect(closure.dangling).toEqual(dangling.sort());
      }),
    );
  });

  it('do not depend on the order of ids and references', () => {
    fc.assert(
      fc.property(anyGraph, anyStart, (references, start) => {
        const reversed = Object.entries(references).map(
          ([id, targets]) => [id, targets.toReversed()] as const,
        );
        const options = { maxDepth: 3 };
        expect(
          referenceClosure(start.toReversed(), graphOf(Object.fromEntries(reversed.reverse())), options),
        ).toEqual(referenceClosure(start, graphOf(references), options));
      }),
    );
  });
});
