import { counted, grouped, type Output } from './output.ts';

const WIDTH = 28;
const DEFAULT_COLUMNS = 80;
/** Narrower than this it says nothing any more. */
const MIN_WIDTH = 8;
/** Redrawing more often than the eye follows only costs time. */
const REDRAW_MS = 60;
/** Work that is over sooner needs no bar. */
const SHOW_AFTER_MS = 250;
/** Between two steps that take long, the bar is drawn all the same. */
const BEAT_MS = 500;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * How far long work has come, on standard error of a terminal; silent everywhere else.
 *
 *     Importing  ━━━━━━━━━━━━━━╸             52 %  1,040 of 2,000 memories, 3 s left
 */
export class ProgressBar implements Disposable {
  readonly #output: Output;
  readonly #label: string;
  readonly #unit: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawnAt = 0;
  #state = { done: 0, total: 0 };
  #beat: NodeJS.Timeout | undefined;

  /** @param unit in the plural: `memories` */
  constructor(output: Output, label: string, unit: string, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
    this.#output = output;
    this.#label = label;
    this.#unit = unit;
  }

  update(done: number, total: number): void {
    if (!this.#output.isInteractive) return;
    this.#state = { done, total };
    this.#beat ??= setInterval(() => this.#draw(), BEAT_MS).unref();
    this.#draw();
  }

  /** Follows work that tells how far it has come, until the signal calls it off. */
  follow(signal: AbortSignal): (done: number, total: number) => void {
    return (done, total) => {
      signal.throwIfAborted();
      this.update(done, total);
    };
  }

  #draw(): void {
    const now = this.#now();
    if (now - this.#startedAt < SHOW_AFTER_MS || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const { done, total } = this.#state;
    this.#output.stderr.write(CLEAR_LINE + this.#render(done, total, now - this.#startedAt));
  }

  /** Takes the bar away: what comes next says how it ended. */
  end(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
    if (this.#drawnAt > 0) this.#output.stderr.write(CLEAR_LINE);
    this.#drawnAt = 0;
  }

  /** Work that fails leaves no bar behind. */
  [Symbol.dispose](): void {
    this.end();
  }

  /** On one row, whatever the terminal: of a second one, nothing would be taken away. */
  #render(done: number, total: number, elapsedMs: number): string {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const left = timeLeft(share, elapsedMs);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const text = `${grouped(done)} of ${counted(total, this.#unit, this.#unit)}${left}`;
    const room = (this.#output.stderr.columns ?? DEFAULT_COLUMNS) - 1;
    const beside = `${this.#label}    ${percent}${text}`.length + 1;
    const width = Math.min(WIDTH, room - beside);
    if (width < MIN_WIDTH) return `${this.#label} ${percent}  ${text}`.slice(0, room).trimEnd();
    const filled = Math.floor(share * width);
    const bar =
      '━'.repeat(filled) + (filled < width ? '╸' : '') + ' '.repeat(Math.max(0, width - filled - 1));
    return `${this.#label}  ${this.#output.paint('cyan', bar)} ${percent}  ${text}`.trimEnd();
  }
}

/** The first steps do not show how long the others will take. */
const GUESS_AFTER_MS = 1_500;
const GUESS_AFTER_SHARE = 0.01;
const IN_MINUTES_FROM_SECONDS = 100;

function timeLeft(share: number, elapsedMs: number): string {
  if (elapsedMs < GUESS_AFTER_MS || share < GUESS_AFTER_SHARE) return '';
  const seconds = (elapsedMs * (1 - share)) / share / 1_000;
  if (seconds < 1) return '';
  return seconds < IN_MINUTES_FROM_SECONDS
    ? `, ${Math.ceil(seconds)} s left`
    : `, ${Math.ceil(seconds / 60)} min left`;
}
