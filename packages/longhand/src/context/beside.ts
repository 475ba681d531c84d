import { ValidationError } from '../core/errors.ts';
import type { ToolDefinition } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { type ImageReference, TOKENS_PER_IMAGE } from './images.ts';
import { hashOf, type ManifestPiece, type Segment } from './manifest.ts';

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

/** The marks around a definition. */
const TOKENS_PER_TOOL = 8;

export interface WeighedBeside {
  readonly tokens: number;
  /** Before all other pieces. */
  readonly tools: readonly ManifestPiece[];
  /** After all others. */
  readonly images: readonly ManifestPiece[];
  readonly toolSegments: readonly Segment[];
  readonly imageSegments: readonly Segment[];
}

/**
 * @param count of the pictures that are sent
 * @throws ValidationError INVALID_OPTION
 */
export function weighBeside(
  { tools = [] }: Pick<Beside, 'tools'>,
  count: number,
  counter: TokenCounter,
): WeighedBeside {
  const definitions = typeof tools === 'number' ? [] : parseTools(tools);
  const weighed: readonly (readonly [string, number])[] =
    typeof tools === 'number'
      ? [['all definitions', parseCount(tools, 'tools')]]
      : definitions.map((tool) => [tool.name, TOKENS_PER_TOOL + counter.count(JSON.stringify(tool))]);
  const toolPieces = weighed
    .filter(([, tokens]) => tokens > 0)
    .map(([id, tokens]): ManifestPiece => {
      const source = { layer: 'tools' as const, id };
      return {
        section: 'tools',
        role: 'system',
        source,
        reason: 'offered to the model',
        tokens,
        trust: null,
      };
    });
  const toolTokens = weighed.reduce((sum, [, tokens]) => sum + tokens, 0);
  const imageTokens = count * TOKENS_PER_IMAGE;
  const reason = `sent with the newest message, at ${TOKENS_PER_IMAGE} tokens each`;
  const source = { layer: 'turn' as const, id: count === 1 ? '1 image' : `${count} images` };
  const picture = { section: 'new-messages', role: 'user', source, reason } as const;
  return {
    tokens: toolTokens + imageTokens,
    tools: toolPieces,
    images: count === 0 ? [] : [{ ...picture, tokens: imageTokens, trust: null }],
    toolSegments:
      toolTokens === 0 ? [] : [{ section: 'tools', tokens: toolTokens, hash: hashOf(JSON.stringify(tools)) }],
    imageSegments:
      count === 0 ? [] : [{ section: 'new-messages', tokens: imageTokens, hash: hashOf(source.id) }],
  };
}

function parseTools(tools: unknown): readonly ToolDefinition[] {
  const isTool = (tool: unknown): tool is ToolDefinition =>
    typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string';
  if (Array.isArray(tools) && tools.every(isTool)) return tools;
  throw invalid('tools must be a list of definitions, each with its name, or a number of tokens');
}

function parseCount(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(`${name} must be a whole number of at least 0`);
}

function invalid(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
}
