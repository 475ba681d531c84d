import type { ReactNode } from 'react';

/** A placeholder of a large value: `[MemoryRef: key - what it is]`. */
const PLACEHOLDER = /\[MemoryRef: ([\w.-]{1,255}) - ([^\]\n]{0,500})\]/g;

/** Stored text as text: line breaks stay, placeholders become buttons, and nothing becomes HTML. */
export function StoredText({
  text,
  onOpenDetail,
}: {
  text: string;
  onOpenDetail?: (key: string) => void;
}): ReactNode {
  if (onOpenDetail === undefined) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: key = '', 2: description = '' } of text.matchAll(PLACEHOLDER)) {
    parts.push(text.slice(end, index));
    end = index + whole.length;
    parts.push(
      <button key={index} type="button" className="lh-chat-ref" title={key} onClick={() => onOpenDetail(key)}>
        {description.trim() === '' ? key : description}
      </button>,
    );
  }
  return [...parts, text.slice(end)];
}
