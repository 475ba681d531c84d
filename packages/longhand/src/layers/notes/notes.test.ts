import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADDRESS, Desk, filePlace, PLACES, START } from '../../../test/notes-desk.ts';
import { temporaryFolder } from '../../../test/open-stores.ts';
import { IOError } from '../../core/errors.ts';
import type { LogStore } from '../../core/store.ts';

const BY_OWNER = { author: 'user', trust: 'owner' } as const;
const code = (name: string): unknown => expect.objectContaining({ code: name });

describe.each(PLACES)('notes on the %s store', (_name, makePlace) => {
  it('are empty until the first write, and looking makes nothing', async () => {
    const desk = new Desk(makePlace().open());
    expect(await desk.read()).toEqual({ text: '', version: 0, updated_at: null, trust: 'owner' });
    expect(await desk.history()).toEqual([]);
    expect(await desk.layer.list('ada')).toEqual([]);
    expect(await desk.layer.forget('ada', 'scribe')).toBe(0);
    expect(await desk.layer.forgetText('ada', 'scribe', () => true)).toBe(0);
    expect(await desk.layer.list('ada')).toEqual([]);
    expect(desk.events).toEqual([]);
  });

  it.each(['exchangeDocument', 'append'] as const)(
    'keep a change once when the disk is full from %s on, and show it',
    async (first) => {
      const { open } = makePlace();
      const store = open();
      let isFull = false;
      const full = new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) => {
            // The version is in the log by now.
            if (isFull && (name === 'exchangeDocument' || (first === 'append' && name === 'transact')))
              return Promise.reject(new IOError('STORAGE_FULL', 'No room.'));
            if (name === 'exchangeDocument' && first === 'append') isFull = true;
            return (member as (...all: unknown[]) => unknown).apply(target, given);
          };
        },
      });
      const desk = new Desk(full);
      await desk.apply('append', '- tea\n');
      isFull = first === 'exchangeDocument';
      expect((await desk.apply('append', '- coffee\n')).text).toBe('- tea\n- coffee\n');
      expect(await desk.text()).toBe('- tea\n- coffee\n');
      const later = new Desk(open());
      expect(await later.text()).toBe('- tea\n- coffee\n');
      expect(await later.document()).toBe('- tea\n- coffee\n');
      expect(await later.history()).toHaveLength(2);
    },
  );

  it('do what the operations say', async () => {
    const desk = new Desk(makePlace().open());
    desk.clock.advance(1_000);
    expect(await desk.apply('overwrite', '## Likes\n- tea')).toEqual({
      text: '## Likes\n- tea',
      version: 1,
      updated_at: '2026-01-01T00:00:01.000Z',
      trust: 'agent',
    });
    await desk.apply('append', '- coffee\n');
    await desk.apply('prepend', '# Ada\n');
    expect(await desk.text()).toBe('# Ada\n## Likes\n- tea\n- coffee\n');
    await desk.apply('append', '## Work\nmaths\n');
    await desk.apply('replace_section_by_header', '- cake', 'likes');
    expect(await desk.text()).toBe('# Ada\n## Likes\n- cake\n## Work\nmaths\n');
    await desk.apply('delete_section_by_header', undefined, '## Work');
    expect(await desk.text()).toBe('# Ada\n## Likes\n- cake\n');
    expect(await desk.document()).toBe('# Ada\n## Likes\n- cake\n');
    expect(await desk.apply('delete_all_notes')).toMatchObject({ text: '', version: 7 });
    expect(await desk.history()).toEqual([
      '1 overwrite',
      '2 append',
      '3 prepend',
      '4 append',
      '5 replace_section_by_header',
      '6 delete_section_by_header',
      '7 delete_all_notes',
    ]);
    expect(await desk.layer.list('ada')).toEqual(['scribe']);
  });

  it('keep a byte order mark in front', async () => {
    const desk = new Desk(makePlace().open());
    await desk.apply('overwrite', '\ufeff# a\n');
    expect((await desk.apply('prepend', 'b')).text).toBe('\ufeffb\n# a\n');
  });

  it('refuse what an operation lacks, and what cannot be', async () => {
    const desk = new Desk(makePlace().open());
    for (const operation of ['overwrite', 'append', 'prepend'] as const) {
      await expect(desk.apply(operation)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        details: { missing: 'content' },
        message: expect.stringContaining('content'),
      });
    }
    await expect(desk.apply('replace_section_by_header', undefined, 'a')).rejects.toMatchObject({
      details: { missing: 'content' },
    });
    for (const operation of ['delete_section_by_header', 'replace_section_by_header'] as const) {
      await expect(desk.apply(operation, 'x')).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        details: { missing: 'section_header' },
      });
      await expect(desk.apply(operation, 'x', ' ')).rejects.toEqual(code('INVALID_OPTION'));
      await expect(desk.apply(operation, 'x', 'none')).rejects.toEqual(code('SECTION_NOT_FOUND'));
    }
    await expect(desk.apply('read' as 'append', 'x')).rejects.toEqual(code('INVALID_OPTION'));
    await expect(desk.apply('append', 'a\0')).rejects.toEqual(code('INVALID_TEXT'));
    await expect(desk.apply('append', 'a\ud800')).rejects.toEqual(code('INVALID_TEXT'));
    await expect(desk.apply('append', 5 as unknown as string)).rejects.toEqual(code('INVALID_OPTION'));
    await expect(desk.apply('append', 'a', undefined, { expectedVersion: -1 })).rejects.toEqual(
      code('INVALID_OPTION'),
    );
    await expect(desk.layer.read('', 'scribe')).rejects.toEqual(code('INVALID_NAME'));
    await expect(desk.layer.read('ada', ' ')).rejects.toEqual(code('INVALID_NAME'));
    await desk.apply('overwrite', '# a\n');
    await expect(desk.apply('prepend', '```')).rejects.toEqual(code('INVALID_CONTENT'));
    expect(await desk.history()).toEqual(['1 overwrite']);
  });

  it('have a size that agents cannot exceed, and can always come back from', async () => {
    const desk = new Desk(makePlace().open(), { notes: { max_kb: 1 } });
    await desk.apply('overwrite', 'é'.repeat(512));
    await expect(desk.apply('append', 'x')).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      details: { bytes: 1026, limit: 1024 },
    });
    await desk.saveByHand(`# a\n${'x'.repeat(3_000)}\n# b\n${'x'.repeat(3_000)}\n`);
    expect((await desk.text()).length).toBeGreaterThan(6_000);
    await expect(desk.apply('append', 'x')).rejects.toEqual(code('CONTENT_TOO_LARGE'));
    expect((await desk.apply('delete_section_by_header', undefined, 'a')).text).toMatch(/^# b/);
    expect((await desk.apply('delete_all_notes')).text).toBe('');
  });

  it('are apart for each user and agent, whatever their names', async () => {
    const { layer } = new Desk(makePlace().open());
    const names = ['a', 'A', 'a/b', '..', 'ä', 'a b', '%41'];
    for (const user of names) {
      for (const agent of names) {
        const content = JSON.stringify([user, agent]);
        await layer.apply(user, agent, { operation: 'append', content });
      }
    }
    for (const user of names) {
      expect(await layer.list(user)).toEqual([...names].sort());
      for (const agent of names) {
        expect((await layer.read(user, agent)).text).toBe(JSON.stringify([user, agent]));
      }
    }
  });

  it('make no version of a change that changes nothing', async () => {
    const desk = new Desk(makePlace().open());
    expect((await desk.apply('delete_all_notes')).version).toBe(0);
    await desk.apply('overwrite', 'a');
    await desk.apply('overwrite', 'a');
    await desk.apply('append', '');
    expect(await desk.history()).toEqual(['1 overwrite']);
  });

  describe('versions', () => {
    it('can be looked at, compared and restored', async () => {
      const desk = new Desk(makePlace().open());
      const { layer } = desk;
      await desk.apply('overwrite', 'a\nb\n');
      await desk.apply('append', 'c\n', undefined, { author: BY_OWNER });
      expect(await layer.readVersion('ada', 'scribe', 1)).toBe('a\nb\n');
      expect(await layer.diff('ada', 'scribe', 1, 2)).toBe(
        '--- version 1\n+++ version 2\n@@ -1,2 +1,3 @@\n a\n b\n+c\n',
      );
      expect(await layer.diff('ada', 'scribe', 2, 2)).toBe('');
      expect(await layer.restore('ada', 'scribe', 1)).toMatchObject({ text: 'a\nb\n', version: 3 });
      expect(await desk.document()).toBe('a\nb\n');
      expect(await layer.versions('ada', 'scribe')).toEqual([
        {
          version: 1,
          timestamp: START,
          author: { author: 'assistant', trust: 'agent', agent_id: 'scribe' },
          trust: 'agent',
          bytes: 4,
          lines_added: 2,
          lines_removed: 0,
          operation: 'overwrite',
        },
        {
          version: 2,
          timestamp: START,
          author: BY_OWNER,
          trust: 'agent',
          bytes: 6,
          lines_added: 1,
          lines_removed: 0,
          operation: 'append',
        },
        {
          version: 3,
          timestamp: START,
          author: { author: 'assistant', trust: 'agent', agent_id: 'scribe' },
          trust: 'agent',
          bytes: 4,
          lines_added: 0,
          lines_removed: 1,
          operation: 'restored version 1',
        },
      ]);
      for (const none of [0, 4, 1.5]) {
        await expect(layer.readVersion('ada', 'scribe', none)).rejects.toEqual(code('VERSION_NOT_FOUND'));
        await expect(layer.restore('ada', 'scribe', none)).rejects.toEqual(code('VERSION_NOT_FOUND'));
        await expect(layer.diff('ada', 'scribe', 1, none)).rejects.toEqual(code('VERSION_NOT_FOUND'));
      }
      await expect(layer.restore('ada', 'scribe', 2, { expectedVersion: 2 })).rejects.toEqual(
        code('NOTES_CONFLICT'),
      );
      const exported = await layer.exportOf('ada', 'scribe');
      expect(exported).toMatchObject({ agent_id: 'scribe', text: 'a\nb\n', version: 3 });
      expect(exported.versions.map(({ text }) => text)).toEqual(['a\nb\n', 'a\nb\nc\n', 'a\nb\n']);
    });

    it('leave the log when there are too many, a lot at a time', async () => {
      const place = makePlace();
      const desk = new Desk(place.open(), { notes: { keep_versions: 4 } });
      let most = 0;
      for (let i = 1; i <= 40; i++) {
        await desk.apply('overwrite', `text ${i}`);
        most = Math.max(most, (await desk.history()).length);
      }
      expect(most).toBeLessThan(20);
      const history = await desk.history();
      expect(history.length).toBeGreaterThanOrEqual(5);
      expect(history.at(-1)).toBe('40 overwrite');
      const oldest = Number.parseInt(history[0]!, 10);
      await expect(desk.layer.readVersion('ada', 'scribe', oldest - 1)).rejects.toEqual(
        code('VERSION_NOT_FOUND'),
      );
      expect(await new Desk(place.open()).history()).toEqual(history);
      expect((await desk.apply('append', 'x')).version).toBe(41);
    });

    it('know how far their text may be trusted', async () => {
      const desk = new Desk(makePlace().open());
      const from = (author: 'user' | 'tool', trust: 'owner' | 'untrusted') => ({ author: { author, trust } });
      await desk.apply('overwrite', 'a', undefined, from('user', 'owner'));
      expect((await desk.read()).trust).toBe('owner');
      await desk.apply('append', 'b', undefined, from('tool', 'untrusted'));
      expect((await desk.read()).trust).toBe('untrusted');
      await desk.saveByHand('a\nb\nc');
      expect((await desk.read()).trust).toBe('untrusted');
      expect((await desk.layer.restore('ada', 'scribe', 1)).trust).toBe('owner');
      await desk.apply('delete_all_notes');
      await desk.saveByHand('mine');
      expect((await desk.read()).trust).toBe('owner');
    });
  });

  describe('edited by hand', () => {
    it('are seen by the next reader, as a version of the person', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', 'agent');
      await desk.saveByHand('person\r\n');
      expect(await desk.read()).toMatchObject({ text: 'person\r\n', version: 2 });
      expect((await desk.layer.versions('ada', 'scribe'))[1]).toMatchObject({
        operation: 'edited by hand',
        author: BY_OWNER,
      });
      expect((await desk.apply('append', 'agent again')).text).toBe('person\r\nagent again');
      await desk.saveByHand('person');
      await expect(desk.apply('append', 'x', undefined, { expectedVersion: 3 })).rejects.toMatchObject({
        code: 'NOTES_CONFLICT',
        details: { current_version: 4 },
      });
      expect(await desk.layer.readVersion('ada', 'scribe', 3)).toBe('person\r\nagent again');
    });

    it('take a text back word for word', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', 'one');
      await desk.apply('overwrite', 'two');
      await desk.saveByHand('one');
      expect(await desk.read()).toMatchObject({ text: 'one', version: 3 });
      expect(await desk.history()).toEqual(['1 overwrite', '2 overwrite', '3 edited by hand']);
    });

    it('are empty when the file was deleted, and keep their history', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', 'one');
      await desk.store.writeDocument(ADDRESS, 'notes.md', undefined);
      expect(await desk.read()).toMatchObject({ text: '', version: 2 });
      expect(await desk.read()).toMatchObject({ text: '', version: 2 });
      expect((await desk.layer.restore('ada', 'scribe', 1)).text).toBe('one');
      expect(await desk.document()).toBe('one');
    });

    it('refuse what is no text, say so, and leave the file alone', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', 'one');
      await desk.saveByHand('a\0b');
      await expect(desk.read()).rejects.toEqual(code('INVALID_TEXT'));
      await expect(desk.apply('append', 'x')).rejects.toEqual(code('INVALID_TEXT'));
      expect(await desk.document()).toBe('a\0b');
      await desk.saveByHand('x'.repeat(10_485_761));
      await expect(desk.read()).rejects.toEqual(code('CONTENT_TOO_LARGE'));
      await desk.saveByHand('two');
      expect(await desk.read()).toMatchObject({ text: 'two', version: 2 });
    });
  });

  describe('forgetting', () => {
    const CANARY = 'xylophonecanary';
    const bytesWith = async (store: LogStore, word: string): Promise<string[]> => {
      const found: string[] = [];
      for await (const { place, bytes } of store.scan()) {
        if (Buffer.from(bytes).includes(word)) found.push(place);
      }
      return found;
    };

    it('takes everything, in every file', async () => {
      const place = makePlace();
      const desk = new Desk(place.open());
      await desk.apply('overwrite', CANARY);
      await desk.apply('overwrite', 'harmless');
      await desk.saveByHand(`again ${CANARY}`);
      await desk.read();
      expect(await bytesWith(desk.store, CANARY)).not.toEqual([]);
      expect(await desk.layer.forget('ada', 'scribe')).toBe(3);
      expect(await bytesWith(desk.store, CANARY)).toEqual([]);
      expect(await desk.layer.list('ada')).toEqual([]);
      expect(await desk.read()).toMatchObject({ text: '', version: 0 });
      expect(await desk.layer.forget('ada', 'scribe')).toBe(0);
      expect((await desk.apply('append', 'new')).version).toBe(1);
      expect(await new Desk(place.open()).text()).toBe('new');
    });

    it('takes lines and paragraphs out of the text and of all versions', async () => {
      const place = makePlace();
      const desk = new Desk(place.open());
      await desk.apply(
        'overwrite',
        `# a\n- ${CANARY}\n- tea\n\nx ${CANARY.slice(0, 4)}\n${CANARY.slice(4)} y\n\nz\n`,
      );
      await desk.apply('append', `- ${CANARY} again\n`);
      await desk.apply('prepend', 'top\n');
      const matches = (text: string): boolean => text.replaceAll(' ', '').includes(CANARY);
      expect(await desk.layer.forgetText('ada', 'scribe', matches)).toBe(3);
      expect(await desk.read()).toMatchObject({ text: 'top\n# a\n- tea\n\n\nz\n', version: 4 });
      expect(await desk.document()).toBe('top\n# a\n- tea\n\n\nz\n');
      expect(await desk.layer.readVersion('ada', 'scribe', 1)).toBe('# a\n- tea\n\n\nz\n');
      expect(await desk.history()).toEqual(['1 overwrite', '2 append', '3 prepend', '4 forgotten']);
      expect(await bytesWith(desk.store, CANARY)).toEqual([]);
      expect(await bytesWith(desk.store, CANARY.slice(4))).toEqual([]);
      expect(await desk.layer.forgetText('ada', 'scribe', matches)).toBe(0);
      expect((await new Desk(place.open()).read()).version).toBe(4);
    });

    it('takes it out of history alone when the text has lost it already', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', CANARY);
      await desk.apply('overwrite', 'harmless');
      expect(await desk.layer.forgetText('ada', 'scribe', (line) => line.includes(CANARY))).toBe(1);
      expect(await desk.read()).toMatchObject({ text: 'harmless', version: 2 });
      expect(await desk.layer.readVersion('ada', 'scribe', 1)).toBe('');
      expect(await bytesWith(desk.store, CANARY)).toEqual([]);
    });

    it('blacks out what it is told to, also in what a person has just saved', async () => {
      const desk = new Desk(makePlace().open());
      await desk.apply('overwrite', `call ${CANARY} now`);
      await desk.saveByHand(`call ${CANARY} later`);
      const redact = (text: string): string => text.replaceAll(CANARY, '█');
      expect(await desk.layer.redact('ada', 'scribe', redact)).toBe(2);
      expect(await desk.text()).toBe('call █ later');
      await desk.saveByHand(`${CANARY}\0`);
      await desk.layer.redact('ada', 'scribe', redact);
      expect(await bytesWith(desk.store, CANARY)).toEqual([]);
      expect(await desk.document()).toBe('█\0');
    });

    it('is noticed by a writer who started from the old text', async () => {
      const place = makePlace();
      const [one, other] = [new Desk(place.open()), new Desk(place.open())];
      const { version } = await one.apply('overwrite', `${CANARY}\nb`);
      await other.layer.forgetText('ada', 'scribe', (line) => line.includes(CANARY));
      await expect(one.apply('append', 'c', undefined, { expectedVersion: version })).rejects.toEqual(
        code('NOTES_CONFLICT'),
      );
      expect((await one.apply('append', 'c')).text).toBe('b\nc');
    });
  });
});

describe('notes in files', () => {
  it('are a file with the name of the agent, which a person may have made', async () => {
    const root = temporaryFolder();
    const folder = join(root, 'users', 'ada', 'notes');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'scribe.md'), '# By hand\n');
    writeFileSync(join(folder, 'other.md'), 'canary');
    const desk = new Desk(filePlace(root).open());
    expect(await desk.layer.list('ada')).toEqual(['other', 'scribe']);
    expect(await desk.read()).toMatchObject({ text: '# By hand\n', version: 1 });
    await desk.apply('append', 'by the agent\n');
    expect(readFileSync(join(folder, 'scribe.md'), 'utf8')).toBe('# By hand\nby the agent\n');
    expect(await desk.layer.forget('ada', 'other')).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('other'))).toEqual([]);
  });

  it('that are not UTF-8 are refused, and left alone', async () => {
    const root = temporaryFolder();
    const desk = new Desk(filePlace(root).open());
    await desk.apply('overwrite', 'one');
    const file = join(root, 'users', 'ada', 'notes', 'scribe.md');
    const bytes = Buffer.from([0xff, 0xfe, 0x61, 0x62]);
    writeFileSync(file, bytes);
    await expect(desk.read()).rejects.toEqual(code('INVALID_TEXT'));
    await expect(desk.apply('overwrite', 'x')).rejects.toEqual(code('INVALID_TEXT'));
    expect(readFileSync(file)).toEqual(bytes);
    writeFileSync(file, 'fine \ufffd?'.replace('\ufffd', ''));
    await desk.apply('append', 'a sign: \ufffd');
    writeFileSync(file, 'kept: \ufffd');
    expect(await desk.text()).toBe('kept: \ufffd');
  });

  it('lose nothing when a line of the log is damaged', async () => {
    const root = temporaryFolder();
    const desk = new Desk(filePlace(root).open());
    await desk.apply('overwrite', 'one');
    await desk.apply('overwrite', 'two');
    await desk.store.close();
    const log = join(root, 'users', 'ada', 'notes', 'scribe.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"text":"two"', '"text":"tWo"'));
    const again = new Desk(filePlace(root).open());
    expect(await again.read()).toMatchObject({ text: 'two', version: 3 });
    expect(await again.history()).toEqual(['1 overwrite', '3 edited by hand']);
    await again.layer.forgetText('ada', 'scribe', (line) => line.includes('none'));
    expect(readFileSync(log, 'utf8')).not.toContain('tWo');
  });
});
