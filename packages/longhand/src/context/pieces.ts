import { toDescriptionLine } from '../core/memory-ref.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { groupLines, systemPromptFor } from '../layers/journal/memory-context.ts';
import type { Section } from './budget.ts';
import { cutHead } from './excerpt.ts';
import { FENCE_LESSON, fence } from './fence.ts';
import type { ManifestPiece, NearMiss } from './manifest.ts';
import { privateMemoryParts } from './private-memory.ts';
import type { ContextSources } from './sources.ts';
import { maySpeakAsSystem } from './units.ts';

/**
 * The front of the prompt: what stands there on every turn. System prompt, lessons, private memory, notes, group lines
 * and summary, in this order. What may not speak as the system is rendered for the message after it.
 */

/** A stretch of the front, with what it is made of. */
export interface Part {
  readonly section: Section;
  readonly role: 'system' | 'user';
  readonly text: string;
  readonly pieces: readonly ManifestPiece[];
  /** Follows the part before without a blank line: it stands where a placeholder of the prompt stood. */
  readonly isInline?: boolean;
}

export interface Room {
  readonly limit: number;
  readonly counter: TokenCounter;
}

/** The most tokens that each section of the front may take. */
export interface FrontLimits {
  /** What a fence is, is said whatever it takes; the others have to fit. */
  readonly lessons: number;
  readonly 'private-memory': number;
  readonly notes: number;
  readonly group: number;
  readonly summary: number;
}

export interface Front {
  readonly parts: readonly Part[];
  readonly misses: readonly NearMiss[];
}

const NOTES_PLACEHOLDER = '{long_term_memory_notes}';

/** @param lessons what the model has to be taught, that of the fence first */
export function renderFront(
  sources: ContextSources,
  limits: FrontLimits,
  counter: TokenCounter,
  lessons: readonly string[] = [FENCE_LESSON],
): Front {
  const misses: NearMiss[] = [];
  const room = (name: keyof FrontLimits): Room => ({ limit: limits[name], counter });
  const privateMemory = privateMemoryParts(
    sources.privateMemory,
    sources.agent?.id ?? '',
    room('private-memory'),
  );
  misses.push(...privateMemory.misses);
  const notes = storedText('notes', sources.notes, room('notes'), misses);
  const summary = storedText('summary', sources.summary, room('summary'), misses);
  const prompt = promptParts(sources, notes, counter);
  const hasInlineNotes = prompt.some(({ section }) => section === 'notes');
  const parts = [
    ...prompt,
    ...lessonParts(lessons, room('lessons')),
    ...privateMemory.parts,
    ...(notes === undefined || hasInlineNotes ? [] : [notes]),
    ...groupParts(sources.participants, room('group'), misses),
    ...(summary === undefined ? [] : [summary]),
  ];
  return { parts, misses };
}

/** The system prompt, with the notes where it asks for them; with a word in their place when there are none here. */
export function promptParts(
  { agent, notes: source }: ContextSources,
  notes: Part | undefined,
  counter: TokenCounter,
): Part[] {
  if (agent === undefined) return [];
  const isBlank = agent.systemPrompt === null || agent.systemPrompt.trim() === '';
  const prompt = systemPromptFor({ name: agent.name, system_prompt: agent.systemPrompt });
  const reason = isBlank ? 'the agent has no system prompt of its own' : 'the agent’s system prompt';
  const part = (text: string): Part => ({
    section: 'system-prompt',
    role: 'system',
    text,
    pieces: [
      {
        section: 'system-prompt',
        role: 'system',
        source: { layer: 'agent', id: agent.id },
        reason,
        tokens: counter.count(text),
        trust: 'owner',
      },
    ],
  });
  const [before = '', ...rest] = prompt.split(NOTES_PLACEHOLDER);
  if (rest.length === 0) return [part(prompt)];
  // Asked for twice, they are shown once.
  const after = rest.join('(the notes above)');
  if (notes?.role === 'system') {
    const parts: Part[] = [part(before), { ...notes, isInline: true }, { ...part(after), isInline: true }];
    return parts.filter(({ text }) => text !== '');
  }
  const hasText = source !== undefined && source.text.trim() !== '';
  const stand = notes !== undefined ? '(the notes below)' : hasText ? '(notes left out)' : '(no notes yet)';
  return [part(before + stand + after)];
}

/** Stored text is never shown without the lesson of the fence: that one has no limit. */
export function lessonParts(lessons: readonly string[], { limit, counter }: Room): Part[] {
  if (lessons.length === 0) return [];
  let text = lessons.join('\n\n');
  let tokens = counter.count(text);
  if (tokens > limit) {
    text = lessons[0]!;
    tokens = counter.count(text);
  }
  const piece: ManifestPiece = {
    section: 'lessons',
    role: 'system',
    source: { layer: 'longhand', id: 'lessons' },
    reason: 'says what stored data and placeholders are',
    tokens,
    trust: null,
  };
  return [{ section: 'lessons', role: 'system', text, pieces: [piece] }];
}

const CUT_MARK: Readonly<Record<'notes' | 'summary', string>> = {
  notes: '[… the rest does not fit; read it with manage_long_term_memory]',
  summary: '[… the rest does not fit]',
};

/** Notes or summary: fenced, cut at a line when too long, in the system role only when trusted enough. */
function storedText(
  section: 'notes' | 'summary',
  source: ContextSources['notes'] | ContextSources['summary'],
  { limit, counter }: Room,
  misses: NearMiss[],
): Part | undefined {
  if (source === undefined || source.text.trim() === '') return undefined;
  const { id, text, trust } = source;
  const covers = 'count' in source ? { messages: String(source.count) } : {};
  const fenced = (body: string): string => fence({ kind: section, id, ...covers, trust }, body);
  let shown = fenced(text);
  let tokens = counter.count(shown);
  const isCut = tokens > limit;
  if (isCut) {
    const whole = tokens;
    const frame = counter.count(fenced(`\n${CUT_MARK[section]}`));
    const head = cutHead(text, limit - frame, counter);
    shown = fenced(`${head}\n${CUT_MARK[section]}`);
    tokens = counter.count(shown);
    const isGone = head === '' || tokens > limit;
    const why = isGone ? 'no room for the section' : 'cut: longer than the section has room for';
    misses.push({ section, source: { layer: section, id }, why, tokens: whole - (isGone ? 0 : tokens) });
    if (isGone) return undefined;
  }
  const role = maySpeakAsSystem(trust) ? 'system' : 'user';
  const piece: ManifestPiece = {
    section,
    role,
    source: { layer: section, id },
    reason: section === 'notes' ? 'the agent’s notes on this user' : 'stands for the older messages',
    tokens,
    trust,
    ...(isCut ? { is_cut: true as const } : {}),
  };
  return { section, role, text: shown, pieces: [piece] };
}

const NAME_CHARACTERS = 64;

function groupParts(
  participants: readonly string[] | undefined,
  { limit, counter }: Room,
  misses: NearMiss[],
): Part[] {
  if (participants === undefined) return [];
  // A name is what somebody called himself: one line, and short.
  const names = participants.map((name) => toDescriptionLine(name, NAME_CHARACTERS));
  const text = groupLines(names).join('\n\n');
  if (text === '') return [];
  const tokens = counter.count(text);
  const source = { layer: 'session' as const, id: 'participants' };
  if (tokens > limit) {
    misses.push({ section: 'group', source, why: 'no room for the section', tokens });
    return [];
  }
  const reason = 'several take part in this conversation';
  return [
    {
      section: 'group',
      role: 'system',
      text,
      pieces: [{ section: 'group', role: 'system', source, reason, tokens, trust: null }],
    },
  ];
}
