import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';

/** The task that the campaign gave this process. */
export function readTask<Task>(): Task {
  // Compiled code is kept for the next process now, because this one may not live to its end.
  flushCompileCache();
  return JSON.parse(process.argv[2]!) as Task;
}

/** Says a line with one blocking write: once it returns, the line outlives the process. */
export function report(...words: readonly (string | number | bigint)[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}
