import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const serve: CommandRun = async () => EXIT.failed;
