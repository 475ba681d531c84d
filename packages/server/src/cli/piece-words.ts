import { counted } from './output.ts';

const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  sessions: ['session', 'sessions'],
  memories: ['memory', 'memories'],
  messages: ['message', 'messages'],
  details: ['detail', 'details'],
  notes: ['document of notes', 'documents of notes'],
  note_lines: ['line of notes', 'lines of notes'],
  agents: ['agent', 'agents'],
  agent_memories: ['journal or core memory', 'journal and core memories'],
  damaged_lines: ['line that cannot be read', 'lines that cannot be read'],
};

/** Pieces of a memory by their kinds, as far as there are any: `2 sessions, 1 detail`; empty when there are none. */
export function piecesInWords(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([kind, count]) => counted(count, ...NAMES[kind]!)).join(', ');
}
