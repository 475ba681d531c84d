import { stripVTControlCharacters, styleText } from 'node:util';

export interface OutputStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

type Style = Parameters<typeof styleText>[0];

const DEFAULT_COLUMNS = 80;
const MAX_COLUMNS = 120;

/**
 * What a command says. Results go to standard output, everything else to standard error, so that results can be
 * piped on. With `--json` there is exactly one JSON value on standard output, or, of `list --all`, which may be of any
 * length, one a line. Colours only on a terminal, and not
 * when `NO_COLOR` is set.
 */
export class Output {
  readonly #streams: OutputStreams;
  readonly isJson: boolean;

  constructor(streams: OutputStreams, isJson: boolean) {
    this.#streams = streams;
    this.isJson = isJson;
  }

  /** Whether a person watches. */
  get isInteractive(): boolean {
    return !this.isJson && this.#streams.stderr.isTTY === true;
  }

  get columns(): number {
    return columnsOf(this.#streams.stdout);
  }

  get stdout(): OutputStreams['stdout'] {
    return this.#streams.stdout;
  }

  get stderr(): OutputStreams['stderr'] {
    return this.#streams.stderr;
  }

  /** The one value of a run with `--json`. */
  json(value: unknown): undefined {
    this.#streams.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
  }

  /** A line of the result. */
  line(text = ''): void {
    this.#streams.stdout.write(`${text}\n`);
  }

  /** A line of the result, whose words stay whole on a terminal. */
  sentence(text: string): void {
    this.line(fitted(text, this.#streams.stdout));
  }

  /** Text of the result as it is, for piping. */
  raw(text: string): void {
    this.#streams.stdout.write(this.#streams.stdout.isTTY ? plain(text) : text);
  }

  /** Something for the person, not part of the result. */
  note(text: string): void {
    // Colours are chosen for standard output, which may be a terminal when standard error is not.
    const shown = this.#streams.stderr.isTTY ? text : stripVTControlCharacters(text);
    if (!this.isJson) this.#streams.stderr.write(`${fitted(shown, this.#streams.stderr)}\n`);
  }

  problem(text: string): void {
    this.#tell('red', 'error', text);
  }

  warning(text: string): void {
    this.#tell('yellow', 'warning', text);
  }

  #tell(style: Style, kind: string, text: string): void {
    const { stderr } = this.#streams;
    stderr.write(`${fitted(`${styleText(style, kind, { stream: stderr })} ${plain(text)}`, stderr)}\n`);
  }

  paint(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#streams.stdout });
  }

  dim(text: string): string {
    return this.paint('dim', text);
  }

  bold(text: string): string {
    return this.paint('bold', text);
  }

  /** Columns that line up; the last one may be as long as it likes. */
  table(rows: readonly (readonly string[])[]): void {
    const widths: number[] = [];
    for (const row of rows) {
      for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
    }
    for (const row of rows) {
      const cells = row.map((cell, i) =>
        i === row.length - 1 ? cell : cell + ' '.repeat(widths[i]! - widthOf(cell)),
      );
      this.line(cells.join('  ').trimEnd());
    }
  }

  /** A text, wrapped and indented. */
  paragraph(text: string, indent = 0): void {
    for (const line of wrap(text, this.columns - indent)) this.line(' '.repeat(indent) + line);
  }
}

/**
 * Text from the memory, safe for a terminal: its writer must not move the reader's cursor, change their colours or set
 * their clipboard.
 */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(UNSAFE, '�');
}

/** Control characters but for tabs and newlines, and those that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to take out.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same text as JSON. */
function escaped(json: string): string {
  return json.replaceAll(UNSAFE, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The first so many characters, on one line. */
export function shortened(text: string, characters: number): string {
  const line = plain(text).replaceAll(/\s+/g, ' ').trim();
  const points = [...line];
  return points.length <= characters
    ? line
    : `${points
        .slice(0, characters - 1)
        .join('')
        .trimEnd()}…`;
}

export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && widthOf(line) + 1 + widthOf(word) > columns) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    return [...lines, line];
  });
}

function columnsOf({ columns }: OutputStreams['stdout']): number {
  return Math.min(columns || DEFAULT_COLUMNS, MAX_COLUMNS);
}

/** What goes elsewhere than to a terminal stays as it is. */
function fitted(text: string, stream: OutputStreams['stdout']): string {
  return stream.isTTY ? wrap(text, columnsOf(stream)).join('\n') : text;
}

export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;

export function sizeInWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

const SECONDS = { year: 31_536_000, month: 2_592_000, week: 604_800, day: 86_400, hour: 3_600, minute: 60 };

/** `3 days ago`. */
export function ageInWords(timestamp: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(timestamp)) / 1_000;
  for (const [unit, length] of Object.entries(SECONDS)) {
    const count = Math.floor(Math.abs(seconds) / length);
    if (count < 1) continue;
    const words = count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
    return seconds < 0 ? `in ${words}` : `${words} ago`;
  }
  return 'just now';
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What is more than nothing is never shown as nothing: `<0.01`. */
export function decimals(value: number, digits: number): string {
  const shown = value.toFixed(digits);
  return value > 0 && Number(shown) === 0 ? `<${(10 ** -digits).toFixed(digits)}` : shown;
}

/** 1234567 as 1,234,567. The first `toLocaleString` of a process takes 20 ms, longer than most searches. */
export function grouped(count: number): string {
  if (count < 1_000) return String(count);
  return `${grouped(Math.floor(count / 1_000))},${String(count % 1_000).padStart(3, '0')}`;
}
