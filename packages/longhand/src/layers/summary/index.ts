export { Summaries, type Summary } from './summary.ts';
