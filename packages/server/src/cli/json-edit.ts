/**
 * Changes one member of a JSON text and leaves every other byte as it is: comments, trailing commas, indentation and
 * line ends are the writer's. A change is one stretch of text taken out and another put in, so that it can be undone.
 */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The text is no JSON, with or without comments. The message says where. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

interface Node {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Of an object, in order. */
  readonly members?: readonly Member[];
}

interface Member {
  readonly key: string;
  readonly start: number;
  readonly node: Node;
  /** Behind its comma, where it has one. */
  readonly end: number;
}

const MAX_DEPTH = 200;
const BYTE_ORDER_MARK = '\ufeff';
const SCALAR = /(?:true|false|null|-?\d[\d.eE+-]*)/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const BLANK = /[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  }

  document(): Node {
    this.#skip();
    const node = this.#node(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('something follows the JSON value');
    return node;
  }

  #node(depth: number): Node {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    const token = first === '"' ? this.#string() : this.#take(SCALAR);
    if (token === undefined) this.#fail('a value is missing');
    return { start, end: this.#at, value: this.#parsed(token!) };
  }

  #object(depth: number): Node {
    const start = this.#at++;
    const members: Member[] = [];
    const value: Record<string, unknown> = Object.create(null);
    for (this.#skip(); this.#text[this.#at] !== '}'; this.#skip()) {
      if (members.length > 0 && members.at(-1)!.end === members.at(-1)!.node.end)
        this.#fail('a comma is missing');
      const memberStart = this.#at;
      const token = this.#string();
      if (token === undefined) this.#fail('a name in double quotes is missing');
      const key = this.#parsed(token!) as string;
      this.#skip();
      if (this.#text[this.#at] !== ':') this.#fail('a colon is missing');
      this.#at++;
      this.#skip();
      const node = this.#node(depth + 1);
      members.push({ key, start: memberStart, node, end: this.#behindComma() });
      value[key] = node.value;
    }
    this.#at++;
    return { start, end: this.#at, value, members };
  }

  #array(depth: number): Node {
    const start = this.#at++;
    const value: unknown[] = [];
    let hasComma = true;
    for (this.#skip(); this.#text[this.#at] !== ']'; this.#skip()) {
      if (!hasComma) this.#fail('a comma is missing');
      const node = this.#node(depth + 1);
      value.push(node.value);
      hasComma = this.#behindComma() > node.end;
    }
    this.#at++;
    return { start, end: this.#at, value };
  }

  /** Takes a comma, if one comes next. Where the value with its comma ends. */
  #behindComma(): number {
    const end = this.#at;
    this.#skip();
    if (this.#text[this.#at] !== ',') return end;
    this.#at++;
    return this.#at;
  }

  #string(): string | undefined {
    return this.#take(STRING);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    this.#at += token?.length ?? 0;
    return token;
  }

  #parsed(token: string): unknown {
    try {
      return JSON.parse(token);
    } catch {
      this.#at -= token.length;
      return this.#fail('a value cannot be read');
    }
  }

  #skip(): void {
    while (this.#take(BLANK) !== undefined);
  }

  #fail(reason: string): never {
    const problem = this.#at < this.#text.length ? reason : 'it ends too early';
    const before = this.#text.slice(0, this.#at).split('\n');
    throw new JsonTextError(`line ${before.length}, column ${before.at(-1)!.length + 1}: ${problem}`);
  }
}

/** The value at a path of names; `undefined` when it is not there. @throws JsonTextError */
export function valueAt(text: string, path: readonly string[]): unknown {
  if (isBlank(text)) return undefined;
  let node: Node | undefined = new Reader(text).document();
  for (const name of path) node = node?.members?.findLast(({ key }) => key === name)?.node;
  return node?.value;
}

/**
 * Puts a value under a path of names, with the objects on the way.
 * @throws JsonTextError also where something on the way is no object
 */
export function putAt(text: string, path: readonly string[], value: unknown): TextEdit {
  const style = styleOf(text);
  if (isBlank(text)) {
    const inserted = `${written(nested(path, value), style, '')}${style.lineEnd}`;
    return { at: text.length, removed: '', inserted };
  }
  let node = new Reader(text).document();
  for (const [depth, name] of path.entries()) {
    if (node.members === undefined) {
      const where = depth === 0 ? 'the file' : path.slice(0, depth).join('.');
      throw new JsonTextError(`${where} is not an object`);
    }
    const member = node.members.findLast(({ key }) => key === name);
    if (member === undefined) return insertion(text, node, name, nested(path.slice(depth + 1), value), style);
    node = member.node;
  }
  const inserted = isInline(text, node)
    ? JSON.stringify(value)
    : written(value, style, indentAt(text, node.start));
  return { at: node.start, removed: text.slice(node.start, node.end), inserted };
}

/** Takes a member out, with its comma. @throws JsonTextError, and when it is not there */
export function removeAt(text: string, path: readonly string[]): TextEdit {
  let node = new Reader(text).document();
  for (const name of path.slice(0, -1)) node = node.members!.findLast(({ key }) => key === name)!.node;
  const index = node.members!.findLastIndex(({ key }) => key === path.at(-1));
  const { start, end } = node.members![index]!;
  const before = node.members![index - 1];
  // The last one takes the comma before it along. Comments in between stay.
  if (before !== undefined && index === node.members!.length - 1) {
    const between = text.slice(before.node.end, start);
    const kept = text.slice(before.node.end, before.end - 1) + text.slice(before.end, start);
    return { at: before.node.end, removed: between + text.slice(start, end), inserted: kept.trimEnd() };
  }
  const blank = /[ \t\r\n]*/y;
  blank.lastIndex = end;
  const next = end + blank.exec(text)![0].length;
  return { at: start, removed: text.slice(start, next), inserted: '' };
}

export function applyEdit(text: string, { at, removed, inserted }: TextEdit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length);
}

export function reversed({ at, removed, inserted }: TextEdit): TextEdit {
  return { at, removed: inserted, inserted: removed };
}

interface Style {
  readonly unit: string;
  readonly lineEnd: string;
}

function styleOf(text: string): Style {
  const unit = /[{[][^\S\n]*\r?\n([ \t]+)["}]/.exec(text)?.[1] ?? '  ';
  return { unit, lineEnd: text.includes('\r\n') ? '\r\n' : '\n' };
}

function insertion(text: string, node: Node, key: string, value: unknown, style: Style): TextEdit {
  const name = `${JSON.stringify(key)}: `;
  const last = node.members!.at(-1);
  if (last === undefined) {
    const outer = indentAt(text, node.start);
    const inner = outer + style.unit;
    const inside = text.slice(node.start + 1, node.end - 1);
    const at = node.start + 1 + inside.trimEnd().length;
    const member = `${inner}${name}${written(value, style, inner)}`;
    return {
      at,
      removed: text.slice(at, node.end - 1),
      inserted: `${style.lineEnd}${member}${style.lineEnd}${outer}`,
    };
  }
  const comma = last.end > last.node.end ? '' : ',';
  if (isInline(text, node)) {
    return { at: last.end, removed: '', inserted: `${comma}${name}${JSON.stringify(value)}` };
  }
  const indent = indentAt(text, last.start);
  // A comment behind the last member stays on its line.
  const rest = /(?:[ \t]|\/\*[\s\S]*?\*\/)*(?:\/\/[^\r\n]*)?/y;
  rest.lastIndex = last.end;
  const remark = rest.exec(text)![0].trimEnd();
  const inserted = `${comma}${remark}${style.lineEnd}${indent}${name}${written(value, style, indent)}`;
  return { at: last.end, removed: remark, inserted };
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function written(value: unknown, { unit, lineEnd }: Style, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineEnd + indent);
}

function isInline(text: string, { start, end }: Node): boolean {
  return !text.slice(start, end).includes('\n');
}

/** The blanks that the line begins with. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))![0];
}

function isBlank(text: string): boolean {
  return text.replace(BYTE_ORDER_MARK, '').trim() === '';
}
