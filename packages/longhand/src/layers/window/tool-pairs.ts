import type { Message } from '../../core/messages.ts';

/**
 * Where a conversation may be cut.
 *
 * A model refuses the result of a tool without the call that asked for it, and a call whose results are missing. So
 * a call and all its results stay together or leave together: a cut that would fall between them is no cut.
 */

/** Without the results of tools whose call is not there, or comes later: no model takes those. */
export function withoutOrphans(messages: readonly Message[]): readonly Message[] {
  const asked = new Set<string>();
  const kept = messages.filter(({ role, tool_calls, tool_call_id }) => {
    for (const { id } of tool_calls ?? []) asked.add(id);
    return role !== 'tool' || (tool_call_id !== undefined && asked.has(tool_call_id));
  });
  return kept.length === messages.length ? messages : kept;
}

/**
 * The places before which the conversation may be cut, rising; `0` and the end are always among them, except the
 * end while the tools that the last message asked for are still at work.
 */
export function cutPlaces(messages: readonly Message[]): number[] {
  const callAt = new Map<string, number>();
  /** For each call, where its last result stands. */
  const lastResultAt = new Map<number, number>();
  messages.forEach(({ role, tool_calls, tool_call_id }, at) => {
    for (const { id } of tool_calls ?? []) callAt.set(id, at);
    if (role !== 'tool' || tool_call_id === undefined) return;
    const asked = callAt.get(tool_call_id);
    if (asked !== undefined) lastResultAt.set(asked, at);
  });
  const working = workingCallAt(messages);
  if (working !== undefined) lastResultAt.set(working, messages.length);
  const places: number[] = [];
  let blockedUntil = -1;
  for (let at = 0; at <= messages.length; at++) {
    if (at > blockedUntil) places.push(at);
    blockedUntil = Math.max(blockedUntil, lastResultAt.get(at) ?? -1);
  }
  return places;
}

/** The call at the end of the conversation that nothing but results of tools has followed, and not yet all. */
function workingCallAt(messages: readonly Message[]): number | undefined {
  let at = messages.length - 1;
  const answered = new Set<string | undefined>();
  for (; at >= 0 && messages[at]!.role === 'tool'; at--) answered.add(messages[at]!.tool_call_id);
  const isWorking = messages[at]?.tool_calls?.some(({ id }) => !answered.has(id)) ?? false;
  return isWorking ? at : undefined;
}
