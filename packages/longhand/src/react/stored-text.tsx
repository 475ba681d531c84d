import type { ReactNode } from 'react';
import { findMemoryRefs } from '../core/memory-ref.ts';

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
  for (const ref of findMemoryRefs(text)) {
    const { key, description = key, start } = ref;
    parts.push(
      text.slice(end, start),
      <button key={start} type="button" className="lh-chat-ref" title={key} onClick={() => onOpenDetail(key)}>
        {description}
      </button>,
    );
    end = ref.end;
  }
  return [...parts, text.slice(end)];
}
