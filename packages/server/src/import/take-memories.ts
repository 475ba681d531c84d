import { setImmediate } from 'node:timers/promises';
import { type LonghandError, type NewMemory, type ScopedMemory, ValidationError } from 'longhand';
import { hasCode } from '../has-code.ts';
import { familyOf, type KnownMemory, knownIn } from './session-contents.ts';

/**
 * The memories of a file that belong to one session. When that is full, they go on in the next one (`chat--2` after
 * `chat`), as everything else of a user does. So a memory that is there already may be in any of these: it is compared
 * with the one that is there, where that is, and never put beside it.
 */
interface MemoriesOptions {
  /** Makes the session when it is not there; called before something is written to it. */
  readonly ensure: () => Promise<void>;
  /** Leave out memories that were deleted here, in place of ending with an error. */
  readonly skipsDeleted: boolean;
  /** How many are written at once. */
  readonly batch: number;
  /** Called for those that were imported, or were there. */
  readonly onTaken: (memories: readonly NewMemory[], isFresh: boolean) => void;
  readonly onSkipped: (count: number) => void;
  /** Called after so many of the file are done; may throw to end it. */
  readonly step: (count: number) => void;
}

/** @throws ValidationError for a memory that was deleted here, unless those are to be left out; SizeLimitError */
export async function takeMemories(
  memory: ScopedMemory,
  sessionId: string,
  memories: readonly NewMemory[],
  options: MemoriesOptions,
): Promise<void> {
  const hasIds = memories.some(({ id }) => id !== undefined);
  const places = new Map<string, KnownMemory>(
    hasIds ? await knownIn(memory, await familyOf(memory, sessionId)) : [],
  );
  for (let i = 0; i < memories.length; i += options.batch) {
    const batch = memories.slice(i, i + options.batch);
    const [fresh, met] = parted(batch, places);
    if (fresh.length > 0) await options.ensure();
    await keepFresh(memory, sessionId, fresh, (taken) => {
      for (const { id } of taken) if (id !== undefined) places.set(id, { sessionId, isDeleted: false });
      options.onTaken(taken, true);
    });
    const deleted = new Set(options.skipsDeleted ? met.filter(({ id }) => places.get(id!)!.isDeleted) : []);
    options.onSkipped(deleted.size);
    const rest = met.filter((one) => !deleted.has(one));
    for (const [place, part] of byPlace(rest, places)) await compare(memory, place, part, options);
    options.step(batch.length);
    // A long file must not keep a server from answering others.
    await setImmediate();
  }
}

/** The memories that are new to the store, each once, and the others. */
function parted(
  batch: readonly NewMemory[],
  places: ReadonlyMap<string, KnownMemory>,
): readonly [NewMemory[], NewMemory[]] {
  const [fresh, met]: [NewMemory[], NewMemory[]] = [[], []];
  const seen = new Set<string>();
  for (const one of batch) {
    const isMet = one.id !== undefined && (places.has(one.id) || seen.has(one.id));
    (isMet ? met : fresh).push(one);
    if (one.id !== undefined) seen.add(one.id);
  }
  return [fresh, met];
}

function byPlace(
  met: readonly NewMemory[],
  places: ReadonlyMap<string, KnownMemory>,
): ReadonlyMap<string, NewMemory[]> {
  return Map.groupBy(met, ({ id }) => places.get(id!)!.sessionId);
}

/** Too many for what room there is are brought in by halves: a session of its own has room for each, or nothing has. */
async function keepFresh(
  memory: ScopedMemory,
  sessionId: string,
  batch: readonly NewMemory[],
  onTaken: (taken: readonly NewMemory[]) => void,
): Promise<void> {
  if (batch.length === 0) return;
  try {
    await memory.keepMemories(sessionId, batch);
  } catch (error) {
    if (!hasCode(error, 'SESSION_FULL') || batch.length === 1) throw error;
    const middle = Math.ceil(batch.length / 2);
    await keepFresh(memory, sessionId, batch.slice(0, middle), onTaken);
    return keepFresh(memory, sessionId, batch.slice(middle), onTaken);
  }
  onTaken(batch);
}

/** Keeping an existing memory is idempotent; the store refuses an id of another memory or of a deleted one. */
async function compare(
  memory: ScopedMemory,
  place: string,
  part: readonly NewMemory[],
  { skipsDeleted, onTaken, onSkipped }: MemoriesOptions,
): Promise<void> {
  let living = part;
  while (living.length > 0) {
    try {
      await memory.keepMemories(place, living);
      break;
    } catch (error) {
      if (!hasCode(error, 'ID_DELETED')) throw error;
      if (!skipsDeleted) throw withAdvice(error);
      // Deleted by another process just now. Each refusal names one memory.
      living = living.filter(({ id }) => id !== error.details.memory_id);
    }
  }
  onTaken(living, false);
  onSkipped(part.length - living.length);
}

function withAdvice(error: LonghandError): ValidationError {
  const advice = error.message.replace('Leave the id out.', 'With --skip-deleted the rest is imported.');
  return new ValidationError('ID_DELETED', advice, { cause: error, details: error.details });
}
