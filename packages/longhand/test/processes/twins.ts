import type { NewMemory } from '../../src/index.ts';

/** What the writers of twins and their campaign know of: a session with little room left, and the next one. */
export const ADA = { account_id: 'local', user_id: 'ada' };
export const SESSION = 'chat';
export const CONTINUATION = 'chat--2';
export const CONFIG = { storage: { max_session_size_mb: 0.03, auto_compact: false } } as const;

const finding = (id: string, text: string): NewMemory => ({ id, type: 'finding', content: { text } });

export const FIRST = finding('first', 'x'.repeat(20_000));
/** Too large for the session, and not for one of its own that holds half of it already. */
export const LARGE = finding('large', 'y'.repeat(13_000));
export const OTHER_LARGE = finding('other_large', 'z'.repeat(13_000));
export const BOTH = finding('both', 'kept by two at once');
