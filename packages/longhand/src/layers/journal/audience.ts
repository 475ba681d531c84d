import { ValidationError } from '../../core/errors.ts';
import type { Provenance } from '../../core/records.ts';
import type { Sessions } from '../memories/sessions.ts';
import type { AgentState, FoldedMemory } from './agent-records.ts';

/** Who looks at an agent's memories. Members see their own and the agent-wide ones, admins all of them. */
export interface Viewer {
  readonly userId: string | undefined;
  readonly isAdmin: boolean;
}

/** What decides who sees an entry. */
export interface Audienced {
  readonly share_memory: boolean | undefined;
  readonly created_at: string;
  readonly provenance?: Provenance | undefined;
}

/**
 * Whose an entry is, and who sees it. One that was written in a conversation belongs to that conversation's user, also
 * where it is shared: forgetting the user erases it. Lines from before there was a stamp may name the session alone.
 */
export class Audience {
  readonly #sessions: Pick<Sessions, 'sessionIfReadable'> | undefined;
  /** The trusted owner, who sees all, when `undefined`. */
  readonly viewer: Viewer | undefined;

  constructor(sessions?: Pick<Sessions, 'sessionIfReadable'>, viewer?: Viewer) {
    this.#sessions = sessions;
    this.viewer = viewer;
  }

  as(viewer: Viewer): Audience {
    return new Audience(this.#sessions, viewer);
  }

  get isMember(): boolean {
    return this.viewer?.isAdmin === false;
  }

  /** `undefined` when it belongs to no user, or to one that cannot be told any more. */
  async ownerOf({ provenance, created_at }: Audienced): Promise<string | undefined> {
    const { user_id, session_id } = provenance ?? {};
    if (user_id !== undefined || session_id === undefined) return user_id;
    const session = await this.#sessions?.sessionIfReadable(session_id);
    // One that was made later has only the id in common.
    return session !== undefined && session.created_at <= created_at ? session.user_id : undefined;
  }

  /** The memories that the viewer sees, in the order of the log. */
  async seenIn({ memories }: AgentState): Promise<readonly FoldedMemory[]> {
    const all = [...memories.values()];
    if (!this.isMember) return all;
    const { userId } = this.viewer!;
    const owners = await Promise.all(all.map((one) => (one.share_memory ? undefined : this.ownerOf(one))));
    return all.filter((one, i) => one.share_memory || (userId !== undefined && owners[i] === userId));
  }

  /**
   * Agent-wide entries stand in every user's prompt: only admins change them. Users may delete what is theirs.
   * @throws ValidationError FORBIDDEN
   */
  async refuseChange(memory: Audienced, isDeletion: boolean): Promise<void> {
    if (!this.isMember) return;
    const isOwn = (await this.ownerOf(memory)) === this.viewer!.userId;
    if (!isOwn || (memory.share_memory === true && !isDeletion)) this.refuseMember('changes it');
  }

  /** @throws ValidationError FORBIDDEN */
  refuseMember(does: string): void {
    if (!this.isMember) return;
    throw new ValidationError(
      'FORBIDDEN',
      `A memory that an agent keeps for every user stands in all their prompts: only an admin ${does}.`,
    );
  }
}

/** Whether something taken from a session of this owner may have this provenance: the id may be another user's by now. */
export function mayBeOf(owner: string | undefined, provenance: Provenance | undefined): boolean {
  return owner === undefined || provenance?.user_id === undefined || provenance.user_id === owner;
}
