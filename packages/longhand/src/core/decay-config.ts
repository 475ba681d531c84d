import type { MemoryType } from './records.ts';

/** Decay of one type, as in `config.json`. */
export interface TypeDecayConfig {
  readonly half_life_hours?: number | undefined;
  /** `false` exempts the type from decay. */
  readonly decay_enabled?: boolean | undefined;
}

/** The `decay` block of `config.json`. Whatever is left out has the value of `DEFAULT_DECAY_CONFIG`. */
export interface DecayConfig {
  readonly enabled?: boolean;
  /** How often the stored relevance of a session is refreshed; queries never wait for it. */
  readonly update_interval_minutes?: number;
  readonly type_specific?: { readonly [Type in MemoryType]?: TypeDecayConfig };
  /** 0 to 1: no memory fades further than this. */
  readonly min_decay_factor?: number;
  /** Use slows decay. The half life grows to at most `max_half_life_multiplier` times its length. */
  readonly reinforcement?: { readonly enabled?: boolean; readonly max_half_life_multiplier?: number };
  /** Related memories decay together. `share` is how far, 0 to 1, an age moves towards a fresher relative's. */
  readonly related?: { readonly enabled?: boolean; readonly share?: number };
}

/**
 * The default half lives: conversation is stale after a week or two, findings hold for some weeks, decisions for
 * months, and preferences until the user says otherwise.
 */
export const DEFAULT_DECAY_CONFIG = {
  enabled: true,
  update_interval_minutes: 60,
  type_specific: {
    conversation: { half_life_hours: 168 },
    decision: { half_life_hours: 720 },
    finding: { half_life_hours: 336 },
    preference: { decay_enabled: false },
  },
  // With a floor of 0.1 a memory of importance 0.5 or more never falls below the compaction threshold.
  min_decay_factor: 0.1,
  // Threefold: a conversation used every day outlives a finding, and still fades in months, not years.
  reinforcement: { enabled: false, max_half_life_multiplier: 3 },
  // Half way: a relative helps, and a memory's own age still counts as much.
  related: { enabled: false, share: 0.5 },
} as const satisfies DecayConfig;
