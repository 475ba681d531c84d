/**
 * Names that follow from the token of a request (`Operation.named`). No other caller's request has the token, so what
 * has such a name was made by this request, the first time that it came.
 */

const CHARACTERS = 26;

export function sessionIdFrom(token: string): string {
  return `sess_${token.slice(0, CHARACTERS)}`;
}

/** @param position of the message in its request */
export function messageIdFrom(token: string, position: number): string {
  return `msg_${token.slice(0, CHARACTERS)}_${position}`;
}

export function agentMemoryIdFrom(token: string): string {
  return `amem_${token.slice(0, CHARACTERS)}`;
}
