import type { Message } from '../core/messages.ts';
import { TRUST_OF } from '../core/new-memory.ts';
import { TRUST_TIERS, type TrustTier } from '../core/records.ts';
import { fence } from './fence.ts';
import type { StoredMessage } from './sources.ts';

/**
 * What stays or leaves together: one message, or an assistant's tool calls with the results that answer them.
 * Providers refuse a result without its call and a call without its result, so neither is ever sent. And a
 * conversation cannot speak with the voice of the system: what has that role in it is shown as data, and so is what was
 * said by neither the user nor an agent: what an import or a tool put into the conversation.
 */
export interface Unit {
  readonly messages: readonly Message[];
  /** Of this turn. */
  readonly isNew: boolean;
  /** A user's own message. The newest of them is cut last. */
  readonly isPrompt: boolean;
  /** Of an exchange with a tool: the id of the user's message that it answers, if that has one. */
  readonly promptId: string | undefined;
  /** The lowest of its messages. */
  readonly trust: TrustTier | null;
  /** What it stands for, when it is a line in the place of what there is no room for. */
  readonly standsFor?: string;
  /** How each message came. */
  readonly origins: readonly Origin[];
}

interface Origin {
  readonly message: StoredMessage;
  /** Of the fence that its text stands in, when it is shown as data. */
  readonly label?: Readonly<Record<string, string | undefined>>;
}

/**
 * @param newFrom the index of this turn's first message
 * @returns the units, and the messages with tool calls that have no result
 */
export function toUnits(
  messages: readonly StoredMessage[],
  newFrom: number,
): { readonly units: readonly Unit[]; readonly unanswered: readonly Message[] } {
  const units: Unit[] = [];
  const unanswered: Message[] = [];
  let promptId: string | undefined;
  for (let at = 0; at < messages.length; ) {
    const message = messages[at]!;
    const start = at++;
    if (message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0) {
      const results: StoredMessage[] = [];
      const open = new Set(message.tool_calls!.map(({ id }) => id));
      while (messages[at]?.role === 'tool' && open.delete(messages[at]!.tool_call_id ?? '')) {
        results.push(messages[at++]!);
      }
      const { tool_calls, ...rest } = message;
      const answered = tool_calls!.filter(({ id }) => !open.has(id));
      if (answered.length < tool_calls!.length) unanswered.push(message);
      if (answered.length === 0 && message.content === '') continue;
      const call = answered.length === 0 ? rest : { ...rest, tool_calls: answered };
      units.push({ ...toUnit([call, ...results], at > newFrom), promptId });
    } else {
      if (message.role === 'user') promptId = message.id;
      units.push(toUnit([message], start >= newFrom));
    }
  }
  return { units, unanswered };
}

function toUnit(messages: readonly StoredMessage[], isNew: boolean): Unit {
  const [first] = messages;
  const origins = messages.map((message): Origin => {
    const isMisplaced = messages.length === 1 && (message.role === 'tool' || message.role === 'system');
    const isSaid = message.role === 'user' || message.role === 'assistant';
    const isData = isMisplaced || (isSaid && !maySpeakAsSystem(trustOf(message)));
    return isData ? { message, label: labelOf(message) } : { message };
  });
  return {
    messages: origins.map(({ message, label }) =>
      label === undefined ? plain(message) : asData(message, label),
    ),
    isNew,
    isPrompt: first!.role === 'user',
    promptId: undefined,
    trust: lowestTrust(messages.map(trustOf)),
    origins,
  };
}

/** Whether anything in it stands in a fence. */
export function isFenced({ origins }: Unit): boolean {
  return origins.some(({ label }) => label !== undefined);
}

/** As far as its author is trusted, unless it says otherwise. A conversation cannot speak for the system. */
function trustOf({ role, provenance }: StoredMessage): TrustTier {
  return provenance?.trust ?? (role === 'system' ? 'external' : TRUST_OF[role]);
}

function labelOf(message: StoredMessage): NonNullable<Origin['label']> {
  const { role, name, provenance } = message;
  const kind = role === 'tool' ? 'tool-result' : 'message';
  return { kind, role, by: name ?? provenance?.author, source: provenance?.source, trust: trustOf(message) };
}

/**
 * A result whose call is gone, words for the system role that the system did not speak, words that the user or the agent
 * is said to have spoken. A call stays a call: only what stands beside it is fenced.
 */
function asData(message: StoredMessage, label: NonNullable<Origin['label']>): Message {
  const { id, content, timestamp, tool_calls } = message;
  if (tool_calls !== undefined && tool_calls.length > 0)
    return { ...plain(message), content: content === '' ? '' : fence(label, content) };
  return {
    ...(id === undefined ? {} : { id }),
    role: 'user',
    content: fence(label, content),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/** Without what the store adds to a message. */
function plain(message: StoredMessage): Message {
  if (message.provenance === undefined) return message;
  const { provenance: _, ...rest } = message;
  return rest;
}

/** Derived text takes the lowest tier of its sources; null when there are none. */
export function lowestTrust(tiers: readonly TrustTier[]): TrustTier | null {
  return TRUST_TIERS.findLast((tier) => tiers.includes(tier)) ?? null;
}

/** Whether text of this tier may stand in the system role. */
export function maySpeakAsSystem(trust: TrustTier): boolean {
  return trust === 'owner' || trust === 'agent';
}
