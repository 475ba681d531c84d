import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { useParam } from '../api/address.ts';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** What it is called in the address. */
  readonly param?: string;
}

/** The chosen tab stands in the address; the first is shown without one. */
export function Tabs({ label, tabs, param = 'tab' }: TabsProps): ReactNode {
  const [chosen, choose] = useParam(param);
  const id = useId();
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0]!;
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = tabs.indexOf(current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length]!;
    choose(next === tabs[0] ? undefined : next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => choose(tab === tabs[0] ? undefined : tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current.id}`} className="tab-panel">
        {current.content()}
      </div>
    </>
  );
}
