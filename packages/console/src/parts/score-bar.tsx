import type { ReactNode } from 'react';

export interface ScoreParts {
  readonly relevance: number;
  readonly importance: number;
  readonly decay: number;
  readonly recency: number;
  readonly match: number;
}

/** Two decimals; of small numbers, two digits. */
export const shortNumber = (value: number): string =>
  value > 0 && value < 0.095
    ? value.toFixed(Math.min(6, 1 - Math.floor(Math.log10(value))))
    : value.toFixed(2);

/** `0.75 = 0.50 × 1.00 × 1.49 × 1.00` */
export function scoreInNumbers({ relevance, importance, decay, recency, match }: ScoreParts): string {
  return `${shortNumber(relevance)} = ${[importance, decay, recency, match].map(shortNumber).join(' × ')}`;
}

/**
 * The factors multiply: the bar starts at importance, shows what decay took away (hatched) and what recency added, and is
 * filled up to what the match left over.
 */
export function ScoreBar({ score }: { readonly score: ScoreParts }): ReactNode {
  const { relevance, importance, decay, recency } = score;
  const faded = importance * decay;
  const lifted = faded * recency;
  // Recency adds at most half again: so long is the scale.
  const share = (value: number): string => `${Math.min(100, (value / 1.5) * 100)}%`;
  const text = `${scoreInNumbers(score)}: importance, decay, recency, match`;
  return (
    <span className="score" title={text}>
      <span className="score-bar" role="img" aria-label={text}>
        <i
          className="is-lost"
          style={{
            insetInlineStart: share(Math.min(faded, lifted)),
            inlineSize: share(Math.max(0, importance - faded)),
          }}
        />
        <i className="is-unmatched" style={{ inlineSize: share(lifted) }} />
        <i className="is-left" style={{ inlineSize: share(relevance) }} />
      </span>
      <b>{relevance > 0 && relevance < 0.001 ? '< 0.001' : shortNumber(relevance)}</b>
    </span>
  );
}
