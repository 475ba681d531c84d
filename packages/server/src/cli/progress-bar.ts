import { counted, type Output } from './output.ts';

const WIDTH = 28;
/** Redrawing more often than the eye follows only costs time. */
const REDRAW_MS = 60;
/** Work that is over sooner needs no bar. */
const SHOW_AFTER_MS = 250;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * How far long work has come, on standard error of a terminal; silent everywhere else.
 *
 *     Importing  ━━━━━━━━━━━━━━╸             52 %  1,040 of 2,000 memories, 3 s left
 */
export class ProgressBar {
  readonly #output: Output;
  readonly #label: string;
  readonly #unit: string;
  readonly #startedAt = performance.now();
  #drawnAt = 0;

  /** @param unit in the plural: `memories` */
  constructor(output: Output, label: string, unit: string) {
    this.#output = output;
    this.#label = label;
    this.#unit = unit;
  }

  update(done: number, total: number): void {
    if (!this.#output.isInteractive) return;
    const now = performance.now();
    if (now - this.#startedAt < SHOW_AFTER_MS || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#output.stderr.write(CLEAR_LINE + this.#render(done, total, now - this.#startedAt));
  }

  /** Takes the bar away: what comes next says how it ended. */
  end(): void {
    if (this.#drawnAt > 0) this.#output.stderr.write(CLEAR_LINE);
    this.#drawnAt = 0;
  }

  #render(done: number, total: number, elapsedMs: number): string {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.floor(share * WIDTH);
    const bar =
      '━'.repeat(filled) + (filled < WIDTH ? '╸' : '') + ' '.repeat(Math.max(0, WIDTH - filled - 1));
    const leftMs = share === 0 ? 0 : (elapsedMs * (1 - share)) / share;
    const left = leftMs < 1_000 ? '' : `, ${Math.ceil(leftMs / 1_000)} s left`;
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    const text = `${done.toLocaleString('en')} of ${counted(total, this.#unit, this.#unit)}${left}`;
    return `${this.#label}  ${this.#output.paint('cyan', bar)} ${percent}  ${text}`.trimEnd();
  }
}
