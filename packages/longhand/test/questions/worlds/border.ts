import { ask, note, session, type World, wrote } from '../world.ts';

/** A user near a border, who writes German and French. Asked on a Monday. */
export const border: World = {
  name: 'border',
  now: '2026-09-14T09:00:00Z',
  sessions: [
    session(
      '2026-01-18T17:00:00Z',
      note('steuer', 'finding', 'Die Steuererklärung muss bis zum 31. Juli beim Finanzamt sein.'),
      note(
        'bank',
        'decision',
        'Wir haben uns für die Sparkasse entschieden, weil das Konto dort nichts kostet.',
      ),
      note('tarif', 'finding', 'Der Handyvertrag kostet 18 Euro im Monat und läuft bis März.'),
    ),
    session(
      '2026-03-02T18:00:00Z',
      note('schluessel', 'finding', 'Der Schlüssel für den Keller hängt neben der Haustür.'),
      note('fahrrad', 'finding', 'Das Fahrrad steht im Hof unter dem Dach.'),
      note('muell', 'finding', 'Der Müll wird jeden Mittwoch abgeholt.'),
      note('tee', 'preference', 'Ich trinke lieber Tee als Kaffee, ohne Zucker.'),
    ),
    session(
      '2026-05-16T19:00:00Z',
      wrote('wanderung', 'user', 'Wir sind heute auf den Belchen gewandert und haben oben Kuchen gegessen.'),
      wrote('schuhe', 'user', 'Meine Wanderschuhe sind kaputt, die Sohle löst sich.'),
    ),
    session(
      '2026-06-20T10:00:00Z',
      note('medecin', 'finding', 'Le cabinet du médecin est fermé le jeudi après-midi.'),
      note('voiture', 'finding', 'La voiture est garée derrière la gare, place 27.'),
      note('fromage', 'preference', 'Camille préfère le fromage de chèvre.'),
      note('pain', 'finding', 'La boulangerie ouvre à six heures, le pain complet part vite.'),
      note('cle', 'finding', 'La clé de la cave est chez la voisine.'),
    ),
    session(
      '2026-07-11T15:00:00Z',
      wrote('vacances', 'user', 'Nous avons passé une semaine en Bretagne, au bord de la mer.'),
      note('jardin', 'decision', 'Nous avons choisi un cerisier pour le jardin.'),
    ),
    session(
      '2026-08-29T12:00:00Z',
      note('waschmaschine', 'finding', 'Die Waschmaschine wurde repariert, die Rechnung war 120 Euro.'),
      note('heizung', 'finding', 'Die Heizung macht nachts Geräusche, der Vermieter weiß Bescheid.'),
      note('oma', 'finding', 'Oma hat am 3. Oktober Geburtstag und wünscht sich Blumen.'),
    ),
    session(
      '2026-09-10T18:00:00Z',
      note('zahnarzt', 'finding', 'Der Termin beim Zahnarzt ist am Donnerstag um 9 Uhr.'),
      note('elternabend', 'finding', 'Am 24. September ist Elternabend in der Schule.'),
      note('lukas', 'finding', 'Lukas lernt Geige und übt jeden Abend.'),
    ),
    session(
      '2026-09-13T20:00:00Z',
      wrote('pilze', 'user', 'Ich habe im Wald Pilze gesammelt und eine Suppe gekocht.'),
      wrote('suppe', 'assistant', 'Das klingt gut. Pilze halten sich im Kühlschrank zwei Tage.'),
    ),
  ],
  questions: [
    ask('facts', 'Wo hängt der Schlüssel für den Keller?', 'schluessel'),
    ask('choices', 'Für welche Bank haben wir uns entschieden?', 'bank'),
    ask('plans', 'Wann ist der Termin beim Zahnarzt?', 'zahnarzt'),
    ask('forms', 'Wann wird der Muell abgeholt?', 'muell'),
    ask('numbers', 'Was hat die Reparatur der Waschmaschine gekostet? Rechnung', 'waschmaschine'),
    ask('typos', 'Wann hat Oma Gebutstag?', 'oma'),
    ask('names', 'Was lernt Lukas?', 'lukas'),
    ask('times', 'Was habe ich gestern gemacht?', 'pilze'),
    ask('facts', 'Où est garée la voiture ?', 'voiture'),
    ask('forms', 'Quand est-ce que le cabinet du medecin est ferme ?', 'medecin'),
    ask('names', 'Quel fromage préfère Camille ?', 'fromage'),
    ask('choices', 'Quel arbre avons-nous choisi pour le jardin ?', 'jardin'),
  ],
  unanswerable: [
    'Wie heißt der Hund der Nachbarn?',
    'Wann fährt der Zug nach Hamburg?',
    'Welche Versicherung hat das Motorrad?',
    'Wo liegt mein Reisepass?',
    'Combien coûte le loyer ?',
    'Quel est le mot de passe du wifi ?',
    'Qui garde le chat pendant les vacances ?',
    'Wer hat das Sofa bezahlt?',
  ],
};
