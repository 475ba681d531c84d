export { isMemoryType, type NewDetailValue, normaliseType } from './detail-input.ts';
export type { Detail, KeptDetail } from './detail-records.ts';
export { type DetailPage, type DetailSearchOptions, inOneMeasure } from './detail-search.ts';
export { Details } from './details.ts';
export { detailsLayer } from './details-layer.ts';
export {
  type CapturedOutput,
  capturedArgumentsKey,
  capturedMessageKey,
  detailOf,
  type ToolOutput,
} from './tool-capture.ts';
