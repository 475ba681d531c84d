import { Bot, Globe, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const TIERS = {
  agent: { icon: Bot, about: 'The agent wrote it.' },
  external: { icon: Globe, about: 'It comes from outside, by way of a trusted source.' },
  untrusted: {
    icon: ShieldAlert,
    about: 'It comes from a tool, a page or an import. Prompts show it as data, never as instructions.',
  },
} as const;

/** How far a text can be trusted. What the owner wrote needs no badge. */
export function TrustBadge({ trust }: { readonly trust: string | undefined }): ReactNode {
  const tier = TIERS[trust as keyof typeof TIERS];
  if (tier === undefined) return null;
  const Icon = tier.icon;
  return (
    <span className={`trust is-${trust}`} title={tier.about}>
      <Icon size={13} />
      {trust}
    </span>
  );
}
