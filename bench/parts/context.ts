import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Message } from 'longhand';
import { AGENT, openTalk, SESSION, type Talk, turn } from '../conversation.ts';
import { goal, type Part } from '../result.ts';
import { median, ratioOverRounds, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const BUDGET = 8_000;
const SHORT = 200;
const USUAL = 2_000;
const LONG = 20_000;
const WARM_UP = 20;
const TURNS = 200;
const TURNS_PER_ROUND = 10;

/** What it costs to put a prompt together, and how much smaller it is than the conversation. */
export const context: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const open = (messages: number): Promise<Talk> =>
      openTalk(join(mkdtempSync(join(folder, 'context-')), 'store'), messages);
    const usual = await open(USUAL);
    const samples = await timeTurns(usual, 0, isQuick ? 50 : 400, USUAL);
    await usual.manager.close();

    const short = await open(SHORT);
    const long = await open(isQuick ? LONG / 10 : LONG);
    const rounds = { short: [] as number[][], long: [] as number[][] };
    for (let round = 0; round < (isQuick ? 3 : 20); round++) {
      const from = round * TURNS_PER_ROUND;
      rounds.short.push(await timeTurns(short, from, TURNS_PER_ROUND, SHORT));
      rounds.long.push(await timeTurns(long, from, TURNS_PER_ROUND, LONG));
    }
    await short.manager.close();
    await long.manager.close();
    // The first rounds load and compile.
    const growth = ratioOverRounds(rounds.long.slice(2), rounds.short.slice(2));

    const { sent, full } = await talkWithTools(await open(0));
    const share = (100 * sum(sent)) / sum(full);
    const times = summarise(samples.slice(WARM_UP));
    return {
      title: 'Assembling a context',
      method: `5,000 memories of 1 KB and a transcript of ${USUAL} messages in files, a budget of ${BUDGET} tokens, a new question on every turn, the turn archived after it. Growth: the same with ${LONG} messages against ${SHORT}, in turns. Tokens: a conversation of ${TURNS} turns, each with a tool call whose output has 2,000 to 8,000 characters, summaries off; what is sent on all turns together against all messages so far on each turn.`,
      measurements: [
        { name: 'assembleContext', unit: 'ms', value: times },
        { name: 'assembleContext, transcript of 20,000', unit: 'ms', value: summarise(rounds.long.flat()) },
        { name: 'tokens sent against the full transcript', unit: '%', value: share },
        { name: 'the same on the last turn', unit: '%', value: (100 * sent.at(-1)!) / full.at(-1)! },
      ],
      goals: [
        goal({ what: 'assembleContext, p50', bound: 'at most', limit: 5, unit: 'ms', measured: times.p50 }),
        goal({ what: 'assembleContext, p95', bound: 'at most', limit: 15, unit: 'ms', measured: times.p95 }),
        goal({
          what: `a transcript of ${LONG} messages against one of ${SHORT}`,
          bound: 'at most',
          limit: 1.5,
          unit: '×',
          measured: growth,
        }),
        goal({
          what: 'tokens per turn over 200 turns with tool outputs, of the full transcript',
          bound: 'at most',
          limit: 15,
          unit: '%',
          measured: share,
        }),
      ],
    };
  });

async function timeTurns(talk: Talk, from: number, count: number, offset: number): Promise<number[]> {
  const samples: number[] = [];
  for (let number = from; number < from + count; number++) {
    const asked = talk
      .text(number * 13)
      .split(' ')
      .slice(0, 10)
      .join(' ');
    const [message, answer] = turn(2 * number + 2 * offset, asked, talk.text(number)) as [Message, Message];
    const startedAt = performance.now();
    const { manifest } = await talk.manager.assembleContext({
      session: SESSION,
      agent: AGENT,
      user: 'me',
      messages: [message],
      budget: BUDGET,
    });
    samples.push(performance.now() - startedAt);
    if (manifest.total > BUDGET || manifest.total < BUDGET / 2)
      throw new Error('The budget was not used as expected.');
    await talk.layers.transcripts.archive(SESSION, [message, answer]);
  }
  return samples;
}

/** As an agent works: large outputs are captured, the window holds the tool traffic, the turn is archived. */
async function talkWithTools({ manager, layers, text }: Talk): Promise<{ sent: number[]; full: number[] }> {
  const sent: number[] = [];
  const full: number[] = [];
  let transcriptTokens = 0;
  for (let number = 0; number < TURNS; number++) {
    const [asked, answered] = turn(2 * number, text(number), text(number + 7)) as [Message, Message];
    const output = Array.from({ length: 8 + (number % 24) }, (_, i) => text(number * 31 + i)).join('\n');
    const call = { id: `call_${number}`, name: 'run', arguments: { command: `step ${number}` } };
    const { text: shown } = await layers.details.captureToolOutput(SESSION, {
      output,
      command: `step ${number}`,
    });
    const asks: Message = { id: `c${number}`, role: 'assistant', content: '', tool_calls: [call] };
    const tells: Message = { id: `t${number}`, role: 'tool', content: shown, tool_call_id: call.id };
    const { manifest } = await manager.assembleContext({
      session: SESSION,
      agent: AGENT,
      user: 'me',
      messages: [asked, asks, tells],
      budget: BUDGET,
    });
    transcriptTokens += countTokens([asked.content, JSON.stringify(call), output].join('\n'));
    sent.push(manifest.total);
    full.push(transcriptTokens);
    transcriptTokens += countTokens(answered.content);
    await layers.windows.append(SESSION, [asked, asks, tells, answered]);
    await layers.transcripts.archive(SESSION, [asked, answered]);
  }
  await manager.close();
  if (median(sent) === 0) throw new Error('Nothing was sent.');
  return { sent, full };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
