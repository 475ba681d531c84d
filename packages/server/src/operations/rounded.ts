import type { ContextManifest } from 'longhand';

/** As many digits of a score as say something: what lies behind them is the noise of adding up. */
const DIGITS = 4;

export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** The same with all numbers in it rounded. */
export function roundedScores<Scores>(scores: Scores): Scores {
  if (typeof scores === 'number') return rounded(scores) as Scores;
  if (typeof scores !== 'object' || scores === null || Array.isArray(scores)) return scores;
  return Object.fromEntries(
    Object.entries(scores).map(([name, value]) => [name, roundedScores(value)]),
  ) as Scores;
}

/** What a manifest says of how well each piece fits, rounded; its tokens are counts and stay. */
export function roundedManifest<Manifest extends ContextManifest>(manifest: Manifest): Manifest {
  const inPiece = <Piece extends { readonly score?: Readonly<Record<string, number>> }>(
    piece: Piece,
  ): Piece => (piece.score === undefined ? piece : { ...piece, score: roundedScores(piece.score) });
  return {
    ...manifest,
    pieces: manifest.pieces.map(inPiece),
    near_misses: manifest.near_misses.map(inPiece),
  };
}
