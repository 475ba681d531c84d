export { Transcripts } from './transcript.ts';
export { prunable } from './transcript-erasure.ts';
export { trustOfMessage } from './transcript-input.ts';
export { transcriptLayer } from './transcript-layer.ts';
export type { SummaryDroppedRecord, SummaryFailedRecord, SummaryRecord } from './transcript-records.ts';
export { countIn, type HiddenMessage, presentIn, type TranscriptState } from './transcript-state.ts';
