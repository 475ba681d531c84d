import { TOOL_NAMES } from 'longhand';
import { type Tool, type ToolResult, toolsNamed } from 'longhand/tools';
import type { Access } from '../access/api-key.ts';

import { type Caller, checkAccess } from './access.ts';

/** A tool of an agent, as MCP offers it. What it takes and gives, and what it says of a wrong input, is the tool's own. */
export interface ToolOperation extends Omit<Tool, 'run'> {
  readonly access: Access;
  /** @param session where new things go; asked for by tools that change something */
  run(input: unknown, caller: Caller, session: () => Promise<string>): Promise<ToolResult>;
}

export const TOOL_OPERATIONS: readonly ToolOperation[] = toolsNamed(TOOL_NAMES).map((tool) => {
  const access = tool.annotations.readOnlyHint ? 'read' : 'write';
  return {
    ...tool,
    access,
    run: async (input, caller, session) => {
      checkAccess(caller, { access });
      return tool.run(input, await caller.memory.toolScope(access === 'read' ? undefined : await session()));
    },
  };
});
