import { toDescriptionLine } from '../core/memory-ref.ts';
import type { Shares } from '../core/shares.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { groupLines, systemPromptFor } from '../layers/journal/index.ts';
import type { Section } from './budget.ts';
import { cutHead } from './excerpt.ts';
import { defuse, FENCE_LESSON, fence } from './fence.ts';
import type { ManifestPiece, PieceSource } from './manifest.ts';
import { sumTokens } from './message-tokens.ts';
import { type Front, makeFront, type Part, type Room, type WholeFront } from './part.ts';
import type { Plan } from './plan.ts';
import { privateMemoryParts } from './private-memory.ts';
import type { ContextSources, StoredText } from './sources.ts';
import { standingParts } from './standing.ts';
import { maySpeakAsSystem } from './units.ts';

/**
 * The front of the prompt: what stands there on every turn. System prompt, lessons, private memory, notes, group lines,
 * preferences and summary in the system role; then, as the user, what of it came from outside and may not speak as the
 * system; then the standing memories.
 *
 * How much of it there is room for is chosen in steps and not to the token: a front that gave way to every longer
 * message would change with every message, and the provider's cache of it would be lost each time.
 */

/** Whole; then so many times its ceilings; from 1 to 0 between ceilings and floors; below 0 less than the floors. */
export const STEPS = [Number.POSITIVE_INFINITY, 5, 4, 3, 2, 1.5, 1, 0.75, 0.5, 0.25, 0, -0.5, -1] as const;

const OWN_LESSON =
  'Your private memory and your notes are your own words: core memories say who you are, notes hold what you know of ' +
  'this user and standing instructions. Rely on them.';
const NOTES_HEADING = '# Your Notes on This User\n\n';
const NOTES_PLACEHOLDER = '{long_term_memory_notes}';

/** The front at one of the steps. */
export function renderFront(plan: Plan, step: number): WholeFront {
  const { sources, shares, baseTokens } = plan;
  const { counter } = plan.fitting;
  const limitOf = (name: keyof Shares): number => {
    const { floor, ceiling } = shares[name];
    if (!Number.isFinite(step)) return step;
    if (step >= 1) return Math.floor(ceiling * step * baseTokens);
    const share = step < 0 ? floor * (1 + step) : floor + (ceiling - floor) * step;
    return Math.floor(share * baseTokens);
  };
  const room = (name: keyof Shares): Room => ({ limit: limitOf(name), counter });
  const privateMemory = privateMemoryParts(sources, room('private-memory'));
  const whiteboard = privateMemoryParts(sources, room('whiteboard'), 'whiteboard');
  const notes = storedPart('notes', sources.notes, room('notes'));
  const summary = storedPart('summary', sources.summary, room('summary'));
  const group = groupParts(sources.participants, room('group'));
  const limit = Math.min(plan.standingTokens, limitOf('standing'));
  const standing = standingParts(sources.standing, { limit, counter });
  const prompt = promptParts(sources, notes.parts[0], counter);
  const blocks = [...privateMemory.parts, ...whiteboard.parts];
  const own = [...privateMemory.parts, ...notes.parts];
  const lessons = [...(own.some(({ role }) => role === 'system') ? [OWN_LESSON] : []), ...plan.lessons];
  const parts = [
    ...prompt,
    ...lessonParts(step < 0 ? plan.lessons.slice(0, 1) : lessons, counter),
    ...(prompt.some(({ section }) => section === 'notes') ? blocks : [...blocks, ...notes.parts]),
    ...group.parts,
    ...preferenceParts(sources.preferences, counter),
    ...summary.parts,
    ...standing.parts,
  ];
  const misses = [privateMemory, whiteboard, notes, summary, group, standing].flatMap((each) => each.misses);
  return makeFront(parts, misses, counter);
}

/** The system prompt alone. @param lessons what cannot be left out beside it */
export function smallestFront(
  sources: ContextSources,
  counter: TokenCounter,
  lessons: readonly string[],
): WholeFront {
  const parts = [...promptParts(sources, undefined, counter), ...lessonParts(lessons, counter)];
  return makeFront(parts, [], counter);
}

/** Whether the model is told what a fence is. */
export function teachesFences({ parts }: Front): boolean {
  return parts.some(({ section, text }) => section === 'lessons' && text.includes(FENCE_LESSON));
}

/** The system prompt, with the notes where it asks for them; with a word in their place when there are none here. */
function promptParts(
  { agent, notes: stored }: ContextSources,
  notes: Part | undefined,
  counter: TokenCounter,
): Part[] {
  if (agent === undefined) return [];
  const isBlank = agent.systemPrompt === null || agent.systemPrompt.trim() === '';
  const prompt = systemPromptFor({ name: agent.name, system_prompt: agent.systemPrompt });
  const reason = isBlank ? 'the agent has no system prompt of its own' : 'the agent’s system prompt';
  const source = { layer: 'agent', id: agent.id } as const;
  const part = (text: string): Part => {
    const tokens = counter.count(text);
    return partOf(text, { section: 'system-prompt', role: 'system', source, reason, tokens, trust: 'owner' });
  };
  const [before = '', ...rest] = prompt.split(NOTES_PLACEHOLDER);
  if (rest.length === 0) return [part(prompt)];
  // Asked for twice, they are shown once.
  const after = rest.join('(the notes above)');
  if (notes?.role === 'system') {
    const inline = { ...notes, text: notes.text.slice(NOTES_HEADING.length), isInline: true };
    return [part(before), inline, { ...part(after), isInline: true }].filter(({ text }) => text !== '');
  }
  const hasText = stored !== undefined && stored.text.trim() !== '';
  const stand = notes !== undefined ? '(the notes below)' : hasText ? '(notes left out)' : '(no notes yet)';
  return [part(before + stand + after)];
}

function lessonParts(lessons: readonly string[], counter: TokenCounter): readonly Part[] {
  const source = { layer: 'longhand', id: 'lessons' } as const;
  const reason = 'says what stored data and placeholders are';
  return ownWords('lessons', source, lessons.join('\n\n'), reason, counter);
}

const CUT_MARK: Readonly<Record<'notes' | 'summary', string>> = {
  notes: '[… the rest does not fit; read it with manage_long_term_memory]',
  summary: '[… the rest does not fit]',
};

/** Notes or summary, cut at a line when too long. What came from outside is fenced, and so is every summary. */
function storedPart(
  section: 'notes' | 'summary',
  stored: StoredText | undefined,
  { limit, counter }: Room,
): Front {
  if (stored === undefined || stored.text.trim() === '') return { parts: [], misses: [] };
  const { id, text, trust, count } = stored;
  const source = { layer: section, id } as const;
  const role = maySpeakAsSystem(trust) ? 'system' : 'user';
  const render = (body: string): string =>
    section === 'notes' && role === 'system'
      ? `${NOTES_HEADING}${defuse(body)}`
      : fence({ kind: section, id, messages: count?.toString(), trust }, body);
  const reason = section === 'notes' ? 'the agent’s notes on this user' : 'stands for the older messages';
  const about = { section, role, source, reason, trust } as const;
  const whole = render(text);
  const wholeTokens = counter.count(whole);
  if (wholeTokens <= limit) return { parts: [partOf(whole, { ...about, tokens: wholeTokens })], misses: [] };
  const end = `\n${CUT_MARK[section]}`;
  const head = cutHead(text, limit - counter.count(render(end)), counter);
  const shown = render(head + end);
  const tokens = counter.count(shown);
  if (head === '' || tokens > limit)
    return { parts: [], misses: [{ section, source, why: NO_ROOM, tokens: wholeTokens }] };
  const why = 'cut: longer than the section has room for';
  return {
    parts: [partOf(shown, { ...about, tokens, is_cut: true })],
    misses: [{ section, source, why, tokens: wholeTokens - tokens }],
  };
}

const NO_ROOM = 'no room for the section';
const NAME_CHARACTERS = 64;

function groupParts(participants: readonly string[] = [], { limit, counter }: Room): Front {
  // A participant chose their name: one line, and short.
  const names = participants.map((name) => toDescriptionLine(name, NAME_CHARACTERS));
  const text = groupLines(names).join('\n\n');
  const source = { layer: 'session', id: 'participants' } as const;
  const parts = ownWords('group', source, text, 'several take part in this conversation', counter);
  const tokens = sumTokens(parts.flatMap(({ pieces }) => pieces));
  if (tokens <= limit) return { parts, misses: [] };
  return { parts: [], misses: [{ section: 'group', source, why: NO_ROOM, tokens }] };
}

function preferenceParts(
  { language = '', verbosity = '' }: ContextSources['preferences'] = {},
  counter: TokenCounter,
): readonly Part[] {
  const wishes = Object.entries({ language, verbosity }).flatMap(([name, value]) => {
    const line = toDescriptionLine(value, NAME_CHARACTERS);
    return line === '' ? [] : [`${name}: ${line}`];
  });
  const text = wishes.length === 0 ? '' : `The user wants your answers in this way: ${wishes.join('; ')}.`;
  const source = { layer: 'session', id: 'preferences' } as const;
  return ownWords('preferences', source, text, 'the preferences of this session', counter);
}

/** A part in the words of Longhand; none when there is nothing to say. */
function ownWords(
  section: Section,
  source: PieceSource,
  text: string,
  reason: string,
  counter: TokenCounter,
): readonly Part[] {
  const about = { section, role: 'system', source, reason, trust: null } as const;
  return text === '' ? [] : [partOf(text, { ...about, tokens: counter.count(text) })];
}

export function partOf(text: string, piece: ManifestPiece & Pick<Part, 'role'>): Part {
  return { section: piece.section, role: piece.role, text, pieces: [piece] };
}
