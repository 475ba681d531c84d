/**
 * The clocks and days of a time zone, asked of the runtime anew for each moment, without anything of `src/recall/time`.
 *
 * A wall time is the moment at which the clocks of UTC show the same: so days and hours are counted as if there were no zones.
 */

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** No clock was ever further ahead of UTC. */
const FURTHEST_MS = 16 * HOUR_MS;

export class NaiveZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #known = new Map<number, number>();

  constructor(timeZone: string) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
    this.#format = new Intl.DateTimeFormat('en', { timeZone, ...parts, ...clock });
  }

  /** What the clocks show at a moment. */
  wallOf(ms: number): number {
    const shown = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second } = shown;
    const ofSecond = Date.parse(`${year!.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return ofSecond + (ms - Math.floor(ms / 1000) * 1000);
  }

  /** The first moment at which they show a time, or more: clocks that are set forward skip some. */
  momentOf(wallMs: number): number {
    const known = this.#known.get(wallMs);
    if (known !== undefined) return known;
    const quarter = Math.floor(wallMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
    let late = quarter - FURTHEST_MS;
    while (this.wallOf(late) < wallMs) late += QUARTER_HOUR_MS;
    // Clocks are set at full quarters of an hour, so within one they only go on.
    let early = late - QUARTER_HOUR_MS;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.wallOf(middle) < wallMs) early = middle;
      else late = middle;
    }
    this.#known.set(wallMs, late);
    return late;
  }

  /** The day that a moment lies in, as the beginning of that day in UTC. */
  dayOf(ms: number): number {
    return Math.floor(this.wallOf(ms) / DAY_MS) * DAY_MS;
  }

  /** From the beginning of a day to the end of another, both as `dayOf` gives them. */
  days(first: number, last = first): { startMs: number; endMs: number } {
    return { startMs: this.momentOf(first), endMs: this.momentOf(last + DAY_MS) - 1 };
  }
}

const zones = new Map<string, NaiveZone>();

export function zoneOf(timeZone = 'UTC'): NaiveZone {
  const zone = zones.get(timeZone) ?? new NaiveZone(timeZone);
  zones.set(timeZone, zone);
  return zone;
}
