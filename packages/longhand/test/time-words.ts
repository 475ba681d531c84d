/** Words that mean, or could be taken for, a time: what the campaigns and properties make sentences of. */
export const TIME_WORDS: readonly string[] = (
  'a an one two ten twenty thirty 0 1 3 5 15 31 2022 1999 2026 999999999999 1.5 few couple several half and of the or so ' +
  'last past this next previous before after since until between from to in on during about around ago now back ' +
  'second minute hour day days week weeks weekend fortnight month months year years decade night morning ' +
  'monday tuesday sat sun january march may june december dec spring fall winter early mid late end beginning ' +
  "quarter quarters q1 q3 h2 first second third 3rd 21st evening tonight mondays christmas eve halloween new ' s to earlier " +
  'far date ytd valentine people at over \u2013 today yesterday tomorrow th st - / : , . t z + p pt d 2026-01-31 2026-02 P7D 24h we talked ' +
  '5/14/2026 5/6 14.05.2026 14.5. w20 kw recently lately more than older newer up by all whole starting prior 13 onwards gestern ' +
  'within dans zwei hier letzte woche mai mars semaine derni\u00e8re vor il y aujourd tagen drei am im en le je nous'
).split(' ');
