import { withoutCorrection } from './demo-corrections.ts';
import { addToNotes, forget, listAll, recall, remember } from './demo-memories.ts';
import { type Act, type Move, say, shorten, upperFirst, withTool } from './demo-move.ts';
import type { Reading } from './demo-prompt.ts';

/** One kind of request: how it is recognised, and what is done about it. */
interface Rule {
  readonly pattern: RegExp;
  readonly act: Act;
}

/** The first rule whose pattern fits acts; its first group is what the request is about. */
const RULES: readonly Rule[] = [
  {
    pattern: /^(?:please\s+)?(?:use|call|run)\s+(?:the\s+tool\s+)?([\w-]+(?:\s+\{[\s\S]*\})?)$/i,
    act: useTool,
  },
  {
    pattern: /^(?:please\s+)?(?:show|read|open|retrieve|get)\b.*?(?:\[MemoryRef:\s*|memory\s+)([\w-]+)/i,
    act: retrieve,
  },
  {
    pattern: /^(?:please\s+)?(?:show|read|what is in|what's in)\s+(?:me\s+)?your (notes)/i,
    act: readNotes,
  },
  { pattern: /\byour notes?\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: addToNotes },
  { pattern: /\bjournal\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: keepWith('save_to_journal') },
  { pattern: /\bcore memor(?:y|ies)\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: keepWith('save_to_core') },
  {
    pattern:
      /^(?:please\s+)?forget\s+((?:everything|all)(?:\s+of\s+it)?(?:\s+(?:that\s+)?(?:you\s+(?:know|remember)|about\s+(?:me|us)))*)[\s.!]*$/i,
    act: tellHowToForgetAll,
  },
  { pattern: /^(?:please\s+)?forget\s+(?:that\s+|about\s+|what I said about\s+)?([\s\S]+)$/i, act: forget },
  { pattern: /^(what (?:do|can) you (?:remember|know)(?: about (?:me|us))?|who am I)\s*\??$/i, act: listAll },
  {
    pattern:
      /^(?:please\s+)?(?:remember|note|keep in mind|do not forget|don['’]t forget)(?:\s+that\b|\s*[:,])?\s+([^?]+)$/i,
    act: remember,
  },
  {
    pattern: /^(hello|hi|hey|good (?:morning|evening|day)|help|who are you|what can you do)\b/i,
    act: introduce,
  },
  { pattern: /^((?:my|our|i|i['’]m|we)\b[^?]+)$/i, act: remember },
  { pattern: /^([\s\S]*\?)\s*$/, act: recall },
  {
    pattern: /^((?:what|who|where|when|which|how|why|do|does|did|is|are|was|tell me)\b[\s\S]*)$/i,
    act: recall,
  },
];

/** Before something else. */
const GREETING = /^(?:hello|hi|hey)(?:\s+there)?[,!.]?\s+(?=\S)/i;

export function decide(reading: Reading, tools: ReadonlySet<string>): Move {
  if (reading.hasImages) return say('I was shown a picture, and cannot see: that takes a real model.');
  const request = withoutCorrection(reading.request.replace(GREETING, ''));
  for (const { pattern, act } of RULES) {
    const about = pattern.exec(request)?.[1]?.trim();
    if (about !== undefined && about !== '') return act(about, reading, tools);
  }
  return introduce();
}

function introduce(): Move {
  return say(
    'I am Longhand’s built-in demo model: a few rules, no language model. I can remember (“remember that my dog is ' +
      'called Rex”), recall (“what is my dog called?”), forget (“forget my dog”), keep notes (“add to your notes: …”), ' +
      'and use tools. Name a real model in longhand.config.yaml to talk freely.',
  );
}

function tellHowToForgetAll(): Move {
  return say(
    'I forget single things, when you say which: “forget my dog”. All that is kept about you goes with ' +
      '“longhand forget --everything”.',
  );
}

function readNotes(_: string, reading: Reading, tools: ReadonlySet<string>): Move {
  return withTool('manage_long_term_memory', { operation: 'read' }, reading, tools, (output) => {
    const { notes = '' } = output as { readonly notes?: string };
    return notes.trim() === '' ? 'My notes are empty.' : `My notes say:\n${shorten(notes)}`;
  });
}

function keepWith(tool: string): Act {
  return (about, reading, tools) =>
    withTool(tool, { content: upperFirst(about) }, reading, tools, () => `I kept it: “${about}”`);
}

function retrieve(key: string, reading: Reading, tools: ReadonlySet<string>): Move {
  return withTool('retrieve_memory', { memory_key: key }, reading, tools, (output) => {
    const { content = '' } = output as { readonly content?: string };
    return `${key} holds:\n${shorten(content)}`;
  });
}

function useTool(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const [, name = '', json = '{}'] = /^([\w-]+)\s*(\{[\s\S]*\})?$/.exec(about) ?? [];
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return say(`What is to be handed to ${name} must be JSON.`);
  }
  return withTool(name, input, reading, tools, (output) => {
    return `${name} answered: ${shorten(typeof output === 'string' ? output : JSON.stringify(output))}`;
  });
}
