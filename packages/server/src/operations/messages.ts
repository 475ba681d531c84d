import { z } from 'zod';
import * as field from './fields.ts';

/** A message as models take it. */
const modelMessage = z.object({
  id: field.text('Names it.').exactOptional(),
  role: field.choice(['system', 'user', 'assistant', 'tool'], 'Who speaks.'),
  content: field.text('The text.'),
  name: field.text('Who speaks, in a group.').exactOptional(),
  timestamp: field.text('When it was, ISO 8601.').exactOptional(),
  tool_calls: z
    .array(
      z.object({
        id: field.text('Names the call.'),
        name: field.text('The name of the tool.'),
        arguments: field.jsonObject.describe('What the tool was called with.'),
      }),
    )
    .max(256)
    .exactOptional()
    .describe('The tools that are called.'),
  tool_call_id: field.text('The call that this answers.').exactOptional(),
});

/** A message as a chat client holds it; fields beyond these are left out. */
const clientMessage = z.object({
  id: field.text('Names it.').exactOptional(),
  sender: field.choice(['user', 'ai'], 'Who speaks.'),
  text: field.text('The text.'),
  name: field.text('Who speaks, in a group.').exactOptional(),
  timestamp: field.text('When it was, ISO 8601.').exactOptional(),
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
  id: field.text('Names it.'),
  role: field.choice(['user', 'assistant'], 'Who speaks.'),
  content: field.text('The text.'),
  name: field.text('Who speaks, in a group.').exactOptional(),
  timestamp: field.text('When it was, ISO 8601.'),
});
