/** An unknown setting or an invalid value. The message names it, and where it came from. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
