import { readFileSync } from 'node:fs';
import type { MemoryManager } from 'longhand';
import { type Conversation, DAY_MS, evidenceIds, store, type Turn } from './locomo.ts';
import { round } from './measures.ts';

const BUDGET = 2_000;

export interface ContextRecall {
  readonly questions: number;
  /** Share of the questions for which all turns that the evidence names stand in the context, in percent. */
  readonly all: number;
  /** For which at least one of them does. */
  readonly any: number;
  /** Share of the evidence, over the questions. */
  readonly mean: number;
  /** Tokens of a context, on average. */
  readonly tokens: number;
}

/**
 * LoCoMo through `assembleContext`: each turn is a memory, the last session is also the transcript of the session that
 * the question is asked in. Evidence is present when the text of its turn stands in one of the messages.
 */
export async function measureContext(file: string, openManager: () => MemoryManager): Promise<ContextRecall> {
  const conversations = JSON.parse(readFileSync(file, 'utf8')) as Conversation[];
  const shares: number[] = [];
  let tokens = 0;
  for (const { sample_id, conversation, qa } of conversations) {
    const manager = openManager();
    const { sessionId, turnOf, lastMs } = await store(manager, sample_id, conversation);
    const sessions = Object.keys(conversation)
      .filter((key) => /^session_\d+$/.test(key))
      .map((key) => conversation[key] as readonly Turn[])
      .filter((turns) => turns.length > 0);
    const textOf = new Map(sessions.flat().map(({ dia_id, text }) => [dia_id, text]));
    const layers = await manager.layers();
    await layers.transcripts.archive(
      sessionId,
      sessions.at(-1)!.map(({ dia_id, text }, i) => ({
        id: dia_id.replace(':', '_'),
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: text,
        timestamp: new Date(lastMs).toISOString(),
      })),
    );
    const known = new Set(turnOf.values());
    for (const { question, evidence, category } of qa) {
      const gold = evidenceIds(evidence).filter((id) => known.has(id));
      if (category === 5 || gold.length === 0) continue;
      const { messages, manifest } = await manager.assembleContext({
        session: sessionId,
        user: sample_id,
        messages: [{ role: 'user', content: question }],
        budget: BUDGET,
        now: new Date(lastMs + DAY_MS),
      });
      if (manifest.total > BUDGET) throw new Error('A context is over its budget.');
      const prompt = messages.map(({ content }) => content).join('\n');
      shares.push(gold.filter((id) => prompt.includes(textOf.get(id)!)).length / gold.length);
      tokens += manifest.total;
    }
    await manager.close();
  }
  const percent = (part: number): number => round((100 * part) / shares.length);
  return {
    questions: shares.length,
    all: percent(shares.filter((share) => share === 1).length),
    any: percent(shares.filter((share) => share > 0).length),
    mean: percent(shares.reduce((sum, share) => sum + share, 0)),
    tokens: Math.round(tokens / shares.length),
  };
}
