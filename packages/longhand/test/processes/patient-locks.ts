/**
 * For processes that want the same lock at once, in their configuration or in the `config.json` of their store: on a busy
 * machine one of ten may wait for longer than any caller would.
 */
export const PATIENT_LOCKS = { lock_timeout_ms: 600_000, max_retries: 0 };
