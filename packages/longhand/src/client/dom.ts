/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

declare global {
  /** Sends a request when the page is gone, however it goes. Not in every browser. */
  var fetchLater: ((address: string, init?: RequestInit & { activateAfter?: number }) => unknown) | undefined;
}

export type {};
