import { createInterface } from 'node:readline';
import type { ContextManifest, ScopedMemory } from 'longhand';
import { placeOfStore } from '../../config/server-config.ts';
import type { ChatDone, ChatEvent, ChatRecalled, ChatTool } from '../../conversation/chat.ts';
import { textOfMemory } from '../../conversation/memory-in-words.ts';
import { chatOperations } from '../../operations/chat.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { clearLine } from '../interrupted-line.ts';
import { counted, plain, shortened } from '../output.ts';
import { textOf } from '../read-input.ts';
import { WordWrap } from '../word-wrap.ts';

/** A conversation in the terminal that shows the memory at work: what was recalled, and what was remembered. */
export const chat: CommandRun = async (call) => {
  const { positionals, output, signal } = call;
  const talk = await Talk.open(call);
  if (positionals.length > 0 || output.isJson) {
    const message = await textOf(positionals.length === 0 ? ['-'] : positionals);
    if (message.trim() === '') throw new UsageError('There is nothing to answer in an empty message.');
    return talk.answer(message, signal);
  }
  return talk.converse();
};

/** As the operation `chat` answers a request without a stream. */
function toWhole({ type: _, ...answer }: ChatDone, tools: readonly ChatTool[]): object {
  return { ...answer, tools: tools.map(({ type: _type, ...tool }) => tool) };
}

const HELP = [
  '/context  what the last prompt was made of',
  '/new      a new session',
  '/quit     leave',
].join('\n');
/** With what stands around it, less than the 80 columns of most terminals. */
const SHOWN_CHARACTERS = 52;

class Talk {
  readonly #call: CommandCall;
  readonly #memory: ScopedMemory;
  #sessionId: string;
  #manifest: ContextManifest | undefined;

  private constructor(call: CommandCall, memory: ScopedMemory, sessionId: string) {
    this.#call = call;
    this.#memory = memory;
    this.#sessionId = sessionId;
  }

  static async open(call: CommandCall): Promise<Talk> {
    const { context } = call;
    return new Talk(call, await context.memory(), await context.session('cli'));
  }

  async converse(): Promise<ExitCode> {
    const { output, signal } = this.#call;
    const isPerson = output.isInteractive && process.stdin.isTTY === true;
    const reader = createInterface({
      input: process.stdin,
      ...(isPerson ? { output: process.stdout, prompt: output.paint('cyan', 'you › ') } : {}),
    });
    // A terminal in raw mode gives Ctrl-C to the reader: it ends the answer, clears the line, or ends the conversation.
    let answering: AbortController | undefined;
    const stop = (): void => (answering === undefined ? reader.close() : answering.abort());
    reader.on('SIGINT', () => {
      if (answering !== undefined || !clearLine(reader)) stop();
    });
    signal.addEventListener('abort', stop, { once: true });
    if (isPerson) this.#greet();
    reader.prompt();
    for await (const line of reader) {
      const words = line.trim();
      if (['/quit', '/exit', 'quit', 'exit'].includes(words)) break;
      if (words.startsWith('/')) await this.#command(words);
      else if (words !== '') {
        answering = new AbortController();
        await this.answer(words, answering.signal);
        answering = undefined;
        if (signal.aborted) break;
      }
      if (isPerson) reader.prompt();
    }
    reader.close();
    if (isPerson) output.note(output.dim(`\nKept in ${this.#sessionId}.`));
    return EXIT.done;
  }

  async answer(message: string, signal: AbortSignal): Promise<ExitCode> {
    const { output, context } = this.#call;
    const request = {
      new_messages: [{ role: 'user' as const, content: message }],
      session_id: this.#sessionId,
      agent_id: context.identity.agent_id,
    };
    const tools: ChatTool[] = [];
    const found = new Map<string, string>();
    /** What the tools changed: shown below the answer. */
    const changes: string[] = [];
    const speaker = `${plain(context.identity.agent_id)} › `;
    const columns = output.isInteractive ? output.columns : Number.POSITIVE_INFINITY;
    let saying: WordWrap | undefined;
    const say = (text: string): void => {
      if (output.isJson) return;
      if (saying === undefined) {
        output.raw(output.paint('green', speaker));
        saying = new WordWrap(columns, speaker.length, (piece) => output.raw(piece));
      }
      saying.push(plain(text));
    };
    const endSaying = (): void => {
      if (saying === undefined) return;
      saying.end();
      saying = undefined;
      output.raw('\n');
    };
    const aside = (text: string): void => {
      endSaying();
      output.note(output.dim(`  ${text}`));
    };
    for await (const event of context.stream<ChatEvent>(chatOperations.chat, request, signal)) {
      switch (event.type) {
        case 'text':
          say(event.text);
          break;
        case 'recalled':
          if (!output.isJson) await this.#showRecalled(event);
          break;
        case 'tool':
          tools.push(event);
          noteFound(event, found);
          if (READS.has(event.name)) aside(describeTool(event, found));
          else changes.push(describeTool(event, found));
          break;
        case 'done':
          this.#manifest = event.manifest;
          if (output.isJson) output.json(toWhole(event, tools));
          endSaying();
          changes.forEach(aside);
          return EXIT.done;
        case 'error':
          endSaying();
          changes.forEach(aside);
          output.problem(event.message);
          if (output.isJson) output.json({ error: event.message, code: event.code });
          return EXIT.failed;
      }
    }
    endSaying();
    return signal.aborted ? EXIT.interrupted : EXIT.failed;
  }

  #greet(): void {
    const { output, config } = this.#call;
    const model = config.openai.model ?? config.anthropic.model;
    output.note(
      `${output.bold('Longhand')} ${output.dim(model === undefined ? 'with the built-in demo model: no key needed' : `with ${model}`)}`,
    );
    const kept = `Session ${this.#sessionId}, kept in ${placeOfStore(config)}.`;
    output.note(output.dim(`${kept} /help tells what else there is.`));
  }

  async #command(words: string): Promise<void> {
    const { output } = this.#call;
    switch (words) {
      case '/context':
        this.#showContext();
        return;
      case '/new':
        this.#sessionId = (
          await this.#memory.createSession({ agents: [this.#call.context.identity.agent_id] })
        ).id;
        output.note(output.dim(`A new session: ${this.#sessionId}`));
        return;
      case '/help':
        output.note(output.dim(HELP));
        return;
      default:
        output.note(`There is no ${words}.\n${output.dim(HELP)}`);
    }
  }

  /** Which memories the message has called up; those that share a word with it, and not its subject, say so. */
  async #showRecalled({ memories }: ChatRecalled): Promise<void> {
    const { output } = this.#call;
    const { layers, userId } = await this.#memory.toolScope();
    for (const { id, relevance } of memories) {
      const entry = await layers.memories.get(userId!, id);
      if (entry === undefined) continue;
      const text = shortened(textOfMemory(entry), SHOWN_CHARACTERS);
      output.note(output.dim(`  recalled  ${text}${relevance < 0.01 ? ' (weak)' : ''}`));
    }
  }

  #showContext(): void {
    const { output } = this.#call;
    const manifest = this.#manifest;
    if (manifest === undefined) {
      output.note('Nothing was said yet.');
      return;
    }
    const bySection = new Map<string, { pieces: number; tokens: number }>();
    for (const { section, tokens } of manifest.pieces) {
      const sum = bySection.get(section) ?? { pieces: 0, tokens: 0 };
      bySection.set(section, { pieces: sum.pieces + 1, tokens: sum.tokens + tokens });
    }
    output.table([
      ...[...bySection].map(([section, { pieces, tokens }]) => [
        `  ${section}`,
        String(tokens).padStart(6),
        output.dim(counted(pieces, 'piece')),
      ]),
      ['  of the budget', String(manifest.total).padStart(6), output.dim(`of ${manifest.budget} tokens`)],
    ]);
    for (const { source, why } of manifest.near_misses) {
      output.line(output.dim(`  left out  ${source.layer} ${plain(source.id)}: ${plain(why)}`));
    }
    if (manifest.other_misses > 0) output.line(output.dim(`  left out  ${manifest.other_misses} more`));
  }
}

/** Tools that change nothing. */
const READS: ReadonlySet<string> = new Set(['search_memory', 'retrieve_memory', 'list_memories']);

const VERBS: Readonly<Record<string, string>> = {
  store_memory: 'remembered',
  save_to_journal: 'wrote in the journal',
  save_to_core: 'made part of the core',
  manage_long_term_memory: 'worked on the notes',
  search_memory: 'searched for',
  retrieve_memory: 'looked up',
  update_memory: 'corrected',
  list_memories: 'listed the memories',
  forget_memory: 'forgot',
};

/** What a search has shown, by key: once it is forgotten, it cannot be looked up any more. */
function noteFound({ name, output }: ChatTool, found: Map<string, string>): void {
  if (name !== 'search_memory') return;
  try {
    const { results = [] } = JSON.parse(output) as {
      readonly results?: readonly { readonly memory_key: string; readonly summary: string }[];
    };
    for (const { memory_key, summary } of results) found.set(memory_key, summary);
  } catch {
    // A long output is cut and then not valid JSON: only the key is shown.
  }
}

/** @param found the texts that are known, by key */
function describeTool({ name, input, error }: ChatTool, found: ReadonlyMap<string, string>): string {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >;
  if (name === 'search_memory' && fields.query === '*' && error === undefined)
    return 'listed the newest memories';
  if (name === 'store_memory' && fields.replaces !== undefined && error === undefined)
    return 'replaced an older memory';
  const named = found.get(String(fields.memory_key)) ?? fields.memory_key;
  const about = [fields.content, fields.query, named, fields.text, fields.operation].find(
    (value) => typeof value === 'string',
  );
  const said = about === undefined ? '' : `  ${shortened(String(about), SHOWN_CHARACTERS)}`;
  const failed = error === undefined ? '' : `  failed: ${shortened(error, SHOWN_CHARACTERS)}`;
  return `${VERBS[name] ?? plain(name)}${said}${failed}`;
}
