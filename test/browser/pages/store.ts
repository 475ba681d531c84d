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
  /** Ends when it is acknowledged. */
  add(text: string, id?: string): Promise<string>;
}

/** A page without a look: the store, and what it reports. Options come from the address. */
export const asked = new URL(location.href).searchParams;
const given = JSON.parse(asked.get('options') ?? '{}') as Partial<ChatStoreOptions>;
const key = asked.get('key');
const userId = asked.get('user');
const signIn = asked.get('signIn');
let csrfToken: string | undefined;
if (signIn !== null) {
  const answer = await new LonghandClient({ key: signIn }).call('signIn', {});
  csrfToken = answer.csrf_token ?? undefined;
}
const client = new LonghandClient({
  ...(key === null ? {} : { key }),
  ...(userId === null ? {} : { userId }),
  csrfToken: () => csrfToken,
});
const errors: ArchiveError[] = [];
export const ready = createChatStore({
  ...given,
  client,
  onArchiveError: (error) => void errors.push(error),
});
const add: StorePage['add'] = async (text, id = crypto.randomUUID()) => {
  const store = await ready;
  await store.getState().addMessage({ id, text, sender: 'user', timestamp: new Date() });
  return id;
};
Object.assign(globalThis, { ready, errors, client, add } satisfies StorePage);
