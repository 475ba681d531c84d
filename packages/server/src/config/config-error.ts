/** A setting that cannot be. The message names it, and where it came from. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
