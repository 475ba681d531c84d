import { createInterface } from 'node:readline/promises';

/** Asks a question that is answered with y or n. No, when the person goes away. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([reader.question(`${question} [y/N] `, { signal }), gone]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
