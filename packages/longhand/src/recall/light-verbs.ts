/**
 * Verbs that go with whatever is asked: "Did we *go* to Brittany?" asks for Brittany.
 *
 * Among thousands of memories such a verb stands in many, and its rarity says how little it tells. In a small store it stands in
 * one or two by chance, and would count as much as a name. So it counts as if some memories more held it (`match.ts`).
 */

import { lazily } from '../core/lazily.ts';
import { termOf } from './words.ts';

/** None whose stem is that of another word: "faire" is "fair" there, and "venu" a venue. */
const FORMS = `go goes get come take make made like think know say tell see look call
  gehe gehst geht gehen ging gingen gegangen komme kommst kommt kommen kam kamen gekommen machst macht machen machte machten
  gemacht nehme nimmt nehmen nahm nahmen genommen sagt sagte gesagt heisst hiess
  aller vais vont allons allez prendre prends fait venir vient viens`;

const terms = lazily((): ReadonlySet<string> => new Set(FORMS.split(/\s+/).map(termOf)));

/** Whether a term is that of such a verb. */
export function isLightVerb(term: string): boolean {
  return terms().has(term);
}
