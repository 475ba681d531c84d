import { LonghandError } from '../src/core/errors.ts';

export interface Outcome {
  readonly step: string;
  state: 'pending' | 'done' | string;
}

/** How long a step may take before the script goes on without it: longer than all tries of a failing write. */
const PATIENCE_MS = 12;
/** A guard against what never ends, not a measure. */
const HANGS_MS = 300_000;
/** Where nothing fails, every step comes to its end, however busy the machine is. */
const ENDLESS_MS = 2 ** 31 - 1;

/** Steps of a script on a file system that may fail anywhere: what came of each, while none keeps the others waiting. */
export class PatientSteps {
  readonly outcomes: Outcome[] = [];
  readonly #running: Promise<unknown>[] = [];
  readonly #patienceMs: number;

  constructor(hasFaults: boolean) {
    this.#patienceMs = hasFaults ? PATIENCE_MS : ENDLESS_MS;
  }

  /** Everything has an answer now; throws when something has none. */
  async settle(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`hangs: ${JSON.stringify(this.outcomes)}`)), HANGS_MS);
    });
    await Promise.race([Promise.all(this.#running), tooLong]);
    clearTimeout(timer);
  }

  protected async step(step: string, work: () => Promise<unknown>): Promise<void> {
    const outcome: Outcome = { step, state: 'pending' };
    this.outcomes.push(outcome);
    const running = work().then(
      () => {
        outcome.state = 'done';
      },
      (error) => {
        outcome.state = codeOf(error);
      },
    );
    this.#running.push(running);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs);
    });
    await Promise.race([running, patience]);
    clearTimeout(timer);
  }
}

export function codeOf(error: unknown): string {
  return LonghandError.isInstance(error) ? error.code : `not of the family: ${String(error)}`;
}
