import { createHash } from 'node:crypto';
import { type ArchivedMessage, type Layers, ValidationError } from 'longhand';

/**
 * What a conversation has already, in the transcript or on the way there: a request that comes again must find what it
 * said, and the answer that it got.
 *
 * The id of an answer follows from the message that it answers and the agent that gives it. So a repeated message finds
 * its answer after a crash too, and two processes that answer the same message at once give one answer, not two.
 */
export class KnownMessages {
  readonly #sessionId: string;
  readonly #transcripts: Layers['transcripts'];
  readonly #waiting: ReadonlyMap<string, ArchivedMessage>;

  constructor(sessionId: string, transcripts: Layers['transcripts'], waiting: readonly ArchivedMessage[]) {
    this.#sessionId = sessionId;
    this.#transcripts = transcripts;
    this.#waiting = new Map(waiting.map((message) => [message.id, message]));
  }

  /**
   * Those of the messages that are not known yet. The id of a message stands for its text: one with another text
   * would be taken for a repetition, and be lost. @throws ValidationError ID_TAKEN
   */
  async newOf(messages: readonly ArchivedMessage[]): Promise<readonly ArchivedMessage[]> {
    const fresh: ArchivedMessage[] = [];
    for (const message of messages) {
      const known = await this.#find(message.id);
      if (known === 'free') fresh.push(message);
      else if (known === 'gone' || known.content !== message.content) throw idTaken(message.id);
    }
    return fresh;
  }

  /** The answer of an agent to a message when there is one, and the id that it has, or is to have. */
  async answerTo(
    messageId: string,
    agentId: string,
  ): Promise<{ readonly id: string; readonly message?: ArchivedMessage }> {
    for (let attempt = 0; ; attempt++) {
      const id = answerId(this.#sessionId, messageId, agentId, attempt);
      const known = await this.#find(id);
      if (known === 'free') return { id };
      // An answer that was forgotten keeps its id for ever: a new one needs another.
      if (known !== 'gone') return { id, message: known };
    }
  }

  async #find(id: string): Promise<ArchivedMessage | 'free' | 'gone'> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return waiting;
    const at = (await this.#transcripts.state(this.#sessionId)).indexOf(id);
    if (at === undefined) return 'free';
    const [archived] = await this.#transcripts.messages(this.#sessionId, { from: at, to: at + 1 });
    return archived ?? 'gone';
  }
}

function answerId(sessionId: string, messageId: string, agentId: string, attempt: number): string {
  const source = JSON.stringify([sessionId, messageId, agentId, attempt]);
  return `msg_${createHash('sha256').update(source).digest('hex').slice(0, 32)}`;
}

function idTaken(messageId: string): ValidationError {
  return new ValidationError(
    'ID_TAKEN',
    'A message of this conversation has, or had, this id and another text. Give each message an id of its own.',
    { details: { message_id: messageId } },
  );
}
