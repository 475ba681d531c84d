import { GitMerge } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Draft, useNewestAuthor } from './draft.ts';
import { joined, type MergedSection, mergeSections } from './merge.ts';

export interface ConflictBarProps {
  readonly agent: string;
  readonly draft: Draft;
  /** What another writer has saved meanwhile. */
  readonly theirs: { readonly text: string; readonly version: number };
  /** The text to go on with, on top of theirs. */
  readonly onDecide: (text: string) => void;
}

/** Another writer has saved while the reader edits. Nothing is overwritten: the reader decides, section by section. */
export function ConflictBar({ agent, draft, theirs, onDecide }: ConflictBarProps): ReactNode {
  const author = useNewestAuthor();
  const [who, setWho] = useState('Another writer');
  const [isShown, setShown] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version of theirs has an author
  useEffect(() => {
    let isGone = false;
    author(agent).then(
      (name) => isGone || setWho(name),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [author, agent, theirs.version]);
  const sections = useMemo(
    () => mergeSections(draft.base, draft.text, theirs.text),
    [draft.base, draft.text, theirs.text],
  );
  const changed = sections.filter(({ change }) => change === 'theirs' || change === 'both');
  const both = sections.filter(({ change }) => change === 'both');
  const keep = (side: 'mine' | 'theirs') => () => onDecide(joined(sections, () => side));
  return (
    <div className="conflict" role="alert">
      <GitMerge size={18} />
      <p>
        <b dir="auto">{who === 'a person' ? 'A person' : who}</b> changed <Names sections={changed} /> while
        you were writing.{' '}
        {both.length === 0
          ? 'Your own changes are in other sections.'
          : both.length === changed.length
            ? 'You have changed the same.'
            : 'You have changed some of that too.'}
      </p>
      <div className="row">
        <Button onClick={() => setShown(true)}>Show</Button>
        {both.length === 0 ? (
          <Button look="main" onClick={keep('mine')}>
            Put together
          </Button>
        ) : (
          <>
            <Button onClick={keep('mine')}>Keep mine</Button>
            <Button onClick={keep('theirs')}>Take theirs</Button>
          </>
        )}
      </div>
      {isShown && (
        <Choice sections={sections} who={who} onClose={() => setShown(false)} onDecide={onDecide} />
      )}
    </div>
  );
}

function Names({ sections }: { readonly sections: readonly MergedSection[] }): ReactNode {
  if (sections.length === 0) return 'the order of the sections';
  return (
    <>
      {sections.slice(0, 3).map(({ name, title }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <em dir="auto">{title || 'the beginning'}</em>
        </span>
      ))}
      {sections.length > 3 && ` and ${sections.length - 3} more`}
    </>
  );
}

interface ChoiceProps {
  readonly sections: readonly MergedSection[];
  readonly who: string;
  readonly onClose: () => void;
  readonly onDecide: (text: string) => void;
}

/** Side by side, what differs; a side for each section that changed on both. */
function Choice({ sections, who, onClose, onDecide }: ChoiceProps): ReactNode {
  const [sides, setSides] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({});
  const sideOf = ({ name, change }: MergedSection): 'mine' | 'theirs' =>
    sides[name] ?? (change === 'theirs' ? 'theirs' : 'mine');
  const differing = sections.filter(({ change }) => change !== 'same');
  return (
    <Dialog
      title="What differs"
      isWide
      onClose={onClose}
      foot={
        <Button look="main" onClick={() => onDecide(joined(sections, sideOf))}>
          Go on with these
        </Button>
      }
    >
      {differing.map((section) => (
        <fieldset key={section.name} className="choose-side">
          <legend dir="auto">{section.title || 'The beginning'}</legend>
          {(['mine', 'theirs'] as const).map((side) => (
            <label key={side} data-chosen={sideOf(section) === side}>
              <span>
                <input
                  type="radio"
                  name={section.name}
                  checked={sideOf(section) === side}
                  disabled={section.change !== 'both'}
                  onChange={() => setSides({ ...sides, [section.name]: side })}
                />
                {side === 'mine' ? 'Yours' : who === 'a person' ? 'Theirs' : `Of ${who}`}
                {section.change === side && ' · changed here alone'}
              </span>
              <pre dir="auto">{section[side]?.trimEnd() ?? '(not there)'}</pre>
            </label>
          ))}
        </fieldset>
      ))}
    </Dialog>
  );
}
