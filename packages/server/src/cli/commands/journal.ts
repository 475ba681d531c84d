import { agentOperations } from '../../operations/agents.ts';
import type { CommandRun } from '../command.ts';
import { ageInWords, plain } from '../output.ts';
import { queryTextOf } from '../read-input.ts';
import { matchInWords } from '../show-memory.ts';

const DEFAULT_LIMIT = 20;

export const journal: CommandRun = async ({ positionals, values, context, output }) => {
  const { agent_id } = context.identity;
  // A person's own agent is there from the beginning, whether it has said a word or not.
  await (await (await context.memory()).agent(agent_id)).ensure();
  const found = await context.run(agentOperations.listAgentMemories, {
    agent_id,
    text: queryTextOf(positionals),
    type: values.text('type'),
    limit: values.number('limit') ?? DEFAULT_LIMIT,
  });
  if (output.isJson) return output.json(found);
  const now = Date.now();
  for (const { id, memory_type, content, created_at, pinned, expired, match } of found.memories) {
    output.line(plain(content));
    const facts = [
      id,
      ...(match === undefined ? [] : [matchInWords(match)]),
      ageInWords(created_at, now),
      ...(pinned ? ['pinned'] : []),
      ...(expired ? ['expired'] : []),
    ];
    output.line(`${output.paint('cyan', memory_type)}  ${output.dim(facts.join('  '))}`);
  }
  if (found.memories.length === 0) output.note('Nothing found.');
};
