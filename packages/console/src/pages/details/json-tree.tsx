import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count, counted } from '../../parts/numbers.ts';

const SHOWN = 100;

/** A JSON value whose branches are made when they are opened. */
export function JsonTree({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}): ReactNode {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(SHOWN);
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="json-leaf" dir="auto">
        {label}
        <span className={`is-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    );
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <small>{isOpen ? sizeOf(entries.length, isList) : previewOf(value)}</small>
      </summary>
      {isOpen && (
        <div className="json-branch">
          {entries.slice(0, shown).map(([key, child]) => (
            <JsonTree key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <Button look="link" onClick={() => setShown(shown + 10 * SHOWN)}>
              {count(entries.length - shown)} more
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

function sizeOf(length: number, isList: boolean): string {
  return isList ? `[ ${counted(length, 'item')} ]` : `{ ${counted(length, 'field')} }`;
}

/** A branch in a line: its first simple values. */
function previewOf(value: object): string {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const simple = entries.filter(([, child]) => typeof child !== 'object' || child === null).slice(0, 4);
  if (simple.length === 0) return sizeOf(entries.length, isList);
  const parts = simple.map(
    ([key, child]) => `${isList ? '' : `${key}: `}${JSON.stringify(child).slice(0, 40)}`,
  );
  const more = entries.length > simple.length ? ', …' : '';
  return isList ? `[ ${parts.join(', ')}${more} ]` : `{ ${parts.join(', ')}${more} }`;
}
