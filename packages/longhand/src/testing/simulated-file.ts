/** What happened to a file since the disk last confirmed it. */
type Change =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly size: number };

/** A file that knows which of its bytes a power cut can take. */
export class SimulatedFile {
  readonly kind = 'file';
  readonly inode: number;
  readonly birthtimeMs: number;
  mode: number;
  /** Writes so far: its clock. */
  changes = 0;
  #bytes: Buffer;
  #onDisk: Buffer;
  #unsynced: Change[] = [];

  constructor(inode: number, birthtimeMs: number, mode: number, bytes: Buffer = Buffer.alloc(0)) {
    this.inode = inode;
    this.birthtimeMs = birthtimeMs;
    this.mode = mode;
    this.#bytes = bytes;
    this.#onDisk = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  write(offset: number, data: Uint8Array): void {
    this.#change({ kind: 'write', offset, data: Buffer.from(data) });
  }

  truncate(size: number): void {
    this.#change({ kind: 'truncate', size });
  }

  /** What a sync that begins now covers; the function says that it has ended. */
  beginSync(): () => void {
    const covered = new Set(this.#unsynced);
    return () => {
      for (const change of this.#unsynced) {
        if (covered.has(change)) this.#onDisk = changed(this.#onDisk, change);
      }
      this.#unsynced = this.#unsynced.filter((change) => !covered.has(change));
    };
  }

  /** The system throws away what was not synced yet, as it may when a sync fails: memory says what the disk says. */
  dropUnsynced(): void {
    this.#bytes = this.#onDisk;
    this.#unsynced = [];
  }

  /** What is found after the power came back: everything synced, and of the rest whatever chance left. */
  afterPowerCut(random: () => number): SimulatedFile {
    let bytes = this.#onDisk;
    for (const change of this.#unsynced) {
      const fate = random();
      if (fate < 0.4) continue;
      bytes = changed(bytes, fate < 0.7 ? change : torn(change, random));
    }
    return new SimulatedFile(this.inode, this.birthtimeMs, this.mode, bytes);
  }

  #change(change: Change): void {
    this.changes++;
    this.#bytes = changed(this.#bytes, change);
    this.#unsynced.push(change);
  }
}

function changed(bytes: Buffer, change: Change): Buffer {
  if (change.kind === 'truncate') {
    const cut = Buffer.alloc(change.size);
    bytes.copy(cut, 0, 0, change.size);
    return cut;
  }
  const end = change.offset + change.data.length;
  // A gap that nothing was written to reads as zeros, as on a real disk.
  const grown = Buffer.alloc(Math.max(bytes.length, end));
  bytes.copy(grown);
  change.data.copy(grown, change.offset);
  return grown;
}

/** Any stretch of a write may arrive, not only its beginning: the disk writes sectors in its own order. */
function torn(change: Change, random: () => number): Change {
  if (change.kind === 'truncate') return change;
  const { data } = change;
  const from = random() < 0.5 ? 0 : Math.floor(random() * data.length);
  const to = from + Math.floor(random() * (data.length - from + 1));
  return { kind: 'write', offset: change.offset + from, data: data.subarray(from, to) };
}
