/** A part of a document: a header of Markdown and what follows, up to the next header. */
export interface NotesSection {
  /** The header's words; empty for what stands before the first one. */
  readonly title: string;
  /** 1 to 6; 0 without a header. */
  readonly level: number;
  /** The line that it begins at, from 1. */
  readonly line: number;
  /** With its header. */
  readonly text: string;
}

const HEADER = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(```|~~~)/;

/** All of the text, cut before every header that is not within a block of code. Joined they are the text again. */
export function sectionsIn(text: string): readonly NotesSection[] {
  const sections: NotesSection[] = [];
  let [title, level, begin] = ['', 0, 0];
  let fence: string | undefined;
  const lines = text.split(/(?<=\n)/);
  const close = (end: number): void => {
    const own = lines.slice(begin, end).join('');
    if (own !== '') sections.push({ title, level, line: begin + 1, text: own });
  };
  lines.forEach((line, at) => {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const header = fence === undefined ? HEADER.exec(line.trimEnd()) : null;
    if (header === null) return;
    close(at);
    [title, level, begin] = [header[2]!, header[1]!.length, at];
  });
  close(lines.length);
  return sections;
}

/** Two sections of one name are told apart by their order. */
function byName(sections: readonly NotesSection[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { title, level, text } of sections) {
    let name = `${level} ${title}`;
    while (texts.has(name)) name += '+';
    texts.set(name, text);
  }
  return texts;
}

/** Under the names of the base: where between the same neighbours as many stand as did, they have other headers now. */
function alignedWith(base: Map<string, string>, side: Map<string, string>): Map<string, string> {
  const [was, is] = [[...base.keys()], [...side.keys()]];
  const known = new Map<string, string>();
  let [lastWas, lastIs] = [-1, -1];
  for (const [at, name] of [...is.entries(), [is.length, undefined] as const]) {
    const place = name === undefined ? was.length : was.indexOf(name);
    if (place < 0) continue;
    const gone = was.slice(lastWas + 1, place).filter((other) => !side.has(other));
    const fresh = is.slice(lastIs + 1, at);
    if (gone.length === fresh.length) fresh.forEach((other, i) => void known.set(other, gone[i]!));
    [lastWas, lastIs] = [place, at];
  }
  return new Map(is.map((name) => [known.get(name) ?? name, side.get(name)!]));
}

export interface MergedSection {
  readonly name: string;
  readonly title: string;
  /** As it was when both began; undefined where it was not there. */
  readonly base: string | undefined;
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** `same`: nothing to decide. `both`: changed on both sides, and not to the same. */
  readonly change: 'same' | 'mine' | 'theirs' | 'both';
}

/** What became of each section on both sides, in their order, with what only I have where I have it. */
export function mergeSections(base: string, mine: string, theirs: string): readonly MergedSection[] {
  const was = byName(sectionsIn(base));
  const [my, their] = [mine, theirs].map((text) => alignedWith(was, byName(sectionsIn(text)))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  const names = [...their.keys()];
  let after = -1;
  for (const name of my.keys()) {
    const known = names.indexOf(name);
    if (known < 0) names.splice(++after, 0, name);
    else after = known;
  }
  for (const name of was.keys()) if (!names.includes(name)) names.push(name);
  return names.map((name) => {
    const [before, ours, others] = [was.get(name), my.get(name), their.get(name)].map((text) =>
      text?.trimEnd(),
    );
    const change =
      ours === others ? 'same' : ours === before ? 'theirs' : others === before ? 'mine' : ('both' as const);
    const title = name.replace(/^\d /, '').replace(/\++$/, '');
    return { name, title, base: was.get(name), mine: my.get(name), theirs: their.get(name), change };
  });
}

/** The sections put together. @param choose for those that changed on both sides */
export function joined(
  sections: readonly MergedSection[],
  choose: (section: MergedSection) => 'mine' | 'theirs',
): string {
  const texts = sections.flatMap((section) => {
    const { change, mine, theirs } = section;
    const side = change === 'both' ? choose(section) : change === 'mine' ? 'mine' : 'theirs';
    const text = side === 'mine' ? mine : theirs;
    return text === undefined ? [] : [text];
  });
  return texts
    .map((text, at) => (at < texts.length - 1 && !text.endsWith('\n') ? `${text}\n\n` : text))
    .join('');
}
