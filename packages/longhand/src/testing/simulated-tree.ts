/**
 * The entries of all folders, and which of them a power cut can take. One change may touch two folders (a
 * rename does) and happens as a whole or not at all. A change is on the disk for good once one of the
 * folders that it touches was synced.
 */
interface EntryChange {
  readonly folder: number;
  readonly name: string;
  /** Where the name leads from now on; nowhere when `undefined`. */
  readonly inode: number | undefined;
}

type Entries = Map<number, Map<string, number>>;

export class SimulatedTree {
  readonly #entries: Entries;
  readonly #onDisk: Entries;
  #unsynced: EntryChange[][] = [];

  constructor(entries: Entries = new Map()) {
    this.#entries = entries;
    this.#onDisk = copyOf(entries);
  }

  lookUp(folder: number, name: string): number | undefined {
    return this.#entries.get(folder)?.get(name);
  }

  namesIn(folder: number): string[] {
    return [...(this.#entries.get(folder)?.keys() ?? [])];
  }

  countLinks(inode: number): number {
    let links = 0;
    for (const names of this.#entries.values())
      for (const target of names.values()) if (target === inode) links++;
    return links;
  }

  change(changes: readonly EntryChange[]): void {
    apply(this.#entries, changes);
    this.#unsynced.push([...changes]);
  }

  /** What a sync of the folder that begins now covers; the function says that it has ended. */
  beginSync(folder: number): () => void {
    const covered = this.#unsynced.filter((changes) => changes.some((change) => change.folder === folder));
    return () => {
      for (const changes of covered) this.#confirm(changes);
    };
  }

  afterPowerCut(random: () => number): SimulatedTree {
    const entries = copyOf(this.#onDisk);
    for (const changes of this.#unsynced) if (random() < 0.5) apply(entries, changes);
    return new SimulatedTree(entries);
  }

  #confirm(changes: EntryChange[]): void {
    const at = this.#unsynced.indexOf(changes);
    if (at < 0) return;
    apply(this.#onDisk, changes);
    // An earlier change of the same entry, still unsynced, must not come back over this one.
    for (const earlier of this.#unsynced.slice(0, at)) {
      const kept = earlier.filter(
        ({ folder, name }) => !changes.some((change) => change.folder === folder && change.name === name),
      );
      earlier.splice(0, earlier.length, ...kept);
    }
    this.#unsynced.splice(at, 1);
  }
}

function apply(entries: Entries, changes: readonly EntryChange[]): void {
  for (const { folder, name, inode } of changes) {
    const names = entries.get(folder) ?? new Map<string, number>();
    entries.set(folder, names);
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
  }
}

function copyOf(entries: Entries): Entries {
  return new Map([...entries].map(([folder, names]) => [folder, new Map(names)]));
}
