import type { MemoryManager } from 'longhand';
import type { Haystack, Turn } from './haystack.ts';
import { mean, round } from './measures.ts';
import { storeHaystack } from './rankers/longhand.ts';
import type { Figure } from './recall-set.ts';

const BUDGET = 2_000;
const TITLE = 'in a context of 2,000 tokens';

/**
 * LoCoMo through `assembleContext`: each turn is a memory, the last session is also the transcript of the session that
 * the question is asked in. Evidence is present when the text of its turn stands in one of the messages.
 */
export async function measureContext(
  haystacks: readonly Haystack[],
  openManager: () => MemoryManager,
): Promise<Figure[]> {
  const shares: number[] = [];
  for (const haystack of haystacks) {
    const manager = openManager();
    const { lastSessionId } = await storeHaystack(manager, haystack, haystack.name);
    await archiveLastSession(manager, haystack, lastSessionId);
    const turns = haystack.sessions.flatMap((session) => session.turns);
    const messageOf = new Map(turns.map((turn) => [turn.name, said(turn)]));
    for (const { text, goldTurns, now } of haystack.questions) {
      const { messages, manifest } = await manager.assembleContext({
        session: lastSessionId,
        user: haystack.name,
        messages: [{ role: 'user', content: text }],
        budget: BUDGET,
        now,
      });
      if (manifest.total > BUDGET) throw new Error('A context is over its budget.');
      const prompt = messages.map(({ content }) => content).join('\n');
      const present = goldTurns.filter((name) => prompt.includes(messageOf.get(name)!));
      shares.push(present.length / goldTurns.length);
    }
    await manager.close();
  }
  return [
    {
      name: `LoCoMo, all evidence ${TITLE}`,
      unit: '%',
      value: round(mean(shares, (share) => (share === 1 ? 1 : 0))),
    },
    {
      name: `LoCoMo, any evidence ${TITLE}`,
      unit: '%',
      value: round(mean(shares, (share) => (share > 0 ? 1 : 0))),
    },
    {
      name: `LoCoMo, share of the evidence ${TITLE}`,
      unit: '%',
      value: round(mean(shares, (share) => share)),
    },
  ];
}

async function archiveLastSession(
  manager: MemoryManager,
  { sessions }: Haystack,
  sessionId: string,
): Promise<void> {
  const layers = await manager.layers();
  await layers.transcripts.archive(
    sessionId,
    sessions.at(-1)!.turns.map((turn, position) => ({
      id: turn.name.replace(':', '_'),
      role: position % 2 === 0 ? 'user' : 'assistant',
      content: said(turn),
      timestamp: new Date(turn.memory.timestamp!).toISOString(),
    })),
  );
}

/** What the speaker said, without the name. */
function said({ memory: { content } }: Turn): string {
  return typeof content === 'string' ? content : String(content.message);
}
