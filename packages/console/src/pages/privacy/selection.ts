import type { InputOf } from 'longhand/client';

/** What is to be forgotten, as the address of the page says it: `?what=topic&value=project.backend`. */
export const KINDS = {
  text: { label: 'A text', about: 'All that holds these words as they are, in upper or lower case.' },
  topic: { label: 'A topic', about: 'All memories with this tag, or one below it.' },
  time: { label: 'A time', about: 'All that is dated between these days, both included.' },
  session: { label: 'A session', about: 'One conversation with its memories, messages and details.' },
  agent: {
    label: 'An agent',
    about: 'The agent with its journal, core and notes on every user. For admins.',
  },
  everything: {
    label: 'Everything',
    about: 'All sessions, memories, messages, details and notes of the user.',
  },
} as const;
export type Kind = keyof typeof KINDS;

export interface Chosen {
  readonly kind: Kind;
  /** The text, the tag, or the name of the session or agent. */
  readonly value: string;
  readonly from: string;
  readonly to: string;
}

export function chosenIn(params: URLSearchParams): Chosen {
  const kind = params.get('what') as Kind;
  return {
    kind: kind in KINDS ? kind : 'text',
    value: params.get('value') ?? '',
    from: params.get('from') ?? '',
    to: params.get('to') ?? '',
  };
}

export type Selection = InputOf<'previewForgetting'>;

/** `undefined` as long as it does not say enough. */
export function selectionOf({ kind, value, from, to }: Chosen): Selection | undefined {
  if (kind === 'everything') return {};
  if (kind === 'time') return from === '' || to === '' ? undefined : { time_range: { start: from, end: to } };
  if (value.trim() === '') return undefined;
  switch (kind) {
    case 'text':
      return { text: value };
    case 'topic':
      return { topic: value.trim() };
    case 'session':
      return { session_id: value.trim() };
    default:
      return { agent_id: value.trim() };
  }
}
