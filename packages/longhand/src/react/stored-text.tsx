import type { ReactNode } from 'react';
import { findMemoryRefs } from '../core/memory-ref.ts';

/** Stored text as text: line breaks stay, placeholders become links, and nothing becomes HTML. */
export function StoredText({
  text,
  onOpenDetail,
}: {
  text: string;
  onOpenDetail: (key: string) => void;
}): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const ref of findMemoryRefs(text)) {
    const { key, description = key, start } = ref;
    parts.push(
      text.slice(end, start),
      <a
        key={start}
        className="lh-chat-ref"
        href={`#${key}`}
        title={key}
        onClick={(event) => {
          event.preventDefault();
          onOpenDetail(key);
        }}
      >
        {description}
      </a>,
    );
    end = ref.end;
  }
  return [...parts, text.slice(end)];
}
