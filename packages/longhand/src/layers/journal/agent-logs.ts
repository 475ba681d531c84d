import { LonghandError, NotFoundError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import type { JsonObject } from '../../core/records.ts';
import { describeLog, type LogAddress } from '../../core/store.ts';
import { failureOf } from '../failures.ts';
import { FollowedLog, type UnreadablePart } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import { type Erasure, isWorthCompacting, planAgentRewrite } from './agent-compaction.ts';
import { type AgentState, agentFold, compactionRecord } from './agent-records.ts';
import { Audience, type Viewer } from './audience.ts';

/**
 * The logs of agents: one each, with the settings and the private memories. Every call names one agent and opens the
 * log of that agent alone, which is what keeps memories private: nothing ever spans two logs.
 *
 * A log compacts itself after a write that leaves more than half of its lines without use: edits, moves, pins and
 * deletions cost a line each. So it stays about as long as what it holds, and the work is spread over many writes.
 */

const LOGS_IN_MEMORY = 256;

export class AgentLogs {
  readonly #context: LayerContext;
  readonly #logs: LeastRecentlyUsed<FollowedLog<AgentState>>;
  readonly audience: Audience;

  constructor(context: LayerContext, audience = new Audience(), logs?: AgentLogs) {
    this.#context = context;
    this.audience = audience;
    this.#logs = logs === undefined ? new LeastRecentlyUsed(LOGS_IN_MEMORY) : logs.#logs;
  }

  /** The same logs, for a viewer. */
  as(viewer: Viewer): AgentLogs {
    return new AgentLogs(this.#context, this.audience.as(viewer), this);
  }

  /** `undefined` when there is no such agent. @throws ValidationError INVALID_NAME */
  async find(agentId: string): Promise<AgentState | undefined> {
    return this.#of(agentId).find();
  }

  /** @throws NotFoundError AGENT_NOT_FOUND, ValidationError INVALID_NAME */
  async read(agentId: string): Promise<AgentState> {
    const state = await this.find(agentId);
    if (state === undefined) throw agentNotFound(agentId);
    return state;
  }

  /**
   * Appends what `decide` makes of the state of this moment, while no other process can write.
   * @throws NotFoundError AGENT_NOT_FOUND, and what `decide` throws
   */
  async change(agentId: string, decide: (state: AgentState) => readonly JsonObject[]): Promise<AgentState> {
    const log = this.#of(agentId);
    const state = await asAgent(agentId, () => log.change(decide, { create: false }));
    return isWorthCompacting(state) ? this.#compactQuietly(agentId, state) : state;
  }

  /**
   * Rewrites the log without what is to be forgotten: it is in no file afterwards. What was deleted before goes
   * as well, and so do damaged lines, because whose text they hold is unknown.
   * @param unreadable what of those goes; all of it when left out
   * @throws NotFoundError AGENT_NOT_FOUND
   */
  async erase(agentId: string, erasure: Erasure, unreadable: Unreadable = 'all'): Promise<void> {
    const log = this.#of(agentId);
    const closing = [compactionRecord(agentId, this.now())];
    await asAgent(agentId, () => log.rewrite(planAgentRewrite(agentId, erasure), closing, { unreadable }));
  }

  /** What of the agent's log cannot be read and may be meant. */
  async unreadable(agentId: string, unreadable: Unreadable): Promise<UnreadablePart> {
    return this.#of(agentId).unreadable(unreadable);
  }

  /** Lines of the agent's log that could not be read, as of the last look. */
  damagedLines(agentId: string): number {
    return this.#of(agentId).damagedLines;
  }

  /** The time for a record. */
  now(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }

  /** What was written is written: a compaction that fails is news, and is tried again with the next write. */
  async #compactQuietly(agentId: string, state: AgentState): Promise<AgentState> {
    try {
      const closing = [compactionRecord(agentId, this.now())];
      return await this.#of(agentId).rewrite(planAgentRewrite(agentId), closing);
    } catch (error) {
      if (!LonghandError.isInstance(error)) throw error;
      this.#context.emit(failureOf(describeLog(agentAddress(agentId)), 'compact', error));
      return state;
    }
  }

  #of(agentId: string): FollowedLog<AgentState> {
    const id = parseName(agentId, 'agent id');
    const known = this.#logs.get(id);
    if (known !== undefined) return known;
    const { emit, metrics } = this.#context;
    const address = agentAddress(id);
    const log = new FollowedLog(this.#context, address, agentFold, (lines, first_offset) => {
      metrics.count('memory.errors.corruption.count', lines);
      emit({ kind: 'corruption-found', log: describeLog(address), lines, first_offset });
    });
    this.#logs.set(id, log);
    return log;
  }
}

export function agentAddress(agentId: string): LogAddress {
  return { kind: 'agent', id: agentId };
}

export function agentNotFound(agentId: string): NotFoundError {
  return new NotFoundError('AGENT_NOT_FOUND', `There is no agent ${agentId}. Check the name, or create it.`, {
    details: { agent_id: agentId },
  });
}

/** Turns the store's errors about logs into errors about agents. */
async function asAgent<Result>(agentId: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'SESSION_NOT_FOUND') throw agentNotFound(agentId);
    throw error;
  }
}
