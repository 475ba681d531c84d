import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Desk, PLACES } from './notes-desk.ts';

/**
 * A random series of operations, by two processes and a person's editor, equals a plain model: a list of texts,
 * and sections by the simplest possible reading of documents that hold nothing but `# title` and lines.
 */
const TITLES = ['a', 'b', 'c'];
const line = fc.constantFrom('x', 'y', '- z', '');
const body = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => `${lines.join('\n')}\n`);
const title = fc.constantFrom(...TITLES);

type Command =
  | {
      readonly do: 'overwrite' | 'append' | 'prepend' | 'hand';
      readonly content: string;
      readonly who: 0 | 1;
    }
  | { readonly do: 'delete'; readonly title: string; readonly who: 0 | 1 }
  | { readonly do: 'replace'; readonly title: string; readonly content: string; readonly who: 0 | 1 }
  | { readonly do: 'clear' | 'restore'; readonly who: 0 | 1 };

const who = fc.constantFrom<0 | 1>(0, 1);
const section = fc.tuple(title, body).map(([name, text]) => `# ${name}\n${text}`);
const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('overwrite' as const, 'append' as const, 'prepend' as const, 'hand' as const),
      content: fc.oneof(section, body),
      who,
    }),
    fc.record({ do: fc.constant('delete' as const), title, who }),
    fc.record({ do: fc.constant('replace' as const), title, content: body, who }),
    fc.record({ do: fc.constantFrom('clear' as const, 'restore' as const), who }),
  ),
  { maxLength: 14 },
);

/** The pieces between headers; `undefined` when the title is missing or there twice. */
function split(text: string, name: string): { before: string; own: string; after: string } | undefined {
  const pieces = text.split(/^(?=# )/m);
  const matching = pieces.filter((piece) => piece.startsWith(`# ${name}\n`));
  if (matching.length !== 1) return undefined;
  const at = pieces.indexOf(matching[0]!);
  return { before: pieces.slice(0, at).join(''), own: pieces[at]!, after: pieces.slice(at + 1).join('') };
}

function expected(texts: readonly string[], command: Command): string | undefined {
  const text = texts.at(-1)!;
  switch (command.do) {
    case 'overwrite':
    case 'hand':
      return command.content;
    case 'append':
      return text + command.content;
    case 'prepend':
      return command.content + text;
    case 'clear':
      return '';
    case 'restore':
      return texts[Math.floor(texts.length / 2)];
    case 'delete': {
      const parts = split(text, command.title);
      return parts && parts.before + parts.after;
    }
    case 'replace': {
      const parts = split(text, command.title);
      if (parts === undefined) return undefined;
      const inner = parts.own.slice(parts.own.indexOf('\n') + 1);
      const isBlank = inner.trim() === '';
      const opening = isBlank ? '' : /^\n*/.exec(inner)![0];
      const closing = isBlank ? inner : inner.slice(inner.trimEnd().length + 1);
      const header = `# ${command.title}\n`;
      return parts.before + header + opening + command.content + closing + parts.after;
    }
  }
}

async function carryOut(desk: Desk, command: Command, texts: readonly string[]): Promise<void> {
  switch (command.do) {
    case 'overwrite':
    case 'append':
    case 'prepend':
      await desk.apply(command.do, command.content);
      return;
    case 'hand':
      await desk.read();
      await desk.saveByHand(command.content);
      return;
    case 'clear':
      await desk.apply('delete_all_notes');
      return;
    case 'delete':
      await desk.apply('delete_section_by_header', undefined, command.title);
      return;
    case 'replace':
      await desk.apply('replace_section_by_header', command.content, command.title);
      return;
    case 'restore':
      await desk.layer.restore('ada', 'scribe', Math.floor(texts.length / 2));
  }
}

it.each(PLACES)('any series of operations on the %s store equals the model', async (name, makePlace) => {
  await fc.assert(
    fc.asyncProperty(commands, async (series) => {
      const place = makePlace();
      const desks = [new Desk(place.open()), new Desk(place.open())] as const;
      // Index = version; a version 0 is the empty text.
      const texts = [''];
      await desks[0].apply('overwrite', '# a\nx\n');
      texts.push('# a\nx\n');
      for (const command of series) {
        const text = expected(texts, command);
        const desk = desks[command.who];
        const action = carryOut(desk, command, texts);
        if (text === undefined)
          await expect(action).rejects.toMatchObject({
            code: expect.stringMatching(/^(SECTION_NOT_FOUND|INVALID_OPTION)$/),
          });
        else {
          await action;
          if (text !== texts.at(-1)) texts.push(text);
        }
        for (const { layer } of desks) {
          expect(await layer.read('ada', 'scribe')).toMatchObject({
            text: texts.at(-1),
            version: texts.length - 1,
          });
        }
      }
      for (let version = 1; version < texts.length; version++) {
        expect(await desks[1].layer.readVersion('ada', 'scribe', version)).toBe(texts[version]);
      }
    }),
    { numRuns: name === 'file' ? 40 : 400, seed: 20_260_101 },
  );
});
