import {
  type ArchiveError,
  type ChatState,
  type ChatStoreOptions,
  createChatStore,
  LonghandClient,
} from 'longhand/client';

/** What the test reaches from outside. */
export interface StorePage {
  /** Once the outbox is open and the conversation is there. */
  readonly ready: Promise<{ getState(): ChatState }>;
  readonly errors: ArchiveError[];
  readonly client: LonghandClient;
}

/** A page without a look: the store, and what it reports. Options come from the address. */
const asked = new URL(location.href).searchParams;
const given = JSON.parse(asked.get('options') ?? '{}') as Partial<ChatStoreOptions>;
const key = asked.get('key');
const userId = asked.get('user');
const client = new LonghandClient({
  ...(key === null ? {} : { key }),
  ...(userId === null ? {} : { userId }),
});
const errors: ArchiveError[] = [];
const ready = createChatStore({ ...given, client, onArchiveError: (error) => void errors.push(error) });
Object.assign(globalThis, { ready, errors, client } satisfies StorePage);
