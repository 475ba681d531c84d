import { z } from 'zod';
import { jsonObject } from './fields.ts';

/** A message as models take it. */
const modelMessage = z.object({
  id: z.string().exactOptional(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  name: z.string().exactOptional(),
  timestamp: z.string().exactOptional(),
  tool_calls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: jsonObject }))
    .max(256)
    .exactOptional(),
  tool_call_id: z.string().exactOptional(),
});

/** A message as a chat client holds it; fields beyond these are left out. */
const clientMessage = z.object({
  id: z.string().exactOptional(),
  sender: z.enum(['user', 'ai']),
  text: z.string(),
  name: z.string().exactOptional(),
  timestamp: z.string().exactOptional(),
});

/** Either shape, as the first one. */
export const message = z.union([
  modelMessage,
  clientMessage.transform(({ sender, text, ...rest }) => ({
    ...rest,
    role: sender === 'ai' ? ('assistant' as const) : ('user' as const),
    content: text,
  })),
]);

export const archivedMessage = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  name: z.string().exactOptional(),
  timestamp: z.string(),
});
