import type { CommandRun } from '../command.ts';
import { completionFor, type Shell } from '../completion.ts';

export const completion: CommandRun = async ({ positionals: [shell], output, commands }) => {
  output.raw(completionFor(shell as Shell, commands));
};
