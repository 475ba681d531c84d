import { expect, it } from 'vitest';
import { readQueryText, termsOf } from './query-text.ts';

function termsIn(text: string): string[] {
  return [...termsOf(readQueryText(text).words).keys()];
}

it.each([
  ['Wann ist der Termin mit Anna?', ['termin', 'anna']],
  ['Was hat der Arzt gesagt?', ['arzt', 'gesagt']],
  ['Was hat Anna gekauft?', ['anna', 'gekauft']],
  ['Was hat Tom heute eingekauft?', ['tom', 'heut', 'eingekauft']],
  ['Wo sind die Schlüssel für das Auto?', ['schlussel', 'auto']],
  ['Wie war die Reise nach Rom?', ['reis', 'rom']],
  ['Où est la clé de la cave ?', ['cle', 'cave']],
  ['Quand est-ce que nous partons à Lyon ?', ['parton', 'lyon']],
  ["Qu'est-ce que j'ai demain ?", ['demain']],
  ["Qu'est-ce qu'il a dit du budget ?", ['dit', 'budget']],
  ['¿Cuándo es la cita con Ana?', ['cita', 'ana']],
  ['¿Dónde vive mi hermano?', ['vive', 'hermano']],
  ["Quando è l'appuntamento con Anna?", ['appuntamento', 'anna']],
  ['Come si chiama il cane di Marco?', ['chiama', 'cane', 'marco']],
  ['Quando é a consulta com a Ana?', ['consulta', 'ana']],
  ['Wanneer is de afspraak met Anna?', ['afspraak', 'anna']],
  ['När är mötet med Anna?', ['motet', 'anna']],
])('%j asks for %j', (text, expected) => {
  expect(termsIn(text)).toEqual(expected);
});

it.each([
  ['How did he die in the war?', ['die', 'war']],
  ['Will the men come or stay?', ['man', 'come', 'stay']],
  ['Maria de la Cruz', ['maria', 'de', 'la', 'cruz']],
  ['van der Berg', ['van', 'der', 'berg']],
  ['a la carte menu', ['la', 'cart', 'menu']],
  ['Los Angeles', ['los', 'angel']],
  ['Die Hard', ['die', 'hard']],
  ['MIT admission', ['mit', 'admiss']],
  ['Termin mit Anna', ['termin', 'mit', 'anna']],
  ['pour over coffee', ['pour', 'coffe']],
  ['Who met ten days ago?', ['meet', 'ten', 'day', 'ago']],
  ['Ben and Elle, mon ami', ['ben', 'ell', 'mon', 'ami']],
  ['example.com en route', ['exampl', 'com', 'en', 'rout']],
  ['Tour de France', ['tour', 'de', 'franc']],
  ['CI per branch', ['ci', 'per', 'branch']],
  ['y axis o ring', ['y', 'axi', 'o', 'ring']],
])('%j is in English, or in doubt, and asks for %j', (text, expected) => {
  expect(termsIn(text)).toEqual(expected);
});

it('leaves nothing out where there is nothing else', () => {
  expect(termsIn('Wer ist das?')).toEqual(['wer', 'ist', 'das']);
});
