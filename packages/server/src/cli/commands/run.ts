import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { detailOperations } from '../../operations/details.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import type { CommandCall, CommandRun } from '../command.ts';

/** What is held of an output until the command has ended: more than any log that is worth searching. */
const MOST_BYTES = 256 * 1_024 * 1_024;
/** As shells have it: there is no such command, or it cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const KILLED = 128;

export const run: CommandRun = async (call) => {
  const { positionals, output, values, context } = call;
  // A store that cannot be used stops this before the command has done anything.
  await context.memory();
  const ended = await execute(call);
  const { exitCode, bytes, isCutOff } = ended;
  if (isCutOff) output.warning('The output is longer than 256 MB: only its beginning is kept.');
  const isQuiet = values.isOn('quiet');
  let captured: AnswerOf<typeof detailOperations.captureOutput> | undefined;
  try {
    captured = await context.run(detailOperations.captureOutput, {
      session_id: await context.session('cli'),
      output: bytes.toString('utf8'),
      command: positionals.join(' '),
      status: exitCode === 0 ? 'success' : `exit code ${exitCode}`,
      // A person who has seen the output wants to find it again; a model that has not sees a short one whole.
      always: !isQuiet,
    });
  } catch (error) {
    // The command has run, and how it ended matters more than what is kept of it.
    output.problem(`The output was not kept: ${(error as Error).message}`);
  }
  if (output.isJson) output.json({ exit_code: exitCode, ...captured });
  else if (isQuiet) output.line((captured?.text ?? bytes.toString('utf8')).trimEnd());
  else if (captured?.is_captured) output.note(output.dim(captured.text));
  return exitCode;
};

interface Ended {
  readonly exitCode: number;
  readonly bytes: Buffer;
  readonly isCutOff: boolean;
}

/** Runs the command, and passes on what it says as it says it. */
function execute({ positionals, output, values, signal }: CommandCall): Promise<Ended> {
  const [file = '', ...args] = positionals;
  const chunks: Buffer[] = [];
  let kept = 0;
  let isCutOff = false;
  return new Promise((resolve) => {
    // Windows finds .cmd files only through its shell.
    const child: ChildProcess = spawn(file, args, {
      stdio: ['inherit', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    const take = (chunk: Buffer): void => {
      const room = chunk.subarray(0, MOST_BYTES - kept);
      isCutOff ||= room.length < chunk.length;
      kept += room.length;
      chunks.push(room);
    };
    const isShown = !values.isOn('quiet');
    // With --json, standard output is for the result.
    const streams = [
      [child.stdout!, output.isJson ? output.stderr : output.stdout],
      [child.stderr!, output.stderr],
    ] as const;
    for (const [from, to] of streams) {
      from.on('data', (chunk: Buffer) => {
        take(chunk);
        if (!isShown || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      });
    }
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    const end = (exitCode: number): void => {
      signal.removeEventListener('abort', stop);
      resolve({ exitCode, bytes: Buffer.concat(chunks), isCutOff });
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      output.problem(
        error.code === 'ENOENT' ? `There is no command ${file}.` : `${file} cannot be run: ${error.message}`,
      );
      end(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once('close', (code, name) => end(code ?? KILLED + (name === null ? 0 : constants.signals[name])));
  });
}
