import type { CommandRun } from '../command.ts';
import { completionFor, type Shell } from '../completion.ts';
import { EXIT } from '../exit-codes.ts';

export const completion: CommandRun = async ({ positionals: [shell], output, commands }) => {
  output.raw(completionFor(shell as Shell, commands));
  return EXIT.done;
};
