import { expect } from 'vitest';
import type { MemoryChanges, MemoryEntry, MemoryManager } from '../src/index.ts';
import { PatientSteps } from './patient-steps.ts';

const SESSION = 'one';
const ID = 'mem_one';

/** A field of the memory, and the values that it was to have, in order. Each is used once. */
interface Field {
  readonly of: (entry: MemoryEntry) => unknown;
  readonly asked: unknown[];
  /** Of the last one that was acknowledged. */
  done: number;
}

type FieldName = 'text' | 'tags' | 'importance';

/** A memory that is put right again and again, field by field, where anything may fail; and what must be left of it. */
export class CorrectionScript extends PatientSteps {
  readonly #fields: Readonly<Record<FieldName, Field>> = {
    text: { of: ({ content }) => content.text, asked: ['said first'], done: 0 },
    tags: { of: ({ tags }) => tags.join(), asked: ['first'], done: 0 },
    importance: { of: ({ importance }) => importance, asked: [0.5], done: 0 },
  };
  #isAdded = false;

  async run(manager: MemoryManager): Promise<void> {
    await this.step('create', () => manager.createSession('ada', { session_id: SESSION }));
    await this.step('add', () => this.#add(manager));
    await this.step('put the text right', () => this.#correct(manager, 'text', 'said second'));
    await this.step('weigh', () => this.#correct(manager, 'importance', 0.7));
    await this.step('put all right at once', () =>
      Promise.all([
        this.#correct(manager, 'text', 'said third'),
        this.#correct(manager, 'tags', 'second'),
        this.#correct(manager, 'importance', 0.8),
      ]),
    );
    await this.step('compact', () => manager.compactSession(SESSION));
    await this.step('put the tags right', () => this.#correct(manager, 'tags', 'third'));
    await this.step('close the session', () => manager.closeSession(SESSION));
    await this.step('put the text right last', () => this.#correct(manager, 'text', 'said last'));
  }

  async correctOnceMore(manager: MemoryManager): Promise<void> {
    if (this.#isAdded) await this.#correct(manager, 'text', 'said once more');
  }

  /** It is there once, each field as last corrected, or as a later correction without an answer asked for. */
  async check(manager: MemoryManager): Promise<void> {
    const sessions = await manager.listSessions('ada');
    if (!this.#isAdded && sessions.length === 0) return;
    const lines = (await manager.exportSession(SESSION, 'jsonl')).split('\n').slice(0, -1);
    const found = lines.map((line) => JSON.parse(line) as MemoryEntry);
    expect(found.length, 'how often it is there').toBeLessThanOrEqual(1);
    if (this.#isAdded) expect(found.length, 'whether it is there').toBe(1);
    const [entry] = found;
    if (entry === undefined) return;
    for (const [name, { of, asked, done }] of Object.entries(this.#fields))
      expect(asked.slice(done), `${name}, as exported`).toContain(of(entry));
    expect(await manager.getMemory(SESSION, ID)).toEqual(entry);
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(1);
  }

  async #add(manager: MemoryManager): Promise<void> {
    const { text, tags, importance } = this.#fields;
    await manager.addMemory(SESSION, {
      id: ID,
      type: 'finding',
      content: { text: String(text.asked[0]) },
      tags: [String(tags.asked[0])],
      importance: Number(importance.asked[0]),
    });
    this.#isAdded = true;
  }

  async #correct(manager: MemoryManager, name: FieldName, value: string | number): Promise<void> {
    const field = this.#fields[name];
    const at = field.asked.push(value) - 1;
    await manager.updateMemory(SESSION, ID, changesOf(name, value));
    field.done = Math.max(field.done, at);
  }
}

function changesOf(name: FieldName, value: string | number): MemoryChanges {
  if (name === 'text') return { content: { text: String(value) } };
  return name === 'tags' ? { tags: [String(value)] } : { importance: Number(value) };
}
