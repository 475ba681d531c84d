import type { Operation } from './operation.ts';

/**
 * One operation, without the schemas of all the others: a command needs one or two of them, and making the whole table
 * takes as long as starting Node.
 */
const GROUPS: readonly { readonly names: readonly string[]; readonly load: () => Promise<unknown> }[] = [
  {
    names: ['search', 'searchSessions'],
    load: async () => (await import('./search.ts')).searchOperations,
  },
  {
    names: ['recall', 'remember'],
    load: async () => (await import('./user-memories.ts')).userMemoryOperations,
  },
  {
    names: ['addMemory', 'getMemory', 'queryMemories', 'updateMemory'],
    load: async () => (await import('./memories.ts')).memoryOperations,
  },
  {
    names: [
      'compactSession',
      'exportSession',
      'getSessionStats',
      'listSessions',
      'loadSession',
      'rebuildIndex',
    ],
    load: async () => (await import('./sessions.ts')).sessionOperations,
  },
  {
    names: [
      'changeNotes',
      'listNotesVersions',
      'readNotes',
      'readNotesVersion',
      'restoreNotes',
      'searchNotes',
      'writeNotes',
    ],
    load: async () => (await import('./notes.ts')).noteOperations,
  },
  { names: ['listAgentMemories'], load: async () => (await import('./agents.ts')).agentOperations },
  {
    names: ['captureOutput', 'retrieveDetail'],
    load: async () => (await import('./details.ts')).detailOperations,
  },
  { names: ['chat'], load: async () => (await import('./chat.ts')).chatOperations },
  {
    names: ['exportUser', 'forget', 'previewForgetting'],
    load: async () => (await import('./privacy.ts')).privacyOperations,
  },
  {
    names: ['createKey', 'listKeys', 'revokeKey'],
    load: async () => (await import('./keys.ts')).keyOperations,
  },
];

/** @throws Error when no command asks for one of this name: a mistake in the program */
export async function loadOperation(name: string): Promise<Operation> {
  const group = GROUPS.find(({ names }) => names.includes(name));
  const operations = (await group?.load()) as readonly Operation[] | undefined;
  const found = operations?.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`There is no operation ${name}.`);
  return found;
}
