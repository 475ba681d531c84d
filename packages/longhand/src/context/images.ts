import { formatMemoryRef, isMemoryKey, toDescriptionLine } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { invalidOption } from './budget.ts';
import { type FittedUnit, fitUnit, uncut } from './fit-messages.ts';
import type { NearMiss } from './manifest.ts';
import { messageTokens, sumTokens } from './message-tokens.ts';
import type { Fitting } from './shorten.ts';
import type { Unit } from './units.ts';

/**
 * Pictures that are sent with the newest message. Five of them take more than a usual budget: so the newest are sent, as
 * many as there is room for beside what must be there, and a line of text stands for the others. The newest user message
 * is not cut for a picture, and the newest exchange with a tool is cut first.
 */

/** What is known of a picture, for the line that may stand for it. */
export interface ImageReference {
  readonly description?: string;
  /** The key of the detail that it is kept under: the line then holds a placeholder. */
  readonly memory_key?: string;
}

/**
 * An estimate: providers scale a picture down to a size for which they charge some 1,450 to 1,570 tokens at most, and
 * less for a smaller one. A hard budget must count the most.
 */
export const TOKENS_PER_IMAGE = 1_600;
/** Of those that are left out, so many newest ones are named one by one. */
const NAMED_IMAGES = 32;
/** When naming them would take more of the room than this, only their number is given. */
const NAMES_SHARE = 0.25;
const DESCRIPTION_CHARACTERS = 120;

interface ChosenImages {
  readonly given: number;
  /** The newest of them. */
  readonly sent: number;
  /** One unit that stands for the others, before the newest message; none when all are sent. */
  readonly standIns: readonly FittedUnit[];
  readonly misses: readonly NearMiss[];
}

/** Oldest first. @throws ValidationError INVALID_OPTION */
export function parseImages(images: unknown = 0): {
  readonly count: number;
  at(index: number): ImageReference;
} {
  if (Number.isSafeInteger(images) && (images as number) >= 0)
    return { count: images as number, at: () => ({}) };
  if (Array.isArray(images) && images.every(isReference))
    return { count: images.length, at: (index) => images[index]! };
  throw invalidOption(
    'Images must be a whole number of at least 0, or a list of objects with a description, a memory_key, or neither.',
  );
}

function isReference(image: unknown): image is ImageReference {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) return false;
  const { description, memory_key, ...others } = image as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    (description === undefined || typeof description === 'string') &&
    (memory_key === undefined || isMemoryKey(memory_key))
  );
}

/**
 * @param must what has to be there; `prompt` of it whole
 * @param roomTokens for these and for the pictures
 */
export function chooseImages(
  images: ReturnType<typeof parseImages>,
  must: readonly Unit[],
  prompt: Unit | undefined,
  roomTokens: number,
  fitting: Fitting,
): ChosenImages {
  const given = images.count;
  if (given === 0) return { given, sent: 0, standIns: [], misses: [] };
  const least = must.map((unit) => fitUnit(unit, unit === prompt ? Number.POSITIVE_INFINITY : 0, fitting));
  const room = roomTokens - sumTokens(least);
  if (given * TOKENS_PER_IMAGE <= room) return { given, sent: given, standIns: [], misses: [] };
  let sent = Math.max(0, Math.min(given - 1, Math.floor(room / TOKENS_PER_IMAGE)));
  const standInAt = (count: number): FittedUnit => {
    const named = standInFor(images, count, NAMED_IMAGES, fitting.counter);
    return named.tokens <= room * NAMES_SHARE ? named : standInFor(images, count, 0, fitting.counter);
  };
  let standIn = standInAt(sent);
  // The line takes room too.
  while (sent > 0 && sent * TOKENS_PER_IMAGE + standIn.tokens > room) standIn = standInAt(--sent);
  const source = { layer: 'turn' as const, id: standIn.unit.standsFor! };
  const tokens = (given - sent) * TOKENS_PER_IMAGE;
  const why = 'images that there is no room for';
  return { given, sent, standIns: [standIn], misses: [{ section: 'new-messages', source, why, tokens }] };
}

function standInFor(
  images: ReturnType<typeof parseImages>,
  sent: number,
  mostNamed: number,
  counter: TokenCounter,
): FittedUnit {
  const gone = images.count - sent;
  const what = gone === 1 ? '1 image' : `${gone} images`;
  const rest = sent === 0 ? '' : ` The newest ${sent === 1 ? 'one is' : `${sent} are`} shown.`;
  const lines = [`[${what} not shown here: no room.${rest}]`];
  for (let at = Math.max(0, gone - mostNamed); at < gone; at++) {
    const { description = '', memory_key } = images.at(at);
    const line = toDescriptionLine(description, DESCRIPTION_CHARACTERS);
    const text = `image ${at + 1} of ${images.count}${line === '' ? '' : `: ${line}`}`;
    if (memory_key !== undefined) lines.push(formatMemoryRef(memory_key, text));
    else if (line !== '') lines.push(`[${text}]`);
  }
  const message: Message = { role: 'user', content: lines.join('\n') };
  const unit: Unit = {
    messages: [message],
    isNew: true,
    isPrompt: false,
    promptId: undefined,
    trust: null,
    origins: [{ message }],
    standsFor: what,
  };
  return uncut(unit, messageTokens(message, counter));
}
