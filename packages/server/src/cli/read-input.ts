import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './command.ts';
import { reasonOf } from './file-trouble.ts';

/** Words of the command line as one text; `-` alone reads standard input. */
export async function textOf(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === '-' ? (await text(process.stdin)).trimEnd() : words.join(' ');
}

/** What to search for. Nothing but stars leaves everything open, and so is no text: nor is nothing at all. */
export function queryTextOf(words: readonly string[]): string | undefined {
  const text = words.join(' ');
  return /^[\s*]*$/.test(text) ? undefined : text;
}

/** A file, or standard input for `-`. @throws UsageError when it cannot be read */
export async function contentOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${reasonOf(code)}.`;
    throw new UsageError(reason, { cause });
  }
}
