/** A fingerprint of a list that grows: two lists with the same one are the same. */
export function extendHash(hash: bigint, label: string): bigint {
  let next = hash;
  for (let i = 0; i < label.length; i++) {
    next = BigInt.asUintN(64, (next ^ BigInt(label.charCodeAt(i))) * 0x100000001b3n);
  }
  return BigInt.asUintN(64, (next ^ 0xffn) * 0x100000001b3n);
}

export const EMPTY_HASH = 0xcbf29ce484222325n;
