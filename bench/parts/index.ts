import type { Part } from '../result.ts';
import { add } from './add.ts';
import { bigUser } from './big-user.ts';
import { bulk } from './bulk.ts';
import { cold } from './cold.ts';
import { console } from './console.ts';
import { context } from './context.ts';
import { details } from './details.ts';
import { growth } from './growth.ts';
import { http } from './http.ts';
import { mcp } from './mcp.ts';
import type { PartName } from './names.ts';
import { postgres } from './postgres.ts';
import { postgresTurns } from './postgres-turns.ts';
import { processes } from './processes.ts';
import { search, searchWithVectors } from './search.ts';
import { upkeep } from './upkeep.ts';

export const PARTS: Readonly<Record<PartName, Part>> = {
  add,
  bulk,
  processes,
  cold,
  growth,
  'big-user': bigUser,
  search,
  'search-vectors': searchWithVectors,
  upkeep,
  details,
  context,
  mcp,
  http,
  console,
  postgres,
  'postgres-turns': postgresTurns,
};
