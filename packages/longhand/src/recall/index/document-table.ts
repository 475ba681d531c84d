import { grown } from './columns.ts';

/** Where the caller finds the memory again. The index does not interpret the numbers. */
export interface DocumentPlace {
  readonly log: number;
  readonly offset: number;
  readonly length: number;
}

/** What is known of a document besides its columns. */
export interface DocumentRow extends DocumentPlace {
  readonly id: string;
  /** Position in its session: rises with time, unique in the session. */
  readonly order: number;
  readonly references: readonly string[];
}

/** What ranking and filtering read of documents: one array for each property, indexed by document number. */
export interface DocumentColumns {
  /** Milliseconds since 1970. */
  readonly time: Float64Array;
  readonly importance: Float64Array;
  /** Words, without stopwords. */
  readonly length: Int32Array;
  /** Position in `authors`. */
  readonly author: Int32Array;
  /** See entry-text.ts. */
  readonly kind: Uint8Array;
  /** Equal for texts that differ only in case, endings, articles and punctuation. */
  readonly textHash: Float64Array;
}

const COLUMNS = ['time', 'importance', 'length', 'author', 'kind', 'textHash'] as const;
const ROW_COLUMNS = ['order', 'log', 'offset', 'size'] as const;
type Grown = Record<(typeof COLUMNS | typeof ROW_COLUMNS)[number], Float64Array | Int32Array | Uint8Array>;

/** A growing set of documents, without their texts. */
export class DocumentTable implements DocumentColumns {
  count = 0;
  time = new Float64Array(16);
  importance = new Float64Array(16);
  length = new Int32Array(16);
  author = new Int32Array(16);
  kind = new Uint8Array(16);
  textHash = new Float64Array(16);
  order = new Float64Array(16);
  log = new Float64Array(16);
  offset = new Float64Array(16);
  size = new Float64Array(16);
  readonly ids: string[] = [];
  readonly references: (readonly string[])[] = [];

  /** Adds a document and returns its number. The caller fills in its columns. */
  addRow(row: DocumentRow): number {
    const document = this.count++;
    if (this.count > this.time.length) grow(this, this.count);
    this.order[document] = row.order;
    this.log[document] = row.log;
    this.offset[document] = row.offset;
    this.size[document] = row.length;
    this.ids.push(row.id);
    this.references.push(row.references);
    return document;
  }

  row(document: number): DocumentRow {
    return {
      id: this.ids[document]!,
      order: this.order[document]!,
      log: this.log[document]!,
      offset: this.offset[document]!,
      length: this.size[document]!,
      references: this.references[document]!,
    };
  }

  /** Adds a copy of a document of another table. @param author its position in this table's authors */
  addCopy(other: DocumentTable, document: number, author: number): void {
    const to = this.addRow(other.row(document));
    for (const name of COLUMNS) this[name][to] = other[name][document]!;
    this.author[to] = author;
  }
}

function grow(columns: Grown, needed: number): void {
  for (const name of [...COLUMNS, ...ROW_COLUMNS]) columns[name] = grown(columns[name], needed);
}

/** A session's stretch of documents in a sorted table. */
export interface SessionRun {
  readonly id: string;
  readonly start: number;
  /** Behind the last document. */
  readonly end: number;
  /** The sum of the documents' lengths. */
  readonly length: number;
  readonly firstOrder: number;
  readonly lastOrder: number;
}
