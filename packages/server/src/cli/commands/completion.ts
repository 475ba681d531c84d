import type { CommandRun } from '../command.ts';
import { completionFor, type Shell } from '../completion.ts';
import { EXIT } from '../exit-codes.ts';

export const completion: CommandRun = async ({ positionals: [shell], output }) => {
  output.raw(completionFor(shell as Shell));
  return EXIT.done;
};
