import type { ToolDefinition } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { invalidOption } from './budget.ts';
import { type ImageReference, TOKENS_PER_IMAGE } from './images.ts';
import { hashOf, type ManifestPiece, type Segment } from './manifest.ts';
import { sumTokens } from './message-tokens.ts';

/**
 * What is sent beside the messages and paid for all the same: the definitions of the tools, which a provider puts before
 * everything else, and pictures.
 */
export interface Beside {
  /** The tools that are offered with the prompt, or the tokens that they take. */
  readonly tools?: readonly ToolDefinition[] | number | undefined;
  /** The pictures that are sent with the newest message, oldest first, or how many there are. */
  readonly images?: readonly ImageReference[] | number | undefined;
}

export interface Weighed {
  readonly tokens: number;
  readonly pieces: readonly ManifestPiece[];
  readonly segments: readonly Segment[];
}

/** The marks around a definition. */
const TOKENS_PER_TOOL = 8;

/** @throws ValidationError INVALID_OPTION */
export function weighTools(tools: unknown = [], counter: TokenCounter): Weighed {
  const shared = { section: 'tools', role: 'system', reason: 'offered to the model', trust: null } as const;
  const pieces = weightsOf(tools, counter).map(([id, tokens]): ManifestPiece => {
    return { ...shared, source: { layer: 'tools', id }, tokens };
  });
  return weighed(pieces, JSON.stringify(tools));
}

function weightsOf(tools: unknown, counter: TokenCounter): readonly (readonly [string, number])[] {
  if (Number.isSafeInteger(tools) && (tools as number) >= 0) return [['all definitions', tools as number]];
  if (Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string'))
    return tools.map((tool) => [tool.name, TOKENS_PER_TOOL + counter.count(JSON.stringify(tool))]);
  throw invalidOption('Tools must be a list of definitions, each with its name, or a number of tokens.');
}

/** @param count of the pictures that are sent */
export function weighImages(count: number): Weighed {
  const id = count === 1 ? '1 image' : `${count} images`;
  const reason = `sent with the newest message, at ${TOKENS_PER_IMAGE} tokens each`;
  const shared = { section: 'new-messages', role: 'user', reason, trust: null } as const;
  return weighed([{ ...shared, source: { layer: 'turn', id }, tokens: count * TOKENS_PER_IMAGE }], id);
}

/** @param identity differs when the pieces do */
function weighed(all: readonly ManifestPiece[], identity: string): Weighed {
  const pieces = all.filter((piece) => piece.tokens > 0);
  const tokens = sumTokens(pieces);
  const segments = pieces.slice(0, 1).map(({ section }) => ({ section, tokens, hash: hashOf(identity) }));
  return { tokens, pieces, segments };
}
