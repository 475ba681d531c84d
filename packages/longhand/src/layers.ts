import { describeContent } from './adapters/summarisers/extractive-description.ts';
import { extractiveSummariser, extractSummary } from './adapters/summarisers/extractive-summariser.ts';
import { loadTokenCounter } from './adapters/token-counter.ts';
import { assembleContext, type Context, type ContextRequest } from './context/assemble-context.ts';
import type { ContextNeeds } from './context/needs.ts';
import type { Message } from './core/messages.ts';
import { LOCAL_ACCOUNT } from './core/scopes.ts';
import type { Summariser } from './core/summariser.ts';
import type { TokenCounter } from './core/token-counter.ts';
import { Details, detailsLayer } from './layers/details/index.ts';
import { AgentLogs, Agents, Audience, Journal, journalLayer } from './layers/journal/index.ts';
import type { Layer } from './layers/layer.ts';
import type { LayerContext } from './layers/layer-context.ts';
import type { GoneSessions } from './layers/memories/gone-sessions.ts';
import { memoriesLayer } from './layers/memories/memories-layer.ts';
import { foldedRecord, type Session } from './layers/memories/session.ts';
import type { Sessions } from './layers/memories/sessions.ts';
import { NotesLayer, notesLayer } from './layers/notes/index.ts';
import { proposalsLayer, ReviewLists } from './layers/proposals/review-list.ts';
import { Retention } from './layers/retention.ts';
import type { SessionOwner } from './layers/session-ref.ts';
import type { CopyReport, CopyTarget } from './layers/store-copy.ts';
import { Summaries } from './layers/summary/index.ts';
import { Transcripts, transcriptLayer } from './layers/transcript/index.ts';
import { projectionsLayer } from './layers/users/projections-layer.ts';
import { SessionRemoval } from './layers/users/session-removal.ts';
import { UserMemories } from './layers/users/user-memories.ts';
import type { UserParts } from './layers/users/user-parts.ts';
import type { VerifyReport } from './layers/verification.ts';
import { type WindowStore, Windows, windowLayer } from './layers/window/index.ts';
import type { ExternalCopies } from './privacy/external-copies.ts';
import { Privacy } from './privacy/privacy.ts';
import { type GoingTexts, goingTexts } from './tools/going-texts.ts';
import { NotesShown } from './tools/notes-shown.ts';

export interface LayerOptions {
  /** Writes summaries and descriptions; the built-in extractive one when left out. */
  readonly summariser?: Summariser;
  /** Counts tokens; a real vocabulary, loaded when it is first needed, when left out. */
  readonly tokenCounter?: TokenCounter;
  /** Where windows are kept; in this process when left out. */
  readonly windowStore?: WindowStore;
  /** Whose store it is, for the ledger of what was forgotten. */
  readonly account?: string;
  /** Messages of a session that are not archived yet: of this very session, not of an earlier one of the same id. */
  readonly spool?: (sessionId: string, session: Session) => readonly Message[] | Promise<readonly Message[]>;
  /** Whether an agent's `enabled_tools` may name a tool that does not belong to the memory: an MCP server's, say. */
  readonly isExtraTool?: (name: string) => boolean;
  /** Where else texts lie that are to be forgotten or exported: messages that are not archived yet, kept answers. */
  readonly externalCopies?: ExternalCopies;
}

/**
 * All layers beside the memories of sessions, over one store. Loaded at the first use of one of them: a caller that
 * only adds and reads memories does not load them.
 */
export class Layers {
  readonly agents: Agents;
  readonly journal: Journal;
  readonly notes: NotesLayer;
  readonly details: Details;
  readonly transcripts: Transcripts;
  readonly retention: Retention;
  readonly summaries: Summaries;
  readonly windows: Windows;
  readonly userMemories: UserMemories;
  readonly reviewLists: ReviewLists;
  /** The list that exports, erasures and checks go through, in this order. */
  readonly all: Layer[];
  readonly removal: SessionRemoval;
  readonly privacy: Privacy<GoingTexts>;
  readonly gone: GoneSessions;
  readonly notesShown = new NotesShown();
  /** For callers that read and write beside a session's log. */
  readonly sessions: Pick<Sessions, 'open' | 'on' | 'read' | 'sessionIfReadable'>;
  readonly #context: ContextNeeds;
  readonly #readerContext: ContextNeeds;
  readonly #base: LayerContext;
  readonly #account: string;

  constructor(needs: UserParts, options: LayerOptions) {
    const { context, sessions, maintenance, accesses } = needs;
    const { summariser, tokenCounter, windowStore, spool, externalCopies } = options;
    this.#account = options.account ?? LOCAL_ACCOUNT;
    const counter = (): TokenCounter | Promise<TokenCounter> => tokenCounter ?? loadTokenCounter();
    const logs = new AgentLogs(context, new Audience(sessions));
    this.notes = new NotesLayer(context);
    this.agents = new Agents(
      context,
      logs,
      (userId, agentId) => this.notes.forget(userId, agentId),
      options.isExtraTool,
    );
    this.journal = new Journal(context, logs);
    this.details = new Details(context, {
      ...{ sessions, tokens: counter, summariser, extract: describeContent },
      isGone: async (session, id) => (await this.transcripts.glance(session)).isGone(id),
    });
    this.transcripts = new Transcripts(context, (session, messages) =>
      this.details.forgetCaptures(session, messages),
    );
    this.retention = new Retention(context, this.transcripts, this.details);
    this.summaries = new Summaries(context, this.transcripts, summariser ?? extractiveSummariser);
    this.windows = new Windows(context, this.transcripts, {
      ...(windowStore === undefined ? {} : { store: windowStore }),
      ...(spool === undefined ? {} : { spool }),
      sessionOf: async (sessionId) => {
        const view = await sessions.current(sessionId);
        // Its owner may be lost, and forgetting must still be able to read its window.
        return { incarnation: view.incarnation, session: view.hasSession ? view.session : undefined };
      },
    });
    this.reviewLists = new ReviewLists(context);
    this.all = [
      windowLayer(this.windows),
      memoriesLayer(needs),
      transcriptLayer(this.transcripts, this.summaries),
      detailsLayer(context, this.details),
      notesLayer(context, this.notes),
      journalLayer(context, this.journal, this.agents),
      proposalsLayer(this.reviewLists),
    ];
    this.removal = new SessionRemoval(needs, this.all);
    this.all.push(projectionsLayer(needs, this.removal));
    this.sessions = sessions;
    this.gone = needs.gone;
    this.userMemories = new UserMemories(needs);
    this.privacy = new Privacy(
      { ...needs, ...this },
      {
        accountId: this.#account,
        externalCopies,
        describe: (plan, counts) => goingTexts({ ...this, maintenance }, plan, counts),
      },
    );
    this.#base = context;
    this.#context = {
      config: context.config,
      clock: context.clock,
      counter,
      sessions,
      agents: this.agents,
      journal: this.journal,
      notes: this.notes,
      details: this.details,
      summaries: this.summaries,
      extracts: (messages) => extractSummary({ previous: undefined, messages }),
      transcripts: this.transcripts,
      windows: this.windows,
      search: () => needs.search.load(),
      accesses,
    };
    this.#readerContext = { ...this.#context, details: this.details.forReaders() };
  }

  /**
   * What the model should see this turn.
   * @param owner whose the session must be, from the first look to the last; the user's of the request when left out
   * @param isReader keeps nothing: what is too long for the prompt is cut
   */
  async assembleContext(request: ContextRequest, owner?: SessionOwner, isReader = false): Promise<Context> {
    const { session, user } = request;
    const asked = session && user ? (owner ?? { user_id: user }) : undefined;
    const assemble = () => assembleContext(isReader ? this.#readerContext : this.#context, request);
    const context = await this.look(asked === undefined ? [] : [asked.user_id], () =>
      asked === undefined
        ? assemble()
        : this.sessions.on(session, asked, (opened) => this.sessions.read(opened, assemble)),
    );
    const { session_id: sessionId, agent_id: agentId, user_id: userId, notes_version } = context.manifest;
    // A look at another moment is no turn of the conversation.
    if (agentId !== null && notes_version !== null && request.now === undefined)
      this.notesShown.note({ userId, agentId, sessionId }, notes_version);
    return context;
  }

  /** As `LogStore.look`: of a database, what the work reads of these users is asked for once. */
  look<Result>(userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.#base.store.look(userIds, work);
  }

  /** The users that something is kept for. */
  users(): Promise<readonly string[]> {
    return this.#base.store.list('user');
  }

  /** @param onProgress counts sessions, agents and users */
  async verify(onProgress?: (done: number, total: number) => void): Promise<VerifyReport> {
    const { verifyStore } = await import('./layers/verification.ts');
    return verifyStore(this.#base, this.all, this.#account, onProgress);
  }

  /** @param target the new store, or that of each account */
  async copyTo(target: CopyTarget, onProgress?: (done: number, total: number) => void): Promise<CopyReport> {
    const { copyStore } = await import('./layers/store-copy.ts');
    const openingOf = async (id: string) => {
      const session = await this.sessions.sessionIfReadable(id);
      return session && foldedRecord(session);
    };
    const { store } = this.#base;
    return copyStore({ store, layers: this.all, account: this.#account, openingOf }, target, onProgress);
  }

  close(): void {
    this.notes.close();
  }
}
