import { writeSync } from 'node:fs';

/** The task that the campaign gave this process. */
export function readTask<Task>(): Task {
  return JSON.parse(process.argv[2]!) as Task;
}

/** Says a line with one blocking write: once it returns, the line outlives the process. */
export function report(...words: readonly (string | number | bigint)[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}
