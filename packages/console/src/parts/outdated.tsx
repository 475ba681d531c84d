import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParam } from '../api/address.ts';
import { readAgain } from '../api/hooks.ts';

interface OutdatedProps {
  readonly asked: {
    readonly isStale: boolean;
    readonly isFetching: boolean;
    readonly data: object | undefined;
  };
}

/** Over a long list that others have changed: nothing moves under the reader before they ask for it. */
export function Outdated({ asked }: OutdatedProps): ReactNode {
  const [, setPosition] = useParam('at');
  if (!asked.isStale || asked.isFetching || asked.data === undefined) return null;
  const again = (): void => {
    setPosition(undefined);
    scrollTo(0, 0);
    readAgain();
  };
  return (
    <button type="button" className="chip" onClick={again}>
      <RotateCw size={13} /> Changed: read again
    </button>
  );
}
