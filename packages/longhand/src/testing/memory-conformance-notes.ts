import assert from 'node:assert/strict';
import type { LogAddress } from '../core/store.ts';
import type { NotesChange as Change, Notes } from '../layers/notes/index.ts';
import { rejectsWith } from './conformance-records.ts';
import type { Holder, WithMemory } from './memory-conformance.ts';

const ADDRESS: LogAddress = { kind: 'notes', userId: 'ada', id: 'scout' };

/** One document per user and agent, which the agent keeps by section and people edit by hand. */
export function notesConformance(withMemory: WithMemory): void {
  withMemory('has none at first, and one per user and agent', async ({ layers, openAnother }) => {
    assert.deepEqual(await read(layers), { text: '', version: 0, updated_at: null, trust: 'owner' });
    await layers.notes.apply('ada', 'scout', { operation: 'overwrite', content: 'of scout on Ada' });
    await layers.notes.apply('ada', 'guide', { operation: 'overwrite', content: 'of guide on Ada' });
    await layers.notes.apply('bob', 'scout', { operation: 'overwrite', content: 'of scout on Bob' });
    const { notes } = (await openAnother()).layers;
    assert.equal((await notes.read('ada', 'scout')).text, 'of scout on Ada');
    assert.equal((await notes.read('ada', 'guide')).text, 'of guide on Ada');
    assert.equal((await notes.read('bob', 'scout')).text, 'of scout on Bob');
    assert.deepEqual(await notes.list('ada'), ['guide', 'scout']);
  });

  withMemory('does every operation, on lines of their own', async ({ layers, openAnother }) => {
    const other = (await openAnother()).layers;
    const steps: readonly [Change, string][] = [
      [{ operation: 'overwrite', content: '# Likes\ntea\n' }, '# Likes\ntea\n'],
      [{ operation: 'append', content: '# Home\nParis' }, '# Likes\ntea\n# Home\nParis'],
      [{ operation: 'prepend', content: 'Ada' }, 'Ada\n# Likes\ntea\n# Home\nParis'],
      [
        { operation: 'replace_section_by_header', section_header: 'likes', content: 'coffee' },
        'Ada\n# Likes\ncoffee\n# Home\nParis',
      ],
      [{ operation: 'delete_section_by_header', section_header: '# Likes' }, 'Ada\n# Home\nParis'],
      [{ operation: 'delete_all_notes' }, ''],
    ];
    for (const [change, expected] of steps) {
      assert.equal((await apply(layers, change)).text, expected, change.operation);
      assert.equal((await read(other)).text, expected, change.operation);
    }
  });

  withMemory('says what an operation needs and did not get', async ({ layers }) => {
    const incomplete = [
      { operation: 'overwrite' },
      { operation: 'append' },
      { operation: 'prepend' },
      { operation: 'delete_section_by_header' },
      { operation: 'replace_section_by_header', content: 'x' },
      { operation: 'replace_section_by_header', section_header: 'x' },
      { operation: 'delete_section_by_header', section_header: ' ' },
      { operation: 'burn' },
    ] as unknown as readonly Change[];
    for (const change of incomplete) await rejectsWith('INVALID_OPTION', () => apply(layers, change));
    assert.equal((await read(layers)).version, 0);
  });

  withMemory('finds sections by level, parent and title, and not in code', async ({ layers }) => {
    const code = '```\n# No header\n```\n';
    const text = `# Work\n## Tools\nhammer\n# Home\n## Tools\nspoon\n${code}Old style\n---------\nend\n`;
    await apply(layers, { operation: 'overwrite', content: text });
    const remove = (section_header: string) =>
      apply(layers, { operation: 'delete_section_by_header', section_header });
    await rejectsWith('INVALID_OPTION', () => remove('Tools'));
    await rejectsWith('SECTION_NOT_FOUND', () => remove('No header'));
    await rejectsWith('SECTION_NOT_FOUND', () => remove('Garden'));
    assert.ok(!(await remove('Home > Tools')).text.includes('spoon'));
    assert.ok((await read(layers)).text.includes('hammer'));
    assert.ok(!(await remove('Old style')).text.includes('end'));
    assert.ok(!(await remove('# Work')).text.includes('hammer'));
    assert.equal((await read(layers)).text.trim(), '# Home');
  });

  withMemory(
    'sees at the next reading what a person wrote by hand',
    async ({ layers, store, openAnother }) => {
      await apply(layers, { operation: 'overwrite', content: '# Likes\ntea\n' });
      await store.writeDocument(ADDRESS, 'notes.md', '# Likes\ncoffee, says Ada\n');
      const seen = await read(layers);
      assert.deepEqual([seen.text, seen.version], ['# Likes\ncoffee, says Ada\n', 2]);
      const other = (await openAnother()).layers;
      await apply(other, { operation: 'append', content: 'and cake' });
      assert.equal((await read(layers)).text, '# Likes\ncoffee, says Ada\nand cake');
      assert.equal(await store.readDocument(ADDRESS, 'notes.md'), '# Likes\ncoffee, says Ada\nand cake');
      assert.equal(await layers.notes.readVersion('ada', 'scout', 1), '# Likes\ntea\n');
    },
  );

  withMemory('keeps versions, compares them and restores one', async ({ layers, openAnother }) => {
    for (const content of ['one\n', 'two\n', 'three\n'])
      await apply(layers, { operation: 'overwrite', content });
    const { notes } = (await openAnother()).layers;
    assert.deepEqual(
      (await notes.versions('ada', 'scout')).map(({ version }) => version),
      [1, 2, 3],
    );
    assert.equal(await notes.readVersion('ada', 'scout', 2), 'two\n');
    const diff = await notes.diff('ada', 'scout', 1, 3);
    assert.ok(diff.includes('-one') && diff.includes('+three'), diff);
    assert.equal(await notes.diff('ada', 'scout', 2, 2), '');
    const restored = await notes.restore('ada', 'scout', 1);
    assert.deepEqual([restored.text, restored.version], ['one\n', 4]);
    assert.equal((await read(layers)).text, 'one\n');
    await rejectsWith('VERSION_NOT_FOUND', () => notes.readVersion('ada', 'scout', 9));
    await rejectsWith('VERSION_NOT_FOUND', () => notes.restore('ada', 'scout', 9));
  });

  withMemory('never overwrites what a writer has not read', async ({ layers, openAnother }) => {
    await apply(layers, { operation: 'overwrite', content: 'first\n' });
    const other = (await openAnother()).layers;
    const change = (each: Holder['layers'], content: string) =>
      each.notes.apply('ada', 'scout', { operation: 'overwrite', content }, { expectedVersion: 1 });
    const results = await Promise.allSettled([change(layers, 'mine\n'), change(other, 'theirs\n')]);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.equal((refused[0]!.reason as { code?: string }).code, 'NOTES_CONFLICT');
    const won = results[0]!.status === 'fulfilled' ? 'mine\n' : 'theirs\n';
    assert.equal((await read(layers)).text, won);
    assert.equal((await read(other)).version, 2);
  });

  withMemory('loses nothing of what several add at once', async ({ layers, openAnother }) => {
    const other = (await openAnother()).layers;
    const writers = Array.from({ length: 12 }, (_, i) =>
      apply(i % 2 === 0 ? layers : other, { operation: 'append', content: `line ${i}\n` }),
    );
    const results = await Promise.allSettled(writers);
    const { text, version } = await read(layers);
    const added = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [`line ${i}`] : []));
    assert.deepEqual(text.trim().split('\n').sort(), added.sort());
    assert.equal(version, added.length);
    for (const result of results) {
      if (result.status === 'rejected') assert.equal(result.reason.code, 'NOTES_CONFLICT');
    }
  });

  withMemory('tells other holders of a change', async ({ layers, openAnother }) => {
    const other = (await openAnother()).layers;
    await read(other);
    const heard: Notes[] = [];
    const end = other.notes.watch('ada', 'scout', (notes) => heard.push(notes));
    await apply(layers, { operation: 'overwrite', content: 'news\n' });
    await until(() => heard.length > 0);
    assert.deepEqual(
      heard.map(({ text }) => text),
      ['news\n'],
    );
    end();
    await apply(layers, { operation: 'append', content: 'more\n' });
    await read(other);
    assert.equal(heard.length, 1);
  });

  withMemory('knows how far it can be trusted', async ({ layers, openAnother }) => {
    await apply(layers, { operation: 'overwrite', content: 'from the agent\n' });
    const author = { author: 'tool', trust: 'untrusted' } as const;
    await layers.notes.apply('ada', 'scout', { operation: 'append', content: 'from a page\n' }, { author });
    assert.equal((await read((await openAnother()).layers)).trust, 'untrusted');
  });
}

function read({ notes }: Holder['layers']): Promise<Notes> {
  return notes.read('ada', 'scout');
}

function apply({ notes }: Holder['layers'], change: Change): Promise<Notes> {
  return notes.apply('ada', 'scout', change);
}

const LOOK_AGAIN_MS = 20;
const LOOKS = 1_500;

/** News from another holder takes a moment. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let looks = 0; !isTrue(); looks++) {
    assert.ok(looks < LOOKS, 'it never came');
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
